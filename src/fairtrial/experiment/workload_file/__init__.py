"""Workload files: a user's requests, and what their answers must be. The format is docs/workload-file.md."""
