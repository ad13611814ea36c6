"""Stacks: their manifests, their builds, and how they are run. The contract is docs/stack-contract.md."""
