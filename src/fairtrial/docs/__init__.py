"""The parts of the documentation that are written from the code: `python -m fairtrial.docs`, in a checkout."""
