"""Programs that are sent to hosts as text, and run inside Dask's workers there: standard library only."""
