"""Whether a cluster is fit for trials, as `fairtrial cluster check` prints it."""
