"""Servers that are slow at first: they are waited for, or have no figure; and those that only look like it."""

from pathlib import Path

import pytest

from tests.command_line import Finished, Lab

pytestmark = pytest.mark.measures

SERVER = Path(__file__).parents[2] / "fixtures" / "warming.py"
MODES = ("warms", "first", "pauses", "even")
LOAD = """kind = "closed"
connections = 4
warmup_seconds = 0.2
{more}
duration_seconds = {seconds}"""


def tried(lab: Lab, *modes: str, blocks: int = 1, seconds: float = 0.5, more: str = "") -> Finished:
    """These servers under a closed load."""
    for mode in modes:
        if not (lab.stacks / mode).exists():
            run = ["python3", "warming.py", mode]
            lab.stack(mode, run=run, server=SERVER, workload="plaintext", service="none")
    load = LOAD.format(more=more, seconds=seconds)
    experiment = lab.experiment(*modes, blocks=blocks, workload="plaintext", service="none", load=load, data="")
    text = experiment.read_text()
    experiment.write_text(text.replace("[checks.not-warm]\ntolerance = 1.0\n", ""))
    return lab.fairtrial("run", experiment, *lab.named(*modes))


@pytest.fixture(scope="module")
def finished(shared_lab: Lab) -> Finished:
    """A trial of each, with a warm-up that goes on until the pace is flat."""
    return tried(shared_lab, *MODES)


def warm_ups(finished: Finished) -> dict[str, tuple[float, str]]:
    """By mode, how long the warm-up was, and how it ended."""
    engines = {line["condition"].partition("/")[0]: line["engine"] for line in finished.record[1:]}
    return {mode: (engine["warmup_seconds"], engine["warm_up"]["end"]) for mode, engine in engines.items()}


@pytest.mark.parametrize("mode", MODES)
def test_whoever_is_warm_in_the_end_has_a_figure(finished: Finished, mode: str) -> None:
    trial = finished.trial(mode)
    assert not any(finding["check"] == "not-warm" for finding in trial["findings"]), trial["findings"]
    assert warm_ups(finished)[mode][1] == "flat"


def test_the_warm_up_goes_on_as_long_as_the_server_gets_faster(finished: Finished) -> None:
    lengths = {mode: seconds for mode, (seconds, _) in warm_ups(finished).items()}
    assert lengths["warms"] > 1.8 and lengths["even"] >= 1.0
    paces = next(line for line in finished.record[1:] if line["condition"].startswith("warms/"))["engine"]["warm_up"]
    assert paces["verified_per_second"][-1] > 3 * paces["verified_per_second"][0]


def test_who_is_cold_at_the_limit_is_refused(lab: Lab) -> None:
    finished = tried(lab, "warms", more="warmup_limit_seconds = 1.2")
    (finding,) = [each for each in finished.trial("warms")["findings"] if each["check"] == "not-warm"]
    assert finding["severity"] == "refusal" and "after 1.2 s of warm-up" in finding["evidence"]
    assert finished.trial("warms")["outcome"] == "refused"


def test_a_step_that_no_warm_up_can_foresee_is_seen_in_the_windows(lab: Lab) -> None:
    """The cheat: cold for two seconds, from end to end of a short warm-up."""
    finished = tried(lab, "step", blocks=3, seconds=1.6)
    for line in finished.result["conditions"][0]["trials"]:
        assert line["outcome"] == "refused", line
        assert any(finding["check"] == "not-warm" for finding in line["findings"]), line["findings"]
