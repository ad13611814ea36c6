"""The tables of docs/replications.md, from results: `python benches/replications.py results/expander-… --write`."""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benches.document import replace_part  # noqa: E402
from fairtrial.base.formatting import count  # noqa: E402
from fairtrial.judge.judging import judge_record  # noqa: E402
from fairtrial.judge.model import Result  # noqa: E402
from fairtrial.record.model import TrialRecord  # noqa: E402
from fairtrial.record.read import read_record  # noqa: E402
from fairtrial.report.grouping import grouped_findings, obstacles  # noqa: E402
from fairtrial.report.markdown import claims_table, escape  # noqa: E402


def part(folder: Path) -> tuple[str, str]:
    """An experiment's name, and the table of its claims with refusals below, all judged with today's checks.

    Raises:
        Problem: there is no readable record in the folder.
    """
    record, trials = read_record(folder)
    result = judge_record(record, trials)
    lines = [facts(result, trials), "", *claims_table(result)]
    notes = [
        f"- {escape(group.check)} refuses {escape(group.where)}: {escape(group.evidence)}"
        for group in grouped_findings(result)
        if group.severity == "refusal"
    ]
    notes += [
        f"- {obstacle.outcome}: {escape(obstacle.contender)}: {escape(obstacle.reason)}"
        for obstacle in obstacles(result)
    ]
    return record.experiment.name, "\n".join([*lines, *([""] if notes else []), *notes])


def facts(result: Result, trials: list[TrialRecord]) -> str:
    """Date, number of blocks and trials, duration and valid trials, in one line."""
    outcomes = [trial.outcome for condition in result.conditions for trial in condition.trials]
    minutes, seconds = divmod(round(sum(sum(trial.stage_seconds.values()) for trial in trials)), 60)
    return (
        f"{result.started_at[:10]}, {count(result.blocks_complete, 'block')}: {count(len(outcomes), 'trial')} in "
        f"{minutes}:{seconds:02} min, {outcomes.count('valid')} valid."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares published claims with measured ones, in Markdown.")
    parser.add_argument("results", nargs="+", type=Path, help="folders that runs have written")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/replications.md")
    options = parser.parse_args()
    document = ROOT / "docs/replications.md"
    for folder in options.results:
        name, text = part(folder)
        print(f"\n{name}\n\n{text}", flush=True)
        if options.write:
            document.write_text(replace_part(document.read_text(), name, text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
