"""Idle connections of a trial: what became of them, and the server's memory before them and with them."""

from collections.abc import Callable
from typing import Self

from pydantic import Field

from fairtrial.base.formatting import figure
from fairtrial.base.strict import Strict
from fairtrial.record.processes import MemoryKind


class IdleLoss(Strict):
    """Connections that failed to open, or were lost, for one reason. Times count from the first connect."""

    number: int
    first_seconds: float
    last_seconds: float
    example: str = Field(description="in words, of the first")


class IdleMemory(Strict):
    """What the stack's processes held right before the first connect, and a second after the last handshake."""

    before_bytes: int
    open_bytes: int
    connections: int = Field(description="that were open when it was read the second time")
    kind: MemoryKind

    @property
    def bytes_each(self) -> float | None:
        """The difference over the number of connections; None where the memory did not grow."""
        grown = self.open_bytes - self.before_bytes
        return grown / self.connections if grown > 0 and self.connections > 0 else None


class IdleConnections(Strict):
    """WebSockets that were opened before the load and sent nothing but answers to pings."""

    number: int = Field(description="that the load asks for")
    opened: int
    opening_seconds: float = Field(description="from the first connect until each was open, or had failed")
    failures: dict[str, IdleLoss] = Field(default_factory=dict, description="by cause, those that did not open")
    open_at_begin: int | None = Field(None, description="of the window; null where it did not open")
    begin_seconds: float | None = Field(None, description="when that was, from the first connect")
    open_at_end: int | None = Field(None, description="of the window; null where it did not close")
    end_seconds: float | None = Field(None, description="when that was, from the first connect")
    losses: dict[str, IdleLoss] = Field(default_factory=dict, description="by cause, those that did not stay open")
    pings: int = Field(0, description="of the server, each of which was answered")
    messages: int = Field(0, description="of the server, which nobody looked at")
    memory: IdleMemory | None = Field(None, description="null where the stack's processes are not known")

    @property
    def in_words(self) -> str:
        """How many there were, and when."""
        begin = "" if self.open_at_begin is None else f", {self.open_at_begin:,} open when the window opened"
        end = "" if self.open_at_end is None else f", {self.open_at_end:,} when it closed"
        return (
            f"{self.number:,} idle connections: {self.opened:,} opened in {figure(self.opening_seconds)} s"
            f"{begin}{end}; {self.pings:,} pings answered"
        )

    def with_texts(self, hidden: Callable[[str], str]) -> Self:
        """The same, with what it quotes of the server as `hidden` gives it, which strips secrets."""
        losses = {
            key: {
                cause: loss.model_copy(update={"example": hidden(loss.example)})
                for cause, loss in getattr(self, key).items()
            }
            for key in ("failures", "losses")
        }
        return self.model_copy(update=losses)
