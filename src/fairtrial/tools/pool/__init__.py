"""What `fairtrial pool` does: one locked experiment on many machines, judged here and pooled."""
