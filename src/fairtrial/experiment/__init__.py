"""Experiments: the file format and its reading."""
