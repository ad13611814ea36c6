"""The block under profilers, as it is printed and drawn. None of it is in the result."""
