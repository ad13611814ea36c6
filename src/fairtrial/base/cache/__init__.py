"""The cache of built things: one folder for each content, which is complete or absent."""
