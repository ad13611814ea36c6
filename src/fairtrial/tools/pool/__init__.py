"""`fairtrial pool`: one locked experiment on many machines, judged here and pooled."""
