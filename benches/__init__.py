"""Compares load generators: what a request costs them, and whether the percentiles that they state are true."""
