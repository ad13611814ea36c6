"""The parts that all other packages use: problems and their remedies, formatting, files, the cache."""
