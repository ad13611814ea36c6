"""The command lines of other load generators: their arguments, their figures, and what those leave out."""
