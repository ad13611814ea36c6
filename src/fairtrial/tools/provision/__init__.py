"""What `fairtrial services` does: list which services are installed, and install others."""
