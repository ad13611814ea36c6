"""`fairtrial lane-host`: the lab on a host of a lane's services or balancer, started on hosts of a cluster. Hidden."""


def lane_host() -> None:
    """Be that lab: read a task and calls from standard input, write answers to standard output."""
    from fairtrial.lab.lanes.host_lab import serve
    from fairtrial.lab.lanes.messages import serve_standard_streams

    serve_standard_streams(serve)
