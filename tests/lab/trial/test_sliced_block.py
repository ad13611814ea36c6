"""Blocks in slices: which rounds are tried, and who is blamed if one of a block cannot be measured."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from fairtrial.lab.meters import slice_watch
from fairtrial.lab.meters.memory_room import MemoryRoom
from fairtrial.lab.meters.slice_watch import IdleUse, SliceMeter
from fairtrial.lab.placement import local_placement
from fairtrial.lab.trial import sliced_block
from fairtrial.lab.trial.environment import trial_environment
from fairtrial.lab.trial.events import Notice
from fairtrial.lab.trial.flow import Workbench, new_record
from fairtrial.lab.trial.sliced_block import SlicedBlocks
from fairtrial.lab.trial.up import NotUp
from fairtrial.lab.trial.whole_window import needs_whole_windows
from fairtrial.plan.plan import Plan, PlannedTrial
from fairtrial.record.engine_summary import EngineSummary
from fairtrial.record.model import Clause, Failure, TrialRecord
from tests.builders import a_trial
from tests.builders.figures import calm_machine, calm_network
from tests.plan.plans import planned_contender, without_spare


class Machine:
    """Servers that are never started, on a machine where others use what `foreign` says, slice after slice."""

    def __init__(self, foreign: Sequence[float], idle: float = 0.0) -> None:
        self.foreign, self.idle = list(foreign), idle
        self.slices: list[tuple[str, int]] = []
        self.up_at_once = 0
        self.seconds: list[float] = []
        self.broken: str | None = None
        self.busy: str | None = None
        self.used = 0.0
        self.whole: list[int] = []
        self.notices: list[str] = []

    @contextmanager
    def up(self, context: Any) -> Iterator[Any]:
        if self.broken == context.condition.label:
            raise NotUp(Failure(stage="start", reason="it does not start", remedy="mend it"))
        deployment = SimpleNamespace(
            roots=[context.condition.label], status=lambda: None, listening=lambda: None, address="127.0.0.1:1"
        )
        contract = [Clause(name="x", requirement="", passed=True, evidence="")]
        self.up_at_once += 1
        try:
            yield SimpleNamespace(context=context, deployment=deployment, contract=lambda: contract)
        finally:
            self.up_at_once -= 1

    def proof(self, *_: Any) -> Any:
        return SimpleNamespace(begin=lambda: None, end=lambda: None, conclude=lambda: None, release=lambda: None)

    def cpu_seconds(self, *servers: str) -> tuple[float, float]:
        self.used += self.busy in servers
        return self.used if self.busy in servers else 0.0, 0.0

    def engine(self, each: Any, changes: Any, *, draw: int, on_part: Any = None, **_: Any) -> Any:
        if draw:
            self.seconds.append(changes["duration_seconds"])
            self.slices.append((each.context.condition.label, draw))
            on_part(draw)
        return a_trial().but(window=0.4).record().engine.model_copy(update={"picks": None})

    def run_trial(self, trial: PlannedTrial, workbench: Workbench) -> TrialRecord:
        assert workbench.watcher == self.notice
        self.whole.append(trial.block)
        return new_record(trial)

    def notice(self, event: Any) -> None:
        if isinstance(event, Notice):
            self.notices.append(event.text)

    def in_turn(self, parts: Sequence[Any]) -> Any:
        return a_trial().but(window=0.4 * len(parts)).record().engine

    def measured(self) -> SliceMeter:
        meter = a_trial().but(window=0.4).record().server
        assert meter is not None
        foreign = self.foreign[(len(self.slices) - 1) % len(self.foreign)]
        beside = [IdleUse(self.idle)] * (self.up_at_once - 1)
        return SliceMeter(meter, calm_machine(0.4), calm_network(), beside, foreign, 0.0)


@pytest.fixture
def plan() -> Plan:
    """Two blocks of two conditions, four rounds each."""
    return planned_in_slices()


def planned_in_slices(blocks: int = 2, **slices: Any) -> Plan:
    load = {"kind": "closed", "warmup_seconds": 0.1, "duration_seconds": 1.6}
    contender = {"directory": ".", "command": ["true"]}
    return without_spare(planned_contender(contender, load=load, blocks=blocks, slices=slices, noise_floor=True))


def tried(
    plan: Plan, machine: Machine, monkeypatch: pytest.MonkeyPatch, folder: Path, holds: int = 99
) -> list[TrialRecord]:
    """The records of all trials of the plan, on this machine, whose memory holds so many at once."""
    monkeypatch.setattr(MemoryRoom, "is_full", lambda _room: machine.up_at_once >= holds)
    watch = SimpleNamespace(open=lambda: None, close=lambda: None, result=lambda _summary: machine.measured())
    monkeypatch.setattr(sliced_block, "up", machine.up)
    monkeypatch.setattr(sliced_block, "SliceWatch", lambda *_: watch)
    monkeypatch.setattr(sliced_block, "_engine", machine.engine)
    monkeypatch.setattr(sliced_block, "in_turn", machine.in_turn)
    monkeypatch.setattr(sliced_block, "SliceProof", machine.proof)
    monkeypatch.setattr(sliced_block, "run_trial", machine.run_trial)
    monkeypatch.setattr(slice_watch, "cpu_seconds_below", machine.cpu_seconds)
    monkeypatch.setattr(sliced_block, "IDLE_SECONDS", 0.001)
    monkeypatch.setattr(sliced_block, "bound_to", lambda _cpus: _nothing())
    ready: Any = SimpleNamespace(folder=folder, failure=None)
    names = {condition.build_name for condition in plan.conditions}
    with trial_environment(plan, local_placement()) as services:
        ready_stacks = {(name, 1): ready for name in names}
        blocks = SlicedBlocks(plan, Workbench(ready_stacks, services, folder, machine.notice))
        return [blocks.run(trial) for trial in plan.trials()]


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def test_each_round_has_one_slice_of_each_in_an_order_that_is_drawn(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine = Machine([0.0])
    records = tried(plan, machine, monkeypatch, tmp_path)
    pairs = [machine.slices[at : at + 2] for at in range(0, len(machine.slices), 2)]
    assert all({name for name, _ in pair} == {"app", "app again"} for pair in pairs)
    assert [pair[0][1] for pair in pairs] == [1, 2, 3, 4] * 2
    assert len({pair[0][0] for pair in pairs}) == 2
    assert all(record.engine is not None and record.slices is not None for record in records)
    again = Machine([0.0])
    tried(plan, again, monkeypatch, tmp_path)
    assert again.slices == machine.slices, "the seed decides the order"


def five_in_groups(**slices: Any) -> Plan:
    """One block of five contenders, of which claims compare the first with the last, and the two before."""
    names = list("abcde")
    contenders = {name: {"directory": ".", "command": ["true"]} for name in names}
    keys = {"kind": "ratio", "text": "c", "metric": "goodput", "at_least": 1}
    claims = [{"id": of + to, "of": of, "to": to, **keys} for of, to in ("ae", "cd")]
    load = {"kind": "closed", "warmup_seconds": 0.1, "duration_seconds": 1.2}
    more = {"stacks": names, "contenders": contenders, "claims": claims, "load": load, "blocks": 2}
    return without_spare(planned_contender({"directory": "."}, **more, slices=slices))


@pytest.mark.parametrize(("together", "holds", "most"), [(3, 99, 3), (6, 3, 3), (6, 2, 2), (3, 1, 1)])
def test_more_than_can_be_up_at_once_are_measured_in_groups_and_those_that_are_compared_together(
    together: int, holds: int, most: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """More than the experiment allows, or than the memory holds."""
    machine = Machine([0.0])
    records = tried(five_in_groups(together=together), machine, monkeypatch, tmp_path, holds)
    for record in records:
        assert record.engine is not None and record.slices is not None and record.slices.beside is not None
        up = {each.partition("/")[0] for each in (record.condition, *record.slices.beside)}
        assert len(up) <= most
        assert most == 1 or all((pair <= up) == bool(pair & up) for pair in ({"a", "e"}, {"c", "d"}))
    rounds = [[name for name, number in machine.slices if number == each] for each in (1, 2, 3)]
    assert all(sorted(names) == sorted(2 * list("abcde")) for names in rounds)
    assert machine.up_at_once == 0


def test_a_round_with_foreign_load_in_one_of_its_slices_is_left_out_as_a_whole(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Of each block the first round, whose second slice is hit."""
    records = tried(plan, Machine([0.0, 0.5, *[0.0] * 6]), monkeypatch, tmp_path)
    for record in records:
        assert record.slices is not None and record.engine is not None
        assert [each.kept for each in record.slices.slices] == [False, True, True, True]
        assert record.engine.window_seconds == pytest.approx(1.2)


