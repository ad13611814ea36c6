"""Comparing answers."""
