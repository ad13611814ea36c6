"""An engine that carries out one plan after the other, and keeps its connections from one to the next."""

import subprocess

from fairtrial.engine.events import send_plan
from fairtrial.engine.plan import EnginePlan
from fairtrial.engine.process import RUN, EngineProcess, end_by_input, started_engine

END_WITHIN_SECONDS = 10.0
"""Without a plan it has nothing to do but close its connections."""


class EngineInTurn:
    """Starts with the first plan, and ends by `end`, or where a plan fails: there are no further ones then."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None

    def start(self, plan: EnginePlan) -> EngineProcess:
        """Hand it the next plan, when the one before is carried out.

        Raises:
            Problem: it cannot be started, or the plan holds what is no text.
        """
        text = plan.to_json().encode() + b"\n"
        if self._process is None:
            self._process = started_engine(*RUN, "--in-turn")
        send_plan(self._process, text, is_last=False)
        return self._process

    def end(self) -> None:
        """Close its connections; more often than once does no harm."""
        process, self._process = self._process, None
        if process is not None:
            end_by_input(process, END_WITHIN_SECONDS)
