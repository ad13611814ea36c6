"""What a load came to: in the terminal, as JSON, CSV, a percentile distribution and one HTML page."""
