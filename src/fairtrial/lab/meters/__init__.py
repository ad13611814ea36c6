"""What the lab measures while a trial runs: the machine, its network, and process trees."""
