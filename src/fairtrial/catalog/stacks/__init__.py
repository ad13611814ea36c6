"""Stacks: reading `stack.toml`, finding, building, and running them. The contract is docs/stack-contract.md."""
