"""Conducting an experiment: everything made ready, then trial after trial, block after block."""
