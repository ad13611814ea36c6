"""Two results of the same experiment side by side: `fairtrial compare`. See docs/compare.md."""
