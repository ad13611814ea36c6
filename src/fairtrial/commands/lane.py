"""`fairtrial lane`: the lab of a lane, which `fairtrial run --cluster` starts on hosts of a cluster. It is hidden."""


def lane() -> None:
    """Be the lab of a lane: read a task and blocks from standard input, write records to standard output."""
    from fairtrial.lab.lanes.lane_lab import serve
    from fairtrial.lab.lanes.messages import serve_standard_streams

    serve_standard_streams(serve)
