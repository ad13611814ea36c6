"""Records of one locked experiment, pooled over machines."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from fairtrial.base.problem import Problem
from fairtrial.commands import app
from fairtrial.judge.judging import judge_record
from fairtrial.judge.model import Result
from fairtrial.record.model import ExperimentRecord, ProgramRun, TrialRecord
from fairtrial.record.write import RecordWriter
from fairtrial.tools.pool.claims import PooledClaim, pool_claims
from fairtrial.tools.pool.document import pool_document
from fairtrial.tools.pool.lines import pool_lines
from fairtrial.tools.pool.machines import lock_digest, read_machines
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of
from tests.lines import line_with

NOISE = (1.0, 1.004, 0.997, 1.002, 0.999)
HONEST = (1.16, 1.18, 1.15, 1.17, 1.19)
"""Ratios of a to b, a machine each."""


def experiment(at_least: float = 1.1) -> ExperimentBuilder:
    return an_experiment("a", "b").claiming("a", "b", at_least=at_least)


def on_machine(ratio: float, record: ExperimentRecord, speed: float = 1.0) -> Sequence[TrialRecord]:
    """A run on a machine where a is `ratio` times as fast as b, and both are `speed` times as fast as elsewhere."""

    def make(contender: str, block: int) -> TrialBuilder:
        rate = round(4000 * speed * NOISE[block % 5] * (ratio if contender == "a" else 1))
        return a_trial().serving(rate).taking(16 / rate * (1 + 1e-6 * block + 1e-7 * (contender == "a")))

    return trials_of(record, make)


def write(folder: Path, record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Path:
    folder.mkdir(parents=True)
    with RecordWriter(folder) as writer:
        for line in (record, *trials):
            writer.append(line)
    return folder


def of_machine(record: ExperimentRecord, machine: str | None, cpus: int = 2) -> ExperimentRecord:
    return record.model_copy(update={"host": record.host.model_copy(update={"machine": machine, "cpus": cpus})})


def folders(tmp_path: Path, ratios: Sequence[float], builder: ExperimentBuilder | None = None) -> list[Path]:
    record = (builder or experiment()).record()
    return [
        write(tmp_path / f"m{number}", of_machine(record, f"m{number}"), on_machine(ratio, record, speed=number))
        for number, ratio in enumerate(ratios, 1)
    ]


def pooled(places: Sequence[Path], lies: int = 1) -> PooledClaim:
    (claim,) = pool_claims(read_machines(places, {}), lies)
    return claim


def test_machines_of_any_speed_have_one_answer(tmp_path: Path) -> None:
    claim = pooled(folders(tmp_path, HONEST))
    assert claim.verdict == "upheld"
    assert claim.estimate == pytest.approx(1.17, rel=0.005)
    assert claim.interval is not None and 1.1 < claim.interval[0] < 1.16 and 1.18 < claim.interval[1] < 1.25
    assert [each.machine for each in claim.machines] == ["m1", "m2", "m3", "m4", "m5"]


def test_a_machine_that_disagrees_is_named_and_does_not_decide(tmp_path: Path) -> None:
    claim = pooled(folders(tmp_path, [*HONEST, 0.4]))
    assert [each.machine for each in claim.disagreeing] == ["m6"]
    assert claim.estimate == pytest.approx(1.17, rel=0.005), "without it, as one may lie"
    assert claim.interval is not None and claim.interval[0] < 1.1, "but what it says is in the interval"
    assert claim.verdict == "undecided"


def test_one_liar_cannot_buy_a_verdict(tmp_path: Path) -> None:
    """By far the best machine of five, and four that are short of the bound on average."""
    ratios = [1.08, 1.12, 1.09, 1.11, 3.0]
    assert pooled(folders(tmp_path, ratios)).verdict == "undecided"


def test_three_machines_are_pooled_if_none_lies_and_two_are_not(tmp_path: Path, snapshot: object) -> None:
    three = folders(tmp_path, HONEST[:3])
    assert pooled(three, lies=0).verdict == "upheld"
    claim = pooled(three, lies=1)
    assert (claim.verdict, claim.estimate) == ("undecided", None)
    assert claim.reason == snapshot
    assert pooled(three[:2], lies=0).reason == snapshot


def test_an_interval_that_is_open_below_is_not_pooled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: object
) -> None:
    """As that of a percentile's ratio where the rival's rests on one or two groups of slow answers."""

    def judge(record: ExperimentRecord, trials: Sequence[TrialRecord]) -> Result:
        result = judge_record(record, trials)
        if record.host.machine != "m1":
            return result
        claims = [each.model_copy(update={"interval": (0.0, 1.3)}) for each in result.claims]
        return result.model_copy(update={"claims": claims})

    monkeypatch.setattr("fairtrial.tools.pool.machines.judge_record", judge)
    places = folders(tmp_path, HONEST)
    record = of_machine(experiment().record(), "m1")
    again = write(tmp_path / "m1-again", record, on_machine(1.16, record, speed=9))
    for odd in ([], [again]):
        claim = pooled([*places, *odd])
        assert (claim.verdict, claim.machines[0].estimate) == ("upheld", None)
    assert pooled(places[:3], lies=0).reason == snapshot


def test_too_many_ways_to_lie_are_refused(tmp_path: Path, snapshot: object) -> None:
    machines = read_machines(folders(tmp_path, HONEST), {})
    with pytest.raises(Problem) as error:
        pool_claims(machines * 10, 10)
    assert str(error.value) == snapshot


def test_equal_is_an_answer_over_machines_too(tmp_path: Path) -> None:
    claim = pooled(folders(tmp_path, [1.0, 1.002, 0.999, 1.001, 0.998], experiment(at_least=1.02)))
    assert claim.verdict in ("refuted", "equal") and claim.estimate == pytest.approx(1.0, abs=0.003)
    equal = an_experiment("a", "b").stating("equal", of="a", to="b", within=0.05)
    claim = pooled(folders(tmp_path / "equal", [1.0, 1.002, 0.999, 1.001, 0.998], equal))
    assert claim.verdict == "upheld"
    claim = pooled(folders(tmp_path / "apart", [1.2, 1.21, 1.19, 1.2, 1.22], equal))
    assert claim.verdict == "refuted"


def test_what_is_about_one_machine_is_counted_and_not_pooled(tmp_path: Path) -> None:
    budget = an_experiment("a", "b").stating("budget", of="a", at_least="100 /s")
    claim = pooled(folders(tmp_path, HONEST, budget))
    assert (claim.verdict, claim.estimate) == (None, None)
    assert claim.verdicts_in_words == "upheld on 5"


CHANGES: Mapping[str, Mapping[str, object]] = {
    "experiment: concurrency_budget was 16 and is 8": {"experiment": {"concurrency_budget": 8}},
    "lab: engine was": {"engine_version": "another"},
}


@pytest.mark.parametrize("difference", CHANGES)
def test_runs_of_another_experiment_are_refused_with_the_key(difference: str, tmp_path: Path) -> None:
    record = experiment().record()
    change = dict(CHANGES[difference])
    if isinstance(keys := change.get("experiment"), Mapping):
        change["experiment"] = record.experiment.model_copy(update=dict(keys))
    other = record.model_copy(update=change)
    places = [*folders(tmp_path, HONEST), write(tmp_path / "other", other, on_machine(1.2, other))]
    with pytest.raises(Problem, match=difference):
        read_machines(places, {})


def test_another_program_under_the_same_name_is_refused(tmp_path: Path) -> None:
    record = experiment().record()
    stacks = [record.stacks[0].model_copy(update={"content_sha256": "f" * 64}), *record.stacks[1:]]
    other = record.model_copy(update={"stacks": stacks})
    places = [*folders(tmp_path, HONEST), write(tmp_path / "other", other, on_machine(1.2, other))]
    with pytest.raises(Problem, match="program: a was"):
        read_machines(places, {})


def test_words_seed_and_number_of_blocks_are_each_machines_own() -> None:
    record = experiment().record()
    own = record.experiment.model_copy(update={"seed": 77, "summary": "ours", "blocks": 30})
    assert lock_digest(record) == lock_digest(record.model_copy(update={"experiment": own}))


def test_one_run_is_one_machine_however_often_it_is_given(tmp_path: Path) -> None:
    """Also under another host's name and another time, as a copy would be that is to pass for a machine."""
    record = experiment().record()
    trials = on_machine(1.2, record)
    host = record.host.model_copy(update={"cpu_model": "another"})
    copy = record.model_copy(update={"started_at": "2030-01-01T00:00:00Z", "host": host})
    places = [write(tmp_path / "one", record, trials), write(tmp_path / "two", copy, trials)]
    with pytest.raises(Problem, match="has the trials of"):
        read_machines(places, {})


