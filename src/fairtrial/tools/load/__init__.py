"""The load engine as a tool of its own: what `fairtrial load` needs."""
