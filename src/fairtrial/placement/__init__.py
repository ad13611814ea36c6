"""Which processors each role is bound to."""
