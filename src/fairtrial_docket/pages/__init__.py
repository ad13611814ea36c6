"""The pages of the site: one file for each kind."""
