"""The plan: which conditions, how many blocks, in which order."""
