"""`fairtrial import`: requests that others wrote down, as a workload file to be edited. See docs/import.md."""
