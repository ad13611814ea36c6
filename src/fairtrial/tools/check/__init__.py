"""`fairtrial check`: every clause of a stack's contract, tried and printed."""