def test_a_run_without_its_last_block_is_no_further_machine(tmp_path: Path, snapshot: object) -> None:
    record = experiment().record()
    trials = on_machine(1.2, record)
    places = [write(tmp_path / "one", record, trials), write(tmp_path / "two", record, trials[:-2])]
    with pytest.raises(Problem) as error:
        read_machines(places, {})
    assert str(error.value) == snapshot


def test_a_trial_that_stands_twice_in_a_run_is_refused(tmp_path: Path) -> None:
    """Blocks written down again would narrow the interval of a machine."""
    record = experiment().record()
    trials = on_machine(1.2, record)
    copies = [trial.model_copy(update={"index": trial.index + 20, "block": trial.block + 5}) for trial in trials[:2]]
    with pytest.raises(Problem, match="has a trial twice"):
        read_machines([write(tmp_path / "one", record, [*trials, *copies])], {})


def test_trials_of_which_nothing_was_measured_are_no_copies(tmp_path: Path) -> None:
    record = experiment().record()
    down = trials_of(record, a_trial().failing("start", "it ended"))
    places = [write(tmp_path / name, record, down) for name in ("one", "two")]
    assert [each.name for each in read_machines(places, {})] == ["one"], "of one host, and without figures"


def test_runs_of_programs_are_told_apart_by_what_was_measured_of_them(tmp_path: Path) -> None:
    """The engine has no part in them."""
    record = experiment().record()
    (down,) = trials_of(record, a_trial().failing("start", "it ended"))[:1]

    def place(name: str, seconds: float) -> Path:
        run = ProgramRun(operations=100, seconds=seconds, exit_status=0)
        return write(tmp_path / name, record, [down.model_copy(update={"failure": None, "program": run})])

    places = [place("one", 1.25), place("two", 1.5), place("three", 1.25)]
    read_machines(places[:2], {})
    with pytest.raises(Problem, match="three has the trials of"):
        read_machines(places, {})


