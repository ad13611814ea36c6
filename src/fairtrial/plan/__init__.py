"""The plan: an experiment resolved once against the catalog, before anything starts."""
