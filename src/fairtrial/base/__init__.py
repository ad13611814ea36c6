"""What every part stands on: problems and their remedies, formatting, files, the cache."""
