"""What stands beside `fairtrial run`: load, check, compare, doctor, services."""
