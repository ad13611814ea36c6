"""`fairtrial lane-services`: the lab on the host of a lane's services, started on hosts of a cluster. It is hidden."""


def lane_services() -> None:
    """Be that lab: read a task and calls from standard input, write answers to standard output."""
    from fairtrial.lab.lanes.service_lab import main

    main()
