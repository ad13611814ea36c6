"""The cache: one folder for each content, complete or absent."""
