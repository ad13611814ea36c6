"""Lines that tell how an experiment is made ready, where none can be rewritten."""

from fairtrial.lab.trial.events import Event, Preparing, RowProgress, StageBegins, Step

NEWS_OF_ROWS = 10
"""So often the loading of rows is told of."""


class StepLines:
    """Makes a line of each event that is a step on the way to a load; of rows, one for each tenth."""

    def __init__(self) -> None:
        self._tenths = 0

    def of(self, event: Event) -> str | None:
        """The line of this event; None: it has none."""
        match event:
            case Preparing(what):
                self._tenths = 0
                return f"preparing {what}"
            case Step(text):
                return text
            case RowProgress(rows, of) if (tenths := rows * NEWS_OF_ROWS // of) > self._tenths:
                self._tenths = tenths
                return f"loading rows: {rows:,} of {of:,}"
            case StageBegins(_, awaited) if awaited:
                return f"waiting for {awaited}"
        return None
