"""The lab's meters while a trial runs: of the machine, its network, and process trees."""
