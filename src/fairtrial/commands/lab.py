"""`fairtrial lab`: a lab on a host of a cluster, which `fairtrial run --cluster` starts there. It is hidden."""


def lab() -> None:
    """Be the lab of a lane, or of services or a balancer on a host of their own, as the first messages say."""
    from fairtrial.lab.lanes import host_lab, lane_lab
    from fairtrial.lab.lanes.messages import Channel
    from fairtrial.lab.lanes.task import HostTask

    channel = Channel.of_standard_streams()
    first = channel.receive()
    if isinstance(first, HostTask):
        host_lab.serve_host(first, channel)
    else:
        lane_lab.serve_lane(channel.receive(), first, channel)
