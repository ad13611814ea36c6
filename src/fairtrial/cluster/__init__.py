"""A cluster of hosts, which Dask reaches: the connection, its settings, what its hosts are, engines on them.

`distributed` is an optional part (`fairtrial[cluster]`). It is imported by `connection` alone, when a cluster is used.
"""
