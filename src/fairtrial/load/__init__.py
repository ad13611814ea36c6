"""Loads: who decides when requests are sent, and for how long. One file a kind."""
