"""Runs that go on until their claims are decided, and the noise floor, on real servers."""

import pytest

from fairtrial.catalog.stacks.unprivileged_user import LABS, VARIABLE
from fairtrial.judge.checks.model import Finding
from fairtrial.judge.judging import judge
from fairtrial.judge.statistics.causes import Causes
from fairtrial.lab.decide import EVENED_OUT, WhenDecided, is_decidable, needs_blocks
from tests.builders import a_trial, an_experiment, trials_of
from tests.command_line import Lab

CLAIMS = """
[[claims]]
id = "plain"
kind = "budget"
text = "It answers at all"
of = "tried"
at_least = "{at_least}/s"
[checks.too-few-answers]
verified = 1
"""


def test_what_is_decided_at_the_first_look_ends_there(lab: Lab) -> None:
    name = lab.stack("tried")
    file = lab.experiment(name, blocks=3, more=CLAIMS.format(at_least=0.001))
    finished = lab.fairtrial("run", file, *lab.named(name), "--minutes", "5")
    result = finished.result
    assert (result["blocks_complete"], result["blocks_planned"], result["interrupted"]) == (5, 5, False)
    assert result["claims"][0]["verdict"] == "upheld"
    assert 0.95 < result["level"] < 1
    assert finished.record[0]["looks"] == [5, 13, 32, 80, 200]
    assert finished.record[0]["looks_from_clock"] is True
    assert result["looks"][0] == 5 and 5 < result["looks"][-1] <= 200
    assert finished.results
    again = lab.fairtrial("judge", finished.results)
    assert again.status == finished.status == 0


def test_what_cannot_be_decided_ends_with_the_time(lab: Lab) -> None:
    """One of the two is ten times as slow at every other start: a few blocks show neither alike nor different."""
    lab.environment[VARIABLE] = LABS  # a user of its own may not write to the folder in which it counts its starts
    names = [lab.stack("steady"), lab.stack("moody", "moody")]
    claim = """
[[claims]]
id = "alike"
kind = "equal"
text = "Both serve alike, to a third"
of = "steady"
to = "moody"
within = 0.3
"""
    file = lab.experiment(*names, blocks=3, more=claim)
    finished = lab.fairtrial("run", file, *lab.named(*names), "--minutes", "0.2")
    result = finished.result
    assert result["claims"][0]["verdict"] == "undecided"
    assert [each["outcome"] for each in result["conditions"]] == ["valid", "valid"], finished.out
    assert result["looks"][0] <= result["blocks_complete"] <= result["looks"][-1]
    assert result["blocks_planned"] == result["blocks_complete"] and not result["interrupted"]


def test_without_claims_there_is_nothing_to_decide(lab: Lab) -> None:
    name = lab.stack("tried")
    finished = lab.fairtrial("run", lab.experiment(name), *lab.named(name), "--minutes", "1")
    assert finished.status == 2 and "has no claims" in finished.err


def test_the_noise_floor_of_a_real_stack(lab: Lab) -> None:
    name = lab.stack("tried")
    finished = lab.fairtrial("run", lab.experiment(name, blocks=3), *lab.named(name), "--noise-floor")
    floor = finished.result["noise_floor"]
    assert floor["contender"] == "tried" and floor["blocks"] == 3
    assert floor["interval"][0] < floor["estimate"] < floor["interval"][1]
    assert "Noise floor" in finished.out
    assert {one["contender"] for one in finished.result["conditions"]} == {"tried", "tried again"}


def test_builds_are_made_apart_and_taken_in_turn(lab: Lab) -> None:
    name = lab.stack("tried", build=[["sh", "-c", "od -An -N8 -tx8 /dev/urandom > made"]])
    file = lab.folder / "tried.toml"
    lab.experiment(name, blocks=4, seconds=2.2)
    file.write_text(file.read_text().replace("blocks = 4", "blocks = 4\nbuilds = 2"))
    finished = lab.fairtrial("run", file, *lab.named(name))
    assert [line["build"] for line in finished.record[1:]] == [1, 2, 1, 2]
    made = {path.read_text() for path in (lab.cache / "stacks").glob("tried-*/made")}
    assert len(made) == 2
    (condition,) = finished.result["conditions"]
    assert condition["scatter"]["builds"] is not None, finished.out


