"""Workload files: requests of one's own, and what their answers must be. The format is docs/workload-file.md."""
