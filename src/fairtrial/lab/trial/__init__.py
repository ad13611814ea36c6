"""One trial: stack up, contract, warm-up, measured load, stack down."""
