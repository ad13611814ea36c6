"""The requests that goals name, held against those that are sent."""

from collections.abc import Sequence

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.engine.plan import Request
from fairtrial.tools.load.request.expected_figure import ExpectedFigure


def assert_sent(figures: Sequence[ExpectedFigure], requests: Sequence[Request], *, of_file: bool) -> None:
    """Raise a Problem if a figure is of a request that is not sent.

    Args:
        of_file: whether the requests are those of a workload file, which names them.
    """
    names = [request.name for request in requests]
    for figure in figures:
        if figure.request is None or (of_file and figure.request in names):
            continue
        reason = f"'{figure.text}': there is no request '{printable(figure.request, 40)}'"
        if not of_file:
            raise Problem(reason, "requests have names in a workload file: give one with -f, or leave the name out")
        raise Problem(f"{reason}{printable(instead_of(figure.request, names), 300)}", "name one of these")
