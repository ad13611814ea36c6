"""The hold audit of a trial: what was answered while all that answers have to wait for stood still."""

from pydantic import Field

from fairtrial.base.strict import Strict


class Hold(Strict):
    """One moment in which database, cache and upstream stood still."""

    after_seconds: float = Field(description="from the begin of the load until all of their processes were stopped")
    seconds: float = Field(description="how long they were; no answer of later is counted")
    answers: int = Field(description="verified answers meanwhile")
    at_its_pace: float = Field(description="as many as came before in as long a time as is counted")
    by_connection: list[int] | None = Field(
        None,
        description="of the connections that had no request under way when all stood still: how many had none, one, "
        "two, … right answers to requests that were sent then, the last for eight and more. Null: another load than a "
        "closed one of one request on each connection, or an older record",
    )


class Watch(Strict):
    """Some milliseconds before the first hold, in which the lab read along what stack and services sent."""

    seconds: float = 0.0
    answers: int = Field(0, description="those with a text that no other showed at about that time")
    unread: int = Field(0, description="of them, those whose text no service had sent right before")
    later: int = Field(0, description="of these, those whose text a service sent while the lab still read along")
    why_not: str = Field("", description="why there are none, in words")


class HoldAudit(Strict):
    """Under a load of its own, before the trial's or after it, with the stack started for it, all that the answers have
    to wait for was stopped (SIGSTOP) at drawn moments. It is in no figure."""

    is_drawn: bool = Field(description="whether this trial was to have one")
    why_not: str = Field("", description="why there was none, in words; empty: there was, or another trial was drawn")
    is_first: bool = Field(False, description="whether its load came before the trial's, which is drawn, too")
    in_flight: int = Field(0, description="the requests that the load has in flight at most")
    holds: list[Hold] = Field(default_factory=list)
    watch: Watch | None = Field(None, description="null where there was no audit, and in older records")
