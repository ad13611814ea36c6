"""Fairtrial: performance claims about HTTP API stacks, on trial."""

__version__: str


def __getattr__(name: str) -> str:
    """The version, looked up when it is asked for: what reads it takes long to load."""
    if name != "__version__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib.metadata import version  # noqa: PLC0415

    return version("fairtrial")
