"""All that an experiment can name: workloads, services, stacks, balancers, and the contract between them."""
