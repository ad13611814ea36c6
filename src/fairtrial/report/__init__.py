"""A result as a table in the terminal, as one HTML file and as JSON. `files.write_reports` writes, `terminal`
prints."""
