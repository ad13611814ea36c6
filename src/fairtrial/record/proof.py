"""Proof of the work of a trial: what its answers imply, what the database counted, what rows showed and hold."""

from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict


class ImpliedWork(Strict):
    """Work that the answers of a condition imply at least, as its workload said when the record was written."""

    per_answer: dict[str, float] = Field(description="for each verified answer, by the names of `Ledger.done`")
    per_answer_in_tables: dict[str, float] = Field(
        default_factory=dict,
        description="likewise `rows_read.TABLE`, `rows_written.TABLE`, `reads.TABLE`, `writes.TABLE`, `table_reads`, "
        "`table_transactions`, where the database counts them",
    )
    least_seconds: float = Field(0.0, description="of a program's job: what waiting alone takes; 0 where nothing waits")
    least_answer_seconds: dict[str, float] = Field(
        default_factory=dict,
        description="by request, what no answer can be faster than: delays, sleeps and a round trip to the database",
    )
    random_round_trip_seconds: float = Field(
        0.0,
        description="the mean of the latency of a round trip to the database, drawn from an exponential distribution, "
        "where each answer waits for one; 0: there is none, and in older records",
    )
    sleeping_seconds: dict[str, float] = Field(
        default_factory=dict,
        description="by request, for how long the database sleeps, or works at least, within statements; empty in "
        "older records",
    )
    per_request_in_tables: dict[str, dict[str, float]] = Field(
        default_factory=dict,
        description="likewise by request, of each verified answer to it; empty in older records",
    )

    @property
    def least_per_answer(self) -> dict[str, float]:
        """By kind of work, in tables too, the least for each verified answer: kinds of which some is implied.

        Of the others nothing can be missing, and a count may say -1: what the lab itself did is taken off it, and the
        database may count that late.
        """
        return {kind: least for kind, least in {**self.per_answer, **self.per_answer_in_tables}.items() if least > 0}


class Ledger(Strict):
    """Counts of the database from before the load (warm-up included) until the load had ended, the stack still up.

    By the names of `services.model.Counters`, those of tables among them (`rows_read.TABLE`); these and commits come
    late from open sessions, and are counted until the stack had stopped. Also calls: answers that the upstream gave,
    from its start to the end of the load. Of programs also tasks: those that gathered, all at once; threads: of
    the kernel, while they were gathered; steps: of the token, all of them if the last token is right, else none;
    voluntary_switches: of the kernel threads, between the first token and the last; background_commits: of the lab's
    own job beside it.
    """

    done: dict[str, int] = Field(description="by kind")
    after_load: dict[str, int] = Field(
        default_factory=dict,
        description="what the database counted between the end of the load and the end of the stack, which is not in "
        "`done`; empty: nothing, for a program, and in older records, where `done` has it",
    )
    handed_in: dict[str, int] = Field(
        default_factory=dict,
        description="of what sessions hand in late and `done` has whole, how much they had handed in when the load "
        "ended; empty for a program and in older records",
    )
    verified: int = Field(description="verified answers in the same time, warm-up included")
    answers: int = Field(description="all answers and failures in the same time")
    verified_by_request: dict[str, int] = Field(
        default_factory=dict,
        description="verified answers in the same time, by the request's name; empty: not counted, in older records",
    )
    lab_left_out: bool = Field(
        False,
        description="what the lab itself changed is not in `done`; false: in older records, where stores and external "
        "databases count it as the stack's",
    )


class WindowWork(Strict):
    """The work that was counted in a measured window, from when it had opened until its load ended."""

    seconds: float = Field(description="from when the counters were read in the window until it closed, at least")
    window_seconds: float
    counts: dict[str, int] = Field(
        description="by the names of `Ledger.done`, from that reading to the end of the load"
    )
    verified: int = Field(description="verified answers of the whole window")
    verified_since: int | None = Field(
        None,
        description="those of its tenths of a second that began after the reading; null: not counted, in slices, "
        "windows of over ten minutes and older records",
    )
    in_flight: int = Field(description="requests that may have been under way at one end of it, the larger number")
    upstream_share: float | None = Field(
        description="of the upstream's processor time since its start, what it used meanwhile; null: there is none, or "
        "the kernel does not tell"
    )

    @property
    def answers(self) -> float:
        """How many answers at least were worked on in that time; where it was not counted, if the window was even."""
        if self.verified_since is not None:
            return max(0.0, self.verified_since - self.in_flight)
        share = min(1.0, self.seconds / self.window_seconds) if self.window_seconds > 0 else 0.0
        return max(0.0, self.verified * share - self.in_flight)


class Freshness(Strict):
    """Rows that the lab changed while the stack served them."""

    changed: int
    stale: int = Field(description="those whose old value was still answered after the grace period")
    grace_seconds: float = Field(description="0: what was asked after the commit had to show it")
    example: str = Field(description="one stale answer; from the server: escape it before showing it")
    keys: list[int] = Field(
        default_factory=list, description="of the changed rows, which nobody knew before; empty in older records"
    )


class KeysRead(Strict):
    """Drawn keys of a store, by its own account of each of them: whether anybody read it under the load.

    The engine asks for keys that it draws, each as likely as any other.
    """

    table: str
    rows: int = Field(description="keys that the table has")
    marked: int = Field(description="keys that were marked as unread before the load, drawn from all")
    read: int = Field(description="those of them that were read, or changed by the lab, until the stack had stopped")


class RowChangesSeen(Strict):
    """Rows that the lab changed under the load, and what the load's own answers showed of them."""

    changed: int
    in_window: int = Field(description="those of them that changed within the window, the others right before the load")
    answers: int = Field(description="that showed one of them, and were asked for after its change was committed")
    old: int = Field(description="those of them that showed the text from before the change")
    latest_seconds: float = Field(description="from a commit to the request for an old text, the longest; 0: none")
    grace_seconds: float = Field(description="after a commit, in which old texts do not count; 0: none")
    example: str = Field(description="of an old text; empty: none")
    left_out: int = Field(description="answers that showed one and were not looked at: there were too many")
    keys: list[int] = Field(description="of the changed rows, which nobody knew before")


class WriteFault(Strict):
    """One kind of difference between what was acknowledged and what is stored."""

    kind: Literal["missing", "doubled", "altered", "unasked"]
    count: int
    example: str


class Audit(Strict):
    """Stored rows compared with acknowledged requests."""

    acknowledged: int
    stored: int
    faults: list[WriteFault]
