"""The options of a load, and their way to the plan that the engine runs."""
