"""Kinds of flaws in the design of an experiment, one file each."""
