"""What the block under profilers showed, as it is printed and drawn. None of it is in the result."""
