"""Diagnoses of this machine before a trial, as `fairtrial doctor` prints them."""