def test_a_record_that_breaks_the_judge_is_refused(tmp_path: Path) -> None:
    record = experiment().record()
    broken = record.model_copy(update={"conditions": record.conditions[1:]})
    with pytest.raises(Problem, match="broken cannot be judged: RuntimeError"):
        read_machines([write(tmp_path / "broken", broken, on_machine(1.2, record))], {})


def test_a_condition_that_stands_for_another_program_is_refused(tmp_path: Path, snapshot: object) -> None:
    """The same trials under exchanged names would turn the answer round."""
    record = experiment().record()
    first, second = record.conditions
    exchanged = [
        first.model_copy(update={"stack": second.stack, "contender": second.contender}),
        second.model_copy(update={"stack": first.stack, "contender": first.contender}),
    ]
    other = record.model_copy(update={"conditions": exchanged})
    places = [*folders(tmp_path, HONEST[:2]), write(tmp_path / "other", other, on_machine(1.3, record))]
    with pytest.raises(Problem) as error:
        read_machines(places, {})
    assert str(error.value) == snapshot


def test_folders_of_one_name_are_told_apart(tmp_path: Path) -> None:
    record = experiment().record()
    places = [
        write(tmp_path / who / "run", of_machine(record, who), on_machine(1.2, record, speed))
        for who, speed in (("a", 1), ("b", 2))
    ]
    assert [machine.name for machine in read_machines(places, {})] == ["a/run", "b/run"]


