"""A cross-examination for readers: terminal and page; for programs: JSON."""
