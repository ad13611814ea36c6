"""Lanes: sets of hosts of a cluster on which blocks of one experiment are tried side by side.

The lab of a lane is a process on the lane's server host. What is local to a server (guards, meters, ports, contract)
is so there as on any machine; its load engines run on the lane's load hosts, and its services, where there is a service
host, below a lab of their own. The lab here hands out blocks and records.
"""
