"""What the documentation shows, tried."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from fairtrial.base.locations import PACKAGE
from fairtrial.base.toml_file import read_toml
from fairtrial.catalog.stacks.find import find_stacks
from fairtrial.catalog.stacks.model import Stack
from fairtrial.experiment.claims import Claim
from fairtrial.experiment.files import load_experiment
from fairtrial.experiment.loads import Load, Objective
from fairtrial.experiment.model import DatasetOptions, Experiment
from fairtrial.experiment.sweep import Sweep
from fairtrial.judge.metrics import METRICS
from fairtrial.plan.make import make_plan
from tests.command_line import CALM, Lab

ROOT = PACKAGE.parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(DOCS.glob("*.md"))]


def members(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models of an annotated union."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from members(argument)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE)


def example_with(words: str) -> str:
    """The example of an experiment file that holds these words."""
    return next(block for block in blocks(DOCS / "experiments.md", "toml") if words in block)


def test_the_example_experiment_runs(lab: Lab) -> None:
    example = lab.folder / "example.toml"
    example.write_text(blocks(DOCS / "experiments.md", "toml")[0])
    make_plan(load_experiment(example), find_stacks(), example)
    text = example.read_text().replace('"python-threads", "node-http"', '"python-threads", "mine"')
    example.write_text(text.replace('"node-http"', '"mine"') + CALM)
    lab.stack("mine")

    finished = lab.fairtrial("run", example, *lab.named("python-threads", "mine"))

    assert finished.status in (0, 1, 3), finished.err
    assert {condition["outcome"] for condition in finished.result["conditions"]} == {"valid"}


def test_the_example_of_thresholds_is_accepted(lab: Lab) -> None:
    thresholds = example_with("[checks.")
    path = lab.experiment("python-threads", more=thresholds)
    make_plan(load_experiment(path), find_stacks(), path)


def test_the_example_of_a_sweep_and_the_examples_of_claims_are_accepted(lab: Lab) -> None:
    sweep, claims = example_with("[sweep]"), blocks(DOCS / "claims.md", "toml")
    assert len(claims) >= 4
    path = lab.experiment("node-http", more="\n".join([sweep, *claims]))
    make_plan(load_experiment(path), find_stacks(), path)


def test_the_example_manifest_is_accepted(tmp_path: Path) -> None:
    manifest = tmp_path / "stack.toml"
    manifest.write_text(blocks(DOCS / "stack-contract.md", "toml")[0])
    stack = read_toml(manifest, Stack, name="example", folder=tmp_path)
    assert set(stack.variants) == {"two-workers"}


def test_every_key_of_an_experiment_is_explained() -> None:
    text = (DOCS / "experiments.md").read_text() + (DOCS / "claims.md").read_text()
    for model in (Experiment, DatasetOptions, Sweep, Objective, *members(Load), *members(Claim)):
        for key in model.model_fields:
            assert f"`{key}`" in text or f"[{key}]" in text or f"[{key}." in text, key


def test_every_metric_is_explained() -> None:
    text = (DOCS / "claims.md").read_text()
    for name in METRICS:
        assert f"`{name}`" in text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text()):
        assert target.startswith("https://") or (page.parent / target).exists(), target


def test_the_folders_of_the_flow_are_there() -> None:
    named = re.findall(r"\b([a-z]+)/ ", (DOCS / "architecture.md").read_text())
    assert named
    folders = {path.name for path in [*PACKAGE.rglob("*/"), *ROOT.iterdir()] if path.is_dir()}
    assert set(named) - {"docs", "src"} <= folders
