"""The command lines of ab and wrk: their arguments, their figures, and what those figures leave out."""
