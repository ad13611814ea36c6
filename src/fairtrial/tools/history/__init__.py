"""The history of an experiment: the figures of many runs, in the order of time, for a detector of change points."""
