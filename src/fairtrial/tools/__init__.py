"""The commands beside `fairtrial run`: load, check, compare, doctor, services."""
