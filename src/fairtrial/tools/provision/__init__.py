"""The work of `fairtrial services`: list which services are installed, and install others."""