def test_who_signed_more_machines_than_may_lie_is_named(tmp_path: Path, snapshot: object) -> None:
    """Whose machines lie together, and whose runs are one machine."""
    places = folders(tmp_path, HONEST)
    record = of_machine(experiment().record(), "m5")
    again = write(tmp_path / "again", record, on_machine(1.19, record, speed=5.5))
    who = ["ada", "eve", "eve", "bob", "bob", "carol"]
    machines = read_machines([*places, again], dict(zip([*places, again], who, strict=True)))
    assert [each.signers for each in machines] == [["ada"], ["eve"], ["eve"], ["bob"], ["bob", "carol"]]
    lines = "\n".join(pool_lines(pool_document(machines, pool_claims(machines, 1), 1)))
    assert line_with(lines, "Signed by ada") == snapshot
    assert line_with(lines, "If one of") == snapshot
    assert "Signed" not in "\n".join(pool_lines(pool_document(read_machines(places, {}), [], 1)))


def test_what_is_said_of_a_claim_stays_below_it_at_80_columns(tmp_path: Path) -> None:
    places = folders(tmp_path, [*HONEST, 0.4])
    done = CliRunner().invoke(app, ["pool", *map(str, places)], env={"COLUMNS": "80", "NO_COLOR": "1"})
    lines = done.output.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith("  ") and "on 6 machines" in line)
    end = next(number for number, line in enumerate(lines) if line.startswith("Intervals are"))
    of_claim = [line for line in lines[start:end] if line.strip()]
    assert len(of_claim) > 2 and all(line.startswith("  ") and len(line) <= 80 for line in of_claim), done.output


def test_the_command_prints_a_screen_and_writes_documents(tmp_path: Path, snapshot: object) -> None:
    places = folders(tmp_path, [*HONEST, 0.9])
    out, rows = tmp_path / "pool.json", tmp_path / "pool.csv"
    done = CliRunner().invoke(app, ["pool", *map(str, places), "--json", str(out), "--csv", str(rows)])
    assert done.exit_code == 3
    assert re.sub(r"locked as \w+", "locked as DIGEST", done.output) == snapshot
    document = json.loads(out.read_text())
    assert document["schema"] == "fairtrial/pool" and len(document["machines"]) == 6 and document["lies"] == 1
    assert len(rows.read_text().splitlines()) == 7
    assert CliRunner().invoke(app, ["pool", *map(str, places[:5])]).exit_code == 0
    assert isinstance(CliRunner().invoke(app, ["pool", str(tmp_path / "none")]).exception, Problem)


def test_runs_of_one_machine_are_one_machine(tmp_path: Path) -> None:
    """Known by its digest, without one by what else is told of it; held to other processors it is another one."""
    record = experiment().record()
    ids = ["m", "m", "n", None, None]
    places = []
    for number, (ratio, machine) in enumerate(zip([1.2, 1.08, 1.15, 1.16, 1.17], ids, strict=True)):
        own = of_machine(record, machine)
        places.append(write(tmp_path / f"m{number}", own, on_machine(ratio, own, speed=number + 1)))
    held = of_machine(record, "m", cpus=1)
    places.append(write(tmp_path / "held", held, on_machine(1.14, held, speed=9)))
    machines = read_machines(places, {})
    assert [(each.name, each.runs) for each in machines] == [("m0", 2), ("m2", 1), ("m3", 2), ("held", 1)]
    first = pool_claims(machines, 1)[0].machines[0]
    mean = (1.2 * 1.08) ** 0.5
    assert first.estimate == pytest.approx(mean, rel=0.002)
    assert first.verdict == "undecided", "one run upheld it, and the other one refuted it"
    assert first.lower is not None and first.upper is not None and first.lower < mean < first.upper
    assert machines[0].properties["processors of load and server"] == "1 and 1"