@pytest.mark.parametrize(
    ("verdict", "blocks", "is_still_open"),
    [("undecided", 5, True), ("undecided", 4, False), ("upheld", 5, False), ("refuted", 5, False), ("equal", 5, False)],
)
def test_a_claim_is_open_while_more_blocks_could_decide_it(verdict: str, blocks: int, is_still_open: bool) -> None:
    """Of five blocks, a claim that rests on four has lost one to a refusal: more blocks do not bring it back."""
    record = an_experiment("a", "b").claiming(of="a", to="b", at_least=2).record()
    (claim,) = judge(record, trials_of(record, a_trial()), interrupted=False).claims
    assert is_decidable(claim.model_copy(update={"verdict": verdict, "blocks": blocks}), 5) is is_still_open


@pytest.mark.parametrize(("check", "is_still_open"), [("unequal-foreign-load", True), ("unequal-work", False)])
def test_a_verdict_is_withheld_for_good_unless_further_blocks_even_it_out(check: str, is_still_open: bool) -> None:
    record = an_experiment("a", "b").claiming(of="a", to="b", at_least=2).record()
    (claim,) = judge(record, trials_of(record, a_trial()), interrupted=False).claims
    withheld = Finding(check=check, severity="refusal", evidence="x", remedy="x", claim=claim.id)
    changes = {"verdict": "undecided", "blocks": 5, "findings": [withheld]}
    assert is_decidable(claim.model_copy(update=changes), 5) is is_still_open


def test_a_block_that_the_machine_spoils_is_tried_again_at_the_end(lab: Lab) -> None:
    """Whatever others take is too much, by the threshold, in each trial of a real run: all spare blocks are tried, and
    nothing helps."""
    name = lab.stack("tried")
    experiment = lab.experiment(name, blocks=2)
    experiment.write_text(
        experiment.read_text().replace(
            "[checks.foreign-load]\nrefuse = 2", "[checks.foreign-load]\nrefuse = 0\nseconds = 0"
        )
    )
    finished = lab.fairtrial("run", experiment, *lab.named(name), "--verbose")
    assert [line["block"] for line in finished.record[1:]] == [1, 2, 3], finished.out
    assert "up to 1 block more" in " ".join(finished.out.split())
    (condition,) = finished.result["conditions"]
    assert (condition["outcome"], finished.result["blocks_left_out"]) == ("refused", [])
    assert not finished.result["interrupted"]
    assert finished.results
    assert lab.fairtrial("judge", finished.results).status == finished.status == 3


WHY = {"from": "a", "to": "b", "factors": {"pool": {"env": {"POOL": "16"}}}}


def after(blocks: int, scatter: float, to: float = 1800.0) -> bool:
    """Whether a run of at most ten blocks ends after so many, in which one condition scatters by such a share."""
    record = (
        an_experiment("a", "a:with-pool", "b", blocks=10).but(why=WHY).record().model_copy(update={"looks": [5, 10]})
    )

    def make(name: str, block: int):  # type: ignore[no-untyped-def]
        rate = {"a": 1000.0, "a:with-pool": 1400.0, "b": to}[name]
        return a_trial().serving(rate * (1 + scatter * (-1) ** block if name == "b" else 1))

    trials = [trial for trial in trials_of(record, make) if trial.block <= blocks]
    return WhenDecided(record).reached(trials)


def test_a_why_ends_at_the_look_at_which_its_shares_are_known() -> None:
    assert not after(4, scatter=0.001), "before the first look"
    assert after(5, scatter=0.001)
    assert not after(5, scatter=0.1) and after(10, scatter=0.1), "wide shares wait for the last look"
    assert after(5, scatter=0.001, to=1001.0), "there is nothing to divide"


@pytest.mark.parametrize(
    ("changes", "is_needed"),
    [
        ({}, True),
        ({"blocks": 4}, False),
        ({"interval": (0.99, 1.02)}, False),
        ({"interval": (0.9, 1.02)}, True),
        ({"ratio": None, "interval": None}, False),
        ({"ratio": None, "interval": None, "withheld_by": "unequal-work"}, False),
        ({"ratio": None, "interval": None, "withheld_by": EVENED_OUT}, True),
    ],
)
def test_more_blocks_are_tried_where_they_could_tell_shares(changes: dict[str, object], *, is_needed: bool) -> None:
    told = {"start": "a", "end": "b", "metric": "goodput", "higher_is_better": True, "factors": {}, "combinations": 2}
    causes = Causes.model_validate(
        {**told, "resolution": "full", "blocks": 5, "level": 0.99, "ratio": 1.8, "interval": (1.2, 2.6)} | changes
    )
    assert needs_blocks(causes, 5, margin=0.05) == is_needed
