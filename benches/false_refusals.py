"""How often checks refuse an honest trial: runs many short trials of shipped stacks and counts findings by check.

`python3 benches/false_refusals.py --trials 50`. Run nothing else meanwhile: the checks find that, and rightly so.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
STACKS = ("python-flask", "python-starlette", "node-http", "go-nethttp", "rust-axum")
SEVERITIES = ("refusal", "warning", "note")
EXPERIMENT = """
name = "false-refusals"
title = "Honest trials: is any refused?"
workload = "random-item"
service = "sqlite"
stacks = {stacks}
blocks = {blocks}
[dataset]
rows = {rows}
[load]
kind = "closed"
connections = {connections}
warmup_seconds = {warmup}
duration_seconds = {seconds}
"""


@dataclass
class Tally:
    """The number of trials by outcome, and of trials with a finding by check and severity."""

    outcomes: Counter[str] = field(default_factory=Counter)
    findings: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def trials(self) -> int:
        """The number of trials that were measured."""
        return self.outcomes["valid"] + self.outcomes["refused"]

    def add(self, result: Mapping[str, Any]) -> None:
        """Count a result.json."""
        for where, findings in _findings(result):
            for key in {(finding["check"], finding["severity"]) for finding in findings}:
                self.findings[key] += 1
            for finding in findings:
                self.examples.setdefault((finding["check"], finding["severity"]), f"{where}: {finding['evidence']}")
        for condition in result["conditions"]:
            self.outcomes.update(trial["outcome"] for trial in condition["trials"])


def _findings(result: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Mapping[str, str]]]]:
    yield "the experiment", result["findings"]
    for condition in result["conditions"]:
        for trial in condition["trials"]:
            yield f"{condition['contender']}, trial {trial['index']}", trial["findings"]


def report(tally: Tally) -> str:
    """The outcomes, then a line for each check and severity, the gravest first."""
    lines = [", ".join(f"{count} {outcome}" for outcome, count in sorted(tally.outcomes.items())) or "no trial"]
    if tally.trials:
        refused = tally.outcomes["refused"]
        lines.append(f"refused: {refused} of {tally.trials} ({refused / tally.trials:.1%})")
        if refused == 0:
            # The rule of three: J. A. Hanley and A. Lippman-Hand, JAMA 249 (1983), 1743-1745.
            lines.append(f"with none seen, the true share is below {min(3 / tally.trials, 1):.1%} at 95% confidence")
    for severity in SEVERITIES:
        for (check, its_severity), count in sorted(tally.findings.items(), key=lambda item: -item[1]):
            if its_severity == severity:
                lines.append(f"{severity:8} {check:24} {count:5}  {tally.examples[check, its_severity]}")
    return "\n".join(lines)


def run(options: argparse.Namespace, stacks: Sequence[str], folder: Path) -> Mapping[str, Any]:
    """Run the experiment and read its result.

    Raises:
        SystemExit: it left none.
    """
    blocks = -(-options.trials // len(stacks))
    file = folder / "false-refusals.toml"
    file.write_text(
        EXPERIMENT.format(
            stacks=json.dumps(list(stacks)),
            blocks=blocks,
            rows=options.rows,
            connections=options.connections,
            warmup=options.warmup,
            seconds=options.seconds,
        )
    )
    subprocess.run([str(ROOT / "fairtrial"), "run", str(file), "--out", str(folder)], stdout=sys.stderr, check=False)
    results = sorted(folder.glob("false-refusals-*/result.json"))
    if not results:
        raise SystemExit("the run left no result: see above")
    loaded: Mapping[str, Any] = json.loads(results[-1].read_text())
    return loaded


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Counts how often checks refuse honest trials of shipped stacks.")
    parser.add_argument("--trials", type=int, default=50, help="at least so many, in whole blocks")
    parser.add_argument("--stacks", nargs="+", default=STACKS)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--warmup", type=float, default=0.5, help="seconds")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each trial's window")
    return parser.parse_args()


def main() -> int:
    """Run, print the counts, and return the exit status: 1 if a trial was refused."""
    options = arguments()
    tally = Tally()
    with tempfile.TemporaryDirectory(prefix="fairtrial-false-refusals-") as folder:
        tally.add(run(options, options.stacks, Path(folder)))
    print(report(tally))
    return 1 if tally.outcomes["refused"] else 0


if __name__ == "__main__":
    sys.exit(main())
