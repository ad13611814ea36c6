"""What of a plan can be on hosts of their own beside server and load: what cannot is refused before anything starts."""

from collections.abc import Sequence

from fairtrial.base.exit_status import NOTHING_RAN
from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import Service
from fairtrial.plan.plan import Plan, Point
from fairtrial.record.model import ApartRole


def roles_apart(plan: Plan) -> list[ApartRole]:
    """The roles for which there is something to bring up: neither a file in a stack's process, nor somebody else's."""
    roles: list[ApartRole] = []
    if any(_is_brought_up(service, point) for service, point in _services(plan)):
        roles.append("service")
    if plan.balancer is not None:
        roles.append("balancer")
    return roles


def assert_apart(plan: Plan, file: str, roles: Sequence[ApartRole]) -> None:
    """Require that what a plan has for these roles can be on hosts of its own.

    Args:
        file: what messages name as the experiment's origin.

    Raises:
        Problem: it cannot.
    """
    if roles and plan.experiment.slices is not None:
        reason = f"[slices] are measured by the meters of one machine, and there are hosts for {' and '.join(roles)}"
        raise Problem(f"{file}: {reason}", "start workers with the roles server and load alone", NOTHING_RAN)
    remedy = "give no worker the role service without server: services are on the server's host then"
    for service, point in _services(plan) if "service" in roles else ():
        if not _is_brought_up(service, point):
            continue
        if service.is_open:
            reason = f"{service.title} asks for no password, so whoever is on the network of its host could use it"
            raise Problem(f"{file}: {reason}", remedy, NOTHING_RAN)
        if point.service_options(service).address is not None:
            reason = f"[services.{service.name}.address] is one of the server's host, which stands in programs"
            raise Problem(f"{file}: {reason}", remedy, NOTHING_RAN)


def _services(plan: Plan) -> list[tuple[Service, Point]]:
    caches = [] if plan.cache is None else [(plan.cache, plan.points[0])]
    return [(condition.service, condition.point) for condition in plan.conditions] + caches


def _is_brought_up(service: Service, point: Point) -> bool:
    return service.port is not None and not point.service_options(service).url_from
