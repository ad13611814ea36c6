"""A stand-in for GitHub's runner: it carries out the steps of a composite action, and notes which other actions it
uses."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

TOKENS = re.compile(r"'[^']*'|[A-Za-z_][\w.-]*(?:\(\))?|&&|\|\||!(?!=)")
OUTPUT = re.compile(r"^(\w+)=(.*)$", re.MULTILINE)

Context = Mapping[str, Any]


@dataclass
class Job:
    """What a job has come to."""

    succeeds: bool = True
    outputs: dict[str, str] = field(default_factory=dict)
    """of the action"""
    summary: str = ""
    log: str = ""
    used: dict[str, dict[str, str]] = field(default_factory=dict)
    """the other actions that were used, such as `actions/cache@v6`, each with its inputs"""
    path: list[str] = field(default_factory=list)
    """the folders that steps put before PATH, the last first"""


def run_action(
    action: Path, workspace: Path, scratch: Path, github: Context, environment: Mapping[str, str], **inputs: str
) -> Job:
    """Carry out `action`/action.yml in `workspace`.

    Args:
        scratch: an empty folder, for the runner's own files.
        github: the context of that name.
        environment: of the job.
    """
    described = yaml.safe_load((action / "action.yml").read_text())
    assert inputs.keys() <= described["inputs"].keys()
    steps: dict[str, Any] = {}
    context = {
        "github": github,
        "inputs": {name: inputs.get(name, each["default"]) for name, each in described["inputs"].items()},
        "runner": {"os": "Linux", "arch": "X64"},
        "strategy": {"job-index": 0},
        "steps": steps,
    }
    job = Job()
    for number, step in enumerate(described["runs"]["steps"]):
        if not is_due(step.get("if", "success()"), context, job.succeeds):
            continue
        if "uses" in step:
            job.used[step["uses"]] = {name: expanded(text, context) for name, text in step["with"].items()}
            continue
        own = {name: expanded(text, context) for name, text in step.get("env", {}).items()}
        outputs = _run(step["run"], {**environment, **own}, workspace, scratch / str(number), action, job)
        steps[step.get("id", number)] = {"outputs": outputs}
    job.outputs = {name: expanded(each["value"], context) for name, each in described["outputs"].items()}
    return job


def _run(
    script: str, environment: Mapping[str, str], workspace: Path, scratch: Path, action: Path, job: Job
) -> dict[str, str]:
    """A step's outputs. As `shell: bash` has it, the script stops at the first command that fails."""
    scratch.mkdir()
    files = {name: scratch / name for name in ("GITHUB_OUTPUT", "GITHUB_PATH", "GITHUB_STEP_SUMMARY", "script")}
    for path in files.values():
        path.touch()
    files["script"].write_text(script)
    temporary = scratch.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", files["script"]],
        cwd=workspace,
        env={
            **os.environ,
            **environment,
            **{name: str(path) for name, path in files.items()},
            "GITHUB_ACTION_PATH": str(action),
            "RUNNER_TEMP": str(temporary),
            "PATH": os.pathsep.join([*job.path, os.environ["PATH"]]),
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    job.succeeds &= done.returncode == 0
    job.log += done.stdout
    job.summary += files["GITHUB_STEP_SUMMARY"].read_text()
    job.path[:0] = reversed(files["GITHUB_PATH"].read_text().splitlines())
    return dict(OUTPUT.findall(files["GITHUB_OUTPUT"].read_text()))


def is_due(condition: str, context: Context, succeeds: bool) -> bool:
    """Whether a step with this `if` is carried out. One that names no function of the status has `success()` added."""
    bare = condition.strip().removeprefix("${{").removesuffix("}}")
    named = re.search(r"\b(?:success|cancelled|always|failure)\(\)", bare)
    return bool(value_of(bare, context, succeeds)) and (named is not None or succeeds)


def expanded(text: object, context: Context) -> str:
    """The text with the values of its expressions."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda match: str(value_of(match[1], context)), str(text))


def value_of(expression: str, context: Context, succeeds: bool = True) -> Any:
    """The value of an expression of strings, contexts, comparisons and the functions of the status."""

    def in_python(match: re.Match[str]) -> str:
        token = match[0]
        operators = {"&&": " and ", "||": " or ", "!": " not "}
        is_name = token[0] != "'" and token not in operators and not token.endswith("()")
        return f"look_up({token!r})" if is_name else operators.get(token, token)

    def look_up(name: str) -> Any:
        value: Any = context
        for key in name.split("."):
            value = value.get(key, "") if isinstance(value, Mapping) else ""
        return value

    names = {"look_up": look_up, "success": lambda: succeeds, "cancelled": lambda: False, "always": lambda: True}
    return eval(TOKENS.sub(in_python, expression.strip()), names)
