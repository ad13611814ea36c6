"""The report of a load: in the terminal, as JSON, CSV, a percentile distribution and one HTML page."""
