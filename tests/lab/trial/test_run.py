"""An experiment from the command line to its files."""

import json

import jsonschema_rs

from fairtrial.judge.model import SCHEMA
from tests.command_line import Lab

CLAIM = """
[[claims]]
id = "{id}"
kind = "ratio"
text = "{id}"
of = "{of}"
to = "{to}"
at_least = {at_least}
"""


def test_a_run_from_file_to_verdict(lab: Lab) -> None:
    names = [lab.stack("one"), lab.stack("two")]
    certain = CLAIM.format(id="certain", of="one", to="two", at_least=0.01)
    absurd = CLAIM.format(id="absurd", of="one", to="two", at_least=1000.0)
    finished = lab.run(*names, blocks=3, more=certain + absurd)

    assert finished.status == 1, finished.out + finished.err
    result = finished.result
    jsonschema_rs.validate(json.loads(SCHEMA.read_text()), result)
    assert [condition["stack"] for condition in result["conditions"]] == names
    for condition in result["conditions"]:
        assert condition["outcome"] == "valid"
        low, high = condition["figures"]["goodput_per_second"]["interval"]
        assert 0 < low <= condition["figures"]["goodput_per_second"]["estimate"] <= high
        for key in ("start_up_seconds", "first_answer_seconds", "ready_rss_bytes", "end_rss_bytes"):
            assert condition["figures"][key]["estimate"] > 0, key
        for trial in condition["trials"]:
            assert trial["goodput"]["per_second"] > 0
            assert trial["response_time"]["p50_seconds"] > 0
            assert trial["server"]["cpu_seconds_per_1000_requests"] > 0
            assert trial["server"]["peak_rss_bytes"] > 1 << 20
            assert sum(trial["errors"].values()) == 0
    assert [claim["verdict"] for claim in result["claims"]] == ["upheld", "refuted"]
    assert finished.results
    lines = [json.loads(line) for line in (finished.results / "record.jsonl").read_text().splitlines()]
    assert [line["kind"] for line in lines] == ["experiment"] + ["trial"] * 6
    for trial in lines[1:]:
        assert 0 < trial["readiness"]["start_up_seconds"] <= trial["stage_seconds"]["start"]
        assert trial["readiness"]["first_answer_seconds"] <= trial["stage_seconds"]["contract"]
    for words in ("one", "two", "upheld", "refuted", "closed, 4 connections", "block 3: 2 trials", "report.html"):
        assert words in finished.out.replace("\n", "")
    assert finished.out.index("takes") < finished.out.index("block 1: 2 trials")


def test_one_block_decides_nothing(lab: Lab) -> None:
    names = [lab.stack("one"), lab.stack("two")]
    finished = lab.run(*names, blocks=1, more=CLAIM.format(id="certain", of="one", to="two", at_least=0.01))

    claim = finished.result["claims"][0]
    assert claim["verdict"] == "undecided"
    assert claim["interval"] is None
    assert finished.status == 3


def test_own_stacks_are_tried_beside_the_experiment_s(lab: Lab) -> None:
    experiment = lab.experiment("python-threads")
    lab.stack("mine")
    finished = lab.fairtrial("run", experiment, "--stacks", lab.stacks)

    assert [condition["stack"] for condition in finished.result["conditions"]] == ["python-threads", "mine"]


def test_claims_about_stacks_that_are_not_tried_are_left_out_and_said_to_be(lab: Lab) -> None:
    names = [lab.stack("one"), lab.stack("two")]
    experiment = lab.experiment(*names, more=CLAIM.format(id="certain", of="one", to="two", at_least=0.01))
    finished = lab.fairtrial("run", experiment, *lab.named("one"))

    assert finished.result["claims"] == []
    assert "claims certain: about something" in finished.out


def test_a_variant_is_run_with_its_settings(lab: Lab) -> None:
    """The variant turns the honest server into one that answers 500."""
    lab.stack("mine", more='[variants.broken]\nargs = ["errors"]', run=["python3", "server.py"])
    finished = lab.fairtrial("run", lab.experiment("mine", "mine:broken"), *lab.named("mine", "mine:broken"))

    outcomes = {condition["variant"]: condition["outcome"] for condition in finished.result["conditions"]}
    assert outcomes == {"default": "valid", "broken": "refused"}


def test_options_replace_what_the_file_says(lab: Lab) -> None:
    experiment = lab.experiment(lab.stack("one"))
    finished = lab.fairtrial(
        "run", experiment, *lab.named("one"), "--blocks", "2", "--seed", "9", "--quick", "--out", "elsewhere"
    )

    folder = next((lab.folder / "elsewhere").iterdir())
    result = json.loads((folder / "result.json").read_text())
    assert folder.name.startswith("tried-")
    assert result["seed"] == 9
    assert len(result["conditions"][0]["trials"]) == 2
    assert finished.status == 0, finished.out


def test_an_honest_stack_on_sqlite_is_valid_although_the_lab_changes_rows_meanwhile(lab: Lab) -> None:
    name = lab.stack("honest")
    finished = lab.fairtrial("run", lab.experiment(name, seconds=2.5), *lab.named(name))
    assert finished.trial("honest")["outcome"] == "valid", finished.out
    assert finished.results
    record = (finished.results / "record.jsonl").read_text()
    assert '"freshness":{"changed":3,"stale":0' in record.replace(" ", "")


def test_variants_with_builds_of_their_own_run_what_they_built(lab: Lab) -> None:
    """Each build writes a file, which the stack prints when it starts; one variant cannot be built."""
    name = lab.stack(
        "varied",
        build=[["sh", "-c", "echo by the stack > made"]],
        run=["sh", "-c", "cat made; exec python3 server.py none"],
        more="""
[variants.settings]
[variants.apart]
build = [["sh", "-c", "echo by the variant > made"]]
[[variants.apart.requires]]
command = ["echo", "compiler 13"]
remedy = "none"
[variants.broken]
build = [["false"]]
""",
    )
    experiment = lab.experiment(name, *(f"{name}:{variant}" for variant in ("settings", "apart", "broken")))

    finished = lab.fairtrial("run", experiment, "--stacks", lab.stacks)

    results = finished.results
    assert results, finished.err
    first, *trials = finished.record
    by_variant = {trial["condition"].split("/")[1]: trial for trial in trials}
    failure = by_variant.pop("broken")["failure"]
    assert failure["stage"] == "build" and "`false` ended with status 1" in failure["reason"]
    printed = {variant: (results / trial["log"]).read_text().splitlines()[0] for variant, trial in by_variant.items()}
    assert printed == {"default": "by the stack", "settings": "by the stack", "apart": "by the variant"}
    assert [(stack["built_apart"], list(stack["versions"].values())) for stack in first["stacks"]] == [
        (None, []),
        ("apart", ["compiler 13"]),
        ("broken", []),
    ]
    assert "varied:apart" in (results / "report.html").read_text()

    checked = lab.fairtrial("check", "varied:apart", "--stacks", lab.stacks)
    assert checked.status == 0, checked.out + checked.err
    assert "stack varied:apart (built once)" in checked.out
