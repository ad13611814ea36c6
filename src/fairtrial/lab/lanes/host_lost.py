"""That a host of a lane is lost."""


class HostLost(Exception):
    """A host of the lane is lost, so that no further trial can be tried on it."""
