"""Servers that the lab starts from installed programs: in a folder of their own, unprivileged, on loopback."""
