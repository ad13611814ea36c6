"""What `fairtrial services` does: say which services are here, and bring those that are not."""
