"""From what a user asks for to the engine's plan."""
