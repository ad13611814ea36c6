"""Conformance of one stack: what `fairtrial check` does."""
