"""The warning before a load whose connects will search for local ports."""

from collections.abc import Callable
from typing import Any

from rich.text import Text

from fairtrial.judge.checks.generator import crowded_in_words, ports_crowded
from fairtrial.record.engine_summary import Routes


class CrowdedWarnings:
    """The warnings of a run: one for each number of connections, not for each of its trials."""

    def __init__(self) -> None:
        self._connections: set[int] = set()

    def after(self, event: dict[str, Any], say: Callable[[Text], object]) -> None:
        """Say the warning of an event `crowded`, if it is the first with so many connections."""
        if event["connections_each"] not in self._connections:
            self._connections.add(event["connections_each"])
            say(crowded_warning(event))


def crowded_warning(event: dict[str, Any]) -> Text:
    """The engine's event `crowded` in words, with the remedy."""
    routes = Routes.model_validate({key: value for key, value in event.items() if key != "event"})
    return Text.assemble(("warning: ", "bold yellow"), f"{crowded_in_words(routes)}; {ports_crowded.remedy}")
