"""Loads, by what they say and refuse."""
