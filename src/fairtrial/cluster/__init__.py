"""A cluster of hosts, which Dask's `distributed` reaches: the connection, its settings, what its hosts are.

`distributed` is an optional part (`fairtrial[cluster]`). It is imported by `connection` alone, when a cluster is used.
"""
