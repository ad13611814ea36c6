"""Measures load generators against each other: what a request costs them, and whether they tell the truth."""
