"""Generators in turn at a server of one protocol: what an answer costs each, and what they state where it pauses."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeVar

from benches.bench import Bench, Table, in_turn, scratch
from benches.document import milliseconds, table
from benches.load import Command, Finished, Load, Percentiles, Tool
from benches.processes import pausing, run
from benches.tables.alternation import Row, spread
from benches.tools import engine

Outcome = TypeVar("Outcome")
OURS = "fairtrial (io_uring)"
PAUSE_P99_MS = 90.0
"""By arithmetic: of all answers a tenth are due in a pause of 100 ms, and 1% wait for longer than this."""


class Server(Protocol):
    """A server that runs."""

    pid: int

    @property
    def address(self) -> str:
        """Host and port."""


@dataclass(frozen=True, eq=False)
class Way:
    """What a generator does at the server."""

    name: str
    command: Callable[[Bench, Load], Command]
    answered: Callable[[Finished], int]
    percentiles: Callable[[Finished], Percentiles] | None  # None: it keeps no rate
    tool: Tool | None = None  # None: ours


@dataclass(frozen=True)
class Contest:
    """One load on one server. The first way is that to which the others are compared."""

    name: str
    server: Callable[[Bench, Path], AbstractContextManager[Server]]  # with an empty folder
    ways: Sequence[Way]
    connections: int
    rate_per_second: float
    streams: int = 0
    tls: bool = False
    lack: Callable[[], str | None] = lambda: None  # why it cannot be measured

    @property
    def runs(self) -> int:
        """Of generators, in a round."""
        return sum(1 if way.percentiles is None else 2 for way in self.ways)

    def text(self, bench: Bench, tools: Sequence[Tool]) -> str:
        """Both tables."""
        if why := self.lack():
            return f"{self.name}: not measured, as {why}."
        ways = [way for way in self.ways if way.tool is None or way.tool in tools]
        why_not = {way: why for way in ways if way.tool and (why := self._why_not(bench, way))}
        able = [way for way in ways if way not in why_not]
        costs, pauses = self._costs(bench, able), self._pauses(bench, able)
        what = f"At {self.rate_per_second:g} a second, the server pauses for 100 ms in each second:"
        told = [f"Left out is {way.name}, which {why}" for way, why in why_not.items()]
        return "\n\n".join([f"{self.name}:", costs, what, pauses, *told])

    def _why_not(self, bench: Bench, way: Way) -> str | None:
        """Why a peer cannot do this: it may be built without."""
        try:
            _, answers = self._run(replace(bench, seconds=1.0), way, None, way.answered)
        except (RuntimeError, ValueError, LookupError) as error:
            return f"cannot do this: {' '.join(str(error).split())}"
        return None if answers else "has no answer"

    def _costs(self, bench: Bench, ways: Sequence[Way]) -> str:
        rows = {way.name: Row(way.name) for way in ways}
        for number in range(bench.rounds):
            for way in in_turn(ways, number):
                finished, answers = self._run(bench, way, None, way.answered)
                row = rows[way.name]
                row.costs_us.append(finished.cpu_seconds / answers * 1e6)
                row.per_second.append(answers / bench.seconds)
                bench.report(f"{self.name}, round {number + 1}: {way.name} {row.costs_us[-1]:.2f} µs an answer")
            first = rows[ways[0].name]
            for row in rows.values():
                row.cost_ratios.append(first.costs_us[-1] / row.costs_us[-1])
        over = "the first over it, paired"
        return table(
            ["generator", "CPU per answer, µs (median)", "lowest to highest", over, "lowest to highest", "answers/s"],
            [
                [
                    row.name,
                    f"{statistics.median(row.costs_us):.2f}",
                    spread(row.costs_us),
                    f"{statistics.median(row.cost_ratios):.2f}",
                    spread(row.cost_ratios),
                    f"{statistics.median(row.per_second):,.0f}",
                ]
                for row in rows.values()
            ],
        )

    def _pauses(self, bench: Bench, ways: Sequence[Way]) -> str:
        stated: dict[str, list[Percentiles]] = {way.name: [] for way in ways if way.percentiles}
        for number in range(bench.rounds):
            for way in in_turn(ways, number):
                if way.percentiles is None:
                    continue
                _, percentiles = self._run(bench, way, self.rate_per_second, way.percentiles)
                stated[way.name].append(percentiles)
                bench.report(f"{self.name}, pauses, round {number + 1}: {way.name} p99 {percentiles.p99} ms")

        def median(of: Sequence[float | None]) -> str:
            values = [value for value in of if value is not None]
            return milliseconds(statistics.median(values) if values else None)

        return table(
            ["generator", "p50, ms (median)", "p99, ms (median)", "by arithmetic"],
            [
                [name, median([each.p50 for each in all_]), median([each.p99 for each in all_]), f"{PAUSE_P99_MS:g}"]
                for name, all_ in stated.items()
            ],
        )

    def _run(
        self, bench: Bench, way: Way, rate_per_second: float | None, read: Callable[[Finished], Outcome]
    ) -> tuple[Finished, Outcome]:
        """One generator once, and what is read of its outcome; at a rate, while the server pauses."""
        with ExitStack() as stack:
            folder, of_server = stack.enter_context(scratch()), stack.enter_context(scratch())
            server = stack.enter_context(self.server(bench, of_server))
            if rate_per_second is not None:
                stack.enter_context(pausing(server.pid))
            load = Load(
                address=server.address,
                connections=self.connections,
                seconds=bench.seconds,
                rate_per_second=rate_per_second,
                scratch=folder,
                streams=self.streams,
                tls=self.tls,
            )
            finished = run(way.command(bench, load), load, [bench.generator_cpu])
            return finished, read(finished)


def ours(
    changes: Mapping[str, object],
    *,
    name: str = OURS,
    driver: str = "io_uring",
    percentiles: Callable[[Finished], Percentiles] | None = engine.percentiles,
) -> Way:
    """The engine with these changes to its plan of one GET."""

    def command(bench: Bench, load: Load) -> Command:
        return Command([str(bench.engine), "run"], engine.plan(load, driver, changes=changes))

    return Way(name, command, engine.verified, percentiles)


def theirs(
    tool: Tool,
    command: Callable[[Load], Command],
    answered: Callable[[Finished], int],
    percentiles: Callable[[Finished], Percentiles] | None = None,
    *,
    name: str = "",
) -> Way:
    """A peer; `name`: by default its own."""
    return Way(name or tool.name, lambda _, load: command(load), answered, percentiles, tool)


def table_of(name: str, facts: str, contests: Sequence[Contest]) -> Table:
    """A table of these contests."""
    peers = [way.tool for contest in contests for way in contest.ways]
    return Table(
        name=name,
        rounds=4,
        seconds=4.0,
        facts=facts,
        runs=sum(contest.runs for contest in contests),
        compares=lambda tool: tool in peers or (tool.is_ours and tool.name == OURS),
        text=lambda bench, tools: "\n\n".join(contest.text(bench, tools) for contest in contests),
    )
