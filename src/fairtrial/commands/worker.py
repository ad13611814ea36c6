"""`fairtrial worker`: the Dask worker of a host, which `--hosts` starts there by SSH. It is hidden."""


def worker() -> None:
    """Be the worker of a host: read a task from standard input, and end when that ends."""
    from fairtrial.cluster.worker import main

    main()
