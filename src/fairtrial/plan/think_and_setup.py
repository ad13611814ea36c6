"""A plan refuses think times and setup requests of connections that do not go with the load."""

from fairtrial.base.problem import Problem
from fairtrial.catalog.workloads.model import ProgramWorkload, Workload
from fairtrial.experiment.model import Experiment


def assert_think_and_setup(workload: Workload, experiment: Experiment) -> None:
    """Raise a Problem if think times, or what connections send first, do not go with the experiment's load."""
    if isinstance(workload, ProgramWorkload):
        return
    load, where = experiment.load, workload.name
    if workload.thinking and load.clients is None:
        raise Problem(
            f"{where}: requests.{workload.thinking[0]}.think: only a client of a closed load waits for its answer "
            "and thinks",
            'set `kind = "closed"` in [load], or leave `think` out',
        )
    if not workload.setup:
        return
    key = f"{where}: setup.{workload.setup[0].name}"
    if not load.keep_alive:
        raise Problem(
            f"{key}: without keep-alive, each request would have a connection and a setup of its own",
            'leave out `keep_alive = false`, or write per = "load" there',
        )
    if load.loses_clients:
        raise Problem(f"{key}: connections that are set up have no limit of local ports", "leave out `local_ports`")
    if experiment.reference is not None:
        raise Problem(
            f"{key}: each connection has answers of its own, which cannot be compared with those of a reference",
            'leave `reference` out, or write per = "load" there',
        )
