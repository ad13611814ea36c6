"""What the lab reads off the machine while a trial runs."""
