"""`fairtrial load`, `ab` and `wrk`: the load engine as a tool of its own."""
