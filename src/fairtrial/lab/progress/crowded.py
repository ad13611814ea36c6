"""The warning before a load whose connects will search for local ports."""

from typing import Any

from rich.text import Text

from fairtrial.judge.checks.ports_crowded import crowded_in_words, ports_crowded
from fairtrial.record.engine_summary import Routes


def crowded_warning(event: dict[str, Any]) -> Text:
    """The engine's event `crowded` in words, with the remedy."""
    routes = Routes.model_validate({key: value for key, value in event.items() if key != "event"})
    return Text.assemble(("warning: ", "bold yellow"), f"{crowded_in_words(routes)}; {ports_crowded.remedy}")