def test_on_a_machine_that_is_never_quiet_and_never_even_each_block_has_rounds_to_spare_and_no_figures(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine = Machine([0.0, 0.9])
    records = tried(plan, machine, monkeypatch, tmp_path)
    assert len(machine.slices) == 2 * (2 * (4 + 4)), "two blocks of two, each with as many rounds again as planned"
    for record in records:
        assert record.failure is None and record.engine is None
        assert record.slices is not None and record.slices.kept_rounds == 0


def test_a_server_that_is_never_idle_is_named_and_nothing_is_measured(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    machine = Machine([0.0])
    machine.busy = "app again"
    records = tried(plan, machine, monkeypatch, tmp_path)
    assert machine.slices == []
    for record in records:
        if record.condition.endswith("again"):
            assert record.failure is None and record.slices is not None and record.slices.idle_processors > 0.5
        else:
            assert record.failure is not None and "in turn with app again" in record.failure.reason


def test_who_could_not_be_measured_is_named_by_those_beside_it(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: object
) -> None:
    machine = Machine([0.0])
    machine.broken = "app again"
    records = tried(plan, machine, monkeypatch, tmp_path)
    by_condition = {record.condition: record.failure for record in records}
    whole, broken = by_condition["app/default/plaintext/none"], by_condition["app/default/plaintext/none/again"]
    assert broken is not None and (broken.stage, broken.reason) == ("start", "it does not start")
    assert whole is not None and whole.stage == "crowded"
    assert whole.reason == snapshot


def test_tails_have_a_whole_window_after_the_rounds_under_the_same_rule(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """In the first block others are at work in one of the two whole windows, which then count for neither."""
    quiet_block, disturbed_block = [0.0] * 10, [*[0.0] * 9, 0.2]
    machine = Machine([*disturbed_block, *quiet_block])
    records = tried(planned_in_slices(tails=True), machine, monkeypatch, tmp_path)
    assert machine.seconds == pytest.approx([*[0.4] * 8, 1.6, 1.6] * 2)
    assert [number for _, number in machine.slices[8:10]] == [5, 5], "both are sent the same"
    windows = [record.slices.whole_window for record in records if record.slices is not None]
    assert [window is not None and window.is_kept for window in windows] == [False, False, True, True]
    assert sorted(window.foreign_server_share for window in windows[:2] if window is not None) == [0.0, 0.2]
    for record in records:
        slices = record.slices
        assert slices is not None and record.engine is not None
        assert len(slices.slices) == slices.kept_rounds == 4 and not slices.tails_of_slices
        assert record.engine.window_seconds == pytest.approx(1.6), "the figures are those of the slices"
    assert {window.place for window in windows if window is not None} == {1, 2}


def test_a_block_without_figures_and_an_experiment_that_asks_for_no_tails_have_no_whole_window(
    plan: Plan, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    without = Machine([0.0])
    tried(plan, without, monkeypatch, tmp_path)
    crowded = Machine([0.0, 0.9])
    tried(planned_in_slices(tails=True), crowded, monkeypatch, tmp_path)
    assert set(without.seconds) == set(crowded.seconds) == {0.4}


@pytest.mark.parametrize(("metric", "expected"), [("response_time_p95", True), ("response_time_p50", False)])
def test_a_claim_about_tails_asks_for_them(metric: str, expected: bool) -> None:
    claim = {"id": "c", "kind": "ratio", "text": "c", "of": "a", "to": "b", "metric": metric, "at_most": 2}
    contenders = {name: {"directory": ".", "command": ["true"]} for name in ("a", "b")}
    planned = planned_contender({"directory": "."}, stacks=["a", "b"], contenders=contenders, slices={}, claims=[claim])
    assert needs_whole_windows(planned.experiment) is expected


def test_slices_that_give_way_end_where_a_server_is_never_idle_or_the_first_blocks_are_crowded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, snapshot: object
) -> None:
    def sliced_and_whole(machine: Machine, blocks: int, **slices: Any) -> tuple[int, list[int], list[str]]:
        plan = planned_in_slices(blocks, **slices)
        records = tried(plan, machine, monkeypatch, tmp_path)
        return sum(record.slices is not None for record in records), machine.whole, machine.notices

    busy, crowded, quiet = Machine([0.0]), Machine([0.0, 0.9]), Machine([0.0])
    busy.busy = "app again"
    of_busy = sliced_and_whole(busy, 2, gives_way=True)
    assert of_busy[:2] == (2, [2, 2])
    of_crowded = sliced_and_whole(crowded, 3, gives_way=True)
    assert of_crowded[:2] == (4, [3, 3])
    assert [of_busy[2][0].partition(" used ")[0], *of_crowded[2]] == snapshot
    assert sliced_and_whole(quiet, 3, gives_way=True) == (6, [], [])
    assert sliced_and_whole(Machine([0.0, 0.9]), 3) == (6, [], [])


def test_the_load_before_a_slice_is_longer_where_connections_or_requests_wait(plan: Plan) -> None:
    """A real accept queue, which is full with the second connection."""
    summary = a_trial().serving(100.0).record().engine
    assert summary is not None
    load = plan.conditions[0].load.model_copy(update={"connections": 50})

    def lead_seconds(answers_per_second: float, connections: int) -> tuple[float, float]:
        answers = round(answers_per_second * summary.window_seconds)
        runs = [summary.model_copy(update={"answers": answers})]
        context = SimpleNamespace(condition=SimpleNamespace(load=load), engine_runs=runs)
        each: Any = sliced_block._Condition(SimpleNamespace(context=context), None, None, None)  # type: ignore[arg-type]
        with socket.create_server(("127.0.0.1", 0), backlog=0) as listening, ExitStack() as clients:

            def connect(*_: Any) -> EngineSummary:
                for _number in range(connections):
                    client = clients.enter_context(socket.socket())
                    client.setblocking(False)
                    client.connect_ex(listening.getsockname())
                return runs[0]

            each.proof = SimpleNamespace(run=connect)
            sliced_block._engine(each, {}, draw=1)
        kept_seconds = sliced_block._lead_seconds(each, sliced_block.KEPT_LEAD_SECONDS)
        return sliced_block._lead_seconds(each, each.least_lead_seconds), kept_seconds

    kept = sliced_block.KEPT_LEAD_SECONDS
    assert lead_seconds(10_000.0, 1) == (sliced_block.LEAD_SECONDS, kept)
    assert lead_seconds(100.0, 1) == pytest.approx((0.5, 0.5))
    assert lead_seconds(1.0, 1) == (sliced_block.LONGEST_LEAD_SECONDS,) * 2
    assert lead_seconds(10_000.0, 8) == (sliced_block.BACKLOG_LEAD_SECONDS, kept)
