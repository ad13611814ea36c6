"""What the documentation shows, tried."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from fairtrial.base.locations import PACKAGE
from fairtrial.base.toml_file import read_toml
from fairtrial.catalog.stacks.contenders import with_contenders
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.ab_test import between_refs, contender_of, in_slices
from fairtrial.experiment.claims import Claim
from fairtrial.experiment.contenders import Contender
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.model import DatasetOptions, Experiment
from fairtrial.experiment.origins import Origin
from fairtrial.experiment.ready import Ready
from fairtrial.experiment.slices import Slices
from fairtrial.experiment.sweep import Sweep
from fairtrial.experiment.workload_file.expect import Expect
from fairtrial.experiment.workload_file.model import Defaults, RequestEntry, SetupEntry, WorkloadFile
from fairtrial.experiment.workload_file.placeholders import FORMS
from fairtrial.experiment.workload_file.rows_entry import Rows
from fairtrial.experiment.workload_file.state import AuditEntry, Reset
from fairtrial.judge.metrics import METRICS
from fairtrial.load.capacity import Objective
from fairtrial.load.kinds import Load
from fairtrial.plan.make import make_plan
from tests.command_line import CALM, Lab
from tests.docs.pages import DOCS, EXAMPLES, PAGES, ROOT, anchors, code_blocks

ATTEMPTS = 3
"""At a trial that no other program disturbs, on a machine that others use too."""


def members(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models of an annotated union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from members(argument)


def example_with(words: str) -> str:
    """The example of an experiment file that holds these words."""
    return next(block for block in code_blocks(DOCS / "experiments.md", "toml") if words in block)


def test_the_example_experiments_are_accepted(tmp_path: Path) -> None:
    """One for each kind of load but `ramp`, which is written as `steps` is; those of examples/ are run elsewhere."""
    file = tmp_path / "example.toml"
    kinds = set()
    for example in code_blocks(DOCS / "experiments.md", "toml"):
        if example.startswith("[") or "name =" not in example:
            continue
        file.write_text(example)
        experiment = load_experiment(file)
        make_plan(experiment, with_contenders(find_stacks([EXAMPLES]), experiment, tmp_path, {}), file)
        kinds.add(experiment.load.kind)
    assert kinds == {"fixed", "open", "steps", "program"}


def test_the_example_of_an_open_load_runs(lab: Lab) -> None:
    example = lab.folder / "example.toml"
    text = example_with('kind = "open"').replace("rows = 100_000", "rows = 10_000")
    shorter = text.replace("duration_seconds = 10.0", "warmup_seconds = 0\nduration_seconds = 0.5\n")
    example.write_text(
        shorter.replace('"node-http"', '"mine"').replace("rate_per_second = 500", "rate_per_second = 200") + CALM
    )
    lab.stack("mine")

    for _ in range(ATTEMPTS):
        finished = lab.fairtrial("run", example, "--blocks", "1", *lab.named("mine"))
        assert finished.status in (0, 1, 3), finished.err
        outcomes = {condition["outcome"] for condition in finished.result["conditions"]}
        if outcomes == {"valid"}:
            break
    assert outcomes == {"valid"}, finished.out


def test_the_example_of_thresholds_is_accepted(lab: Lab) -> None:
    thresholds = example_with("[checks.")
    path = lab.experiment("python-threads", more=thresholds)
    make_plan(load_experiment(path), find_stacks(), path)


def test_the_example_of_a_sweep_and_the_examples_of_claims_are_accepted(lab: Lab) -> None:
    sweep, claims = example_with('parameter = "load.connections"'), code_blocks(DOCS / "claims.md", "toml")
    (of_a_request,) = [claim for claim in claims if "request =" in claim]
    claims.remove(of_a_request)
    assert len(claims) >= 4
    path = lab.experiment("node-http", more="\n".join([sweep, *claims]))
    make_plan(load_experiment(path), find_stacks(), path)
    path = lab.experiment("node-http", workload="query-mix", service="postgresql", more=of_a_request)
    make_plan(load_experiment(path), find_stacks(), path)


def test_the_example_of_http2_is_accepted(lab: Lab) -> None:
    (example,) = [block for block in code_blocks(DOCS / "experiments.md", "toml") if "http2 = true" in block]
    load, _, more = example.removeprefix("[load]\n").partition("\n[")
    path = lab.experiment("go-nethttp:http2", workload="plaintext", service="none", load=load, more=f"\n[{more}")
    plan = make_plan(load_experiment(path), find_stacks(), path)
    assert any("streams, HTTP/2" in condition.load.describe() for condition in plan.conditions)


def test_the_example_manifest_is_accepted(tmp_path: Path) -> None:
    manifest = tmp_path / "stack.toml"
    manifest.write_text(code_blocks(DOCS / "stack-contract.md", "toml")[0])
    stack = read_toml(manifest, Stack, name="example", folder=tmp_path)
    assert [stack.built_apart(name) for name in ("two-workers", "profile-guided")] == [None, "profile-guided"]


def test_the_examples_of_contenders_are_accepted(lab: Lab) -> None:
    """Every shape is there, and each table can be read."""
    tables = [block for block in code_blocks(DOCS / "experiments.md", "toml") if block.startswith("[contenders.")]
    names = {name for block in tables for name in tomllib.loads(block)["contenders"]}
    assert names == {"shop", "packed", "tea-room", "api", "staging", "app"}
    for block in tables:
        named = list(tomllib.loads(block)["contenders"])
        path = lab.experiment(*named, workload="plaintext", service="none", more=block)
        assert list(load_experiment(path).contenders) == named


def test_the_example_of_ab_test_can_be_tried_in_slices(tmp_path: Path) -> None:
    file = tmp_path / "fairtrial.toml"
    file.write_text(code_blocks(DOCS / "ab-test.md", "toml")[0])
    asked = load_experiment(file)
    changed, why_not = in_slices(between_refs(asked, contender_of(asked, None), "main", "HEAD", 0.05), asked)
    assert changed.slices is not None and why_not is None


def test_every_key_of_an_experiment_is_explained() -> None:
    text = (DOCS / "experiments.md").read_text() + (DOCS / "claims.md").read_text()
    for model in (
        Experiment,
        Slices,
        Contender,
        *members(Origin),
        Ready,
        DatasetOptions,
        Sweep,
        Objective,
        *members(Load),
        *members(Claim),
    ):
        for key in model.model_fields.keys() - {"origin"}:
            assert f"`{key}`" in text or f"[{key}]" in text or f"[{key}." in text, key


def test_every_key_of_a_workload_file_is_explained() -> None:
    text = (DOCS / "workload-file.md").read_text()
    for model in (WorkloadFile, Defaults, Rows, SetupEntry, RequestEntry, Expect, Ready, Reset, AuditEntry):
        for name, field in model.model_fields.items():
            key = field.alias or name
            assert f"`{key}`" in text or f"{key} = " in text, key
    for name in FORMS:
        assert f"{{{{{name} " in text, name


def test_every_metric_is_explained() -> None:
    text = (DOCS / "claims.md").read_text()
    for name in METRICS:
        assert f"`{name}`" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", page.read_text()):
        if not target.startswith("https://"):
            linked = page.parent / target if target else page
            assert linked.exists(), target
            assert not anchor or anchor in anchors(linked), f"{target}#{anchor}"


def test_the_readme_is_short_and_names_what_one_does_first() -> None:
    """One picture, and the commands of a user; `make test` is what CI runs."""
    text = (ROOT / "README.md").read_text()
    assert len(text.splitlines()) <= 120 and text.count("![") == 1
    for command in ("uv tool install", "fairtrial init", "fairtrial ab-test", "./fairtrial run", "make test"):
        assert f"    {command}" in text or f"&& {command}" in text, command


def test_the_folders_of_the_flow_are_there() -> None:
    named = re.findall(r"\b([a-z]+)/ ", (DOCS / "architecture.md").read_text())
    assert named
    folders = {path.name for path in [*PACKAGE.rglob("*/"), *ROOT.iterdir()] if path.is_dir()}
    assert set(named) - {"docs", "src"} <= folders
