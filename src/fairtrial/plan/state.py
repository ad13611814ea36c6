"""A plan refuses services that cannot be loaded, brought back or asked as the state of its workload says."""

from fairtrial.base.problem import Problem
from fairtrial.base.registry import did_you_mean
from fairtrial.catalog.services import services
from fairtrial.catalog.services.model import Service
from fairtrial.catalog.workloads.model import Workload
from fairtrial.catalog.workloads.state import DatabaseState
from fairtrial.experiment.model import Experiment, ServiceOptions


def assert_state(workload: Workload, experiment: Experiment, service: Service) -> None:
    """Raise a Problem unless the service can be loaded, brought back and asked as the workload file says."""
    state, where = workload.state, workload.name
    if state.data:
        _assert_data(state, where, experiment, service)
    entries = {"reset": state.reset, **{f"audit.{name}": audit for name, audit in state.audits.items()}}
    for key, each in entries.items():
        if each is not None and each.sql is not None and service.sql is None:
            raise Problem(
                f"{where}: {key}: {service.title} takes no SQL",
                'name a program instead, such as command = ["./state.sh"]; it gets DATABASE_URL',
            )


def _assert_data(state: DatabaseState, where: str, experiment: Experiment, service: Service) -> None:
    services_by_name = services()
    for name in state.data:
        if name not in services_by_name:
            raise Problem(f"{where}: data: there is no service {name!r}{did_you_mean(name, services_by_name)}")
        if not services_by_name[name].loads_files:
            loaded = ", ".join(each.name for each in services_by_name.values() if each.loads_files)
            raise Problem(f"{where}: data: {name} cannot be loaded from files", f"these can: {loaded}")
    if service.name == "none":
        return
    if experiment.services.get(service.name, ServiceOptions()).url_from is not None:
        raise Problem(
            f"{where}: data: {service.title} is a server of your own (url_from), which the lab does not load",
            "leave `url_from` out, and the lab starts one; or leave `data` out, and load it by a `command` of `reset`",
        )
    if service.name not in state.data:
        raise Problem(
            f"{where}: data: holds nothing for {service.name}, on which it is tried",
            f'add data.{service.name} = "FILE", or try it on: {", ".join(state.data)}',
        )
