"""Where the wall time of runs goes: into windows, their warm-ups, each stage of trials, and what lies around trials.

`.venv/bin/python -m benches.wall_time BEFORE AFTER` prints a table for folders of results that `benches.honest_trials`
has left, of the runs that all of them have: one column for those without a database and one for those with one; and
the share that is no window, nor its warm-up, of each experiment. Users wait for runs of several blocks:
`benches.honest_trials --blocks 5`.
"""

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from fairtrial.record.calibration import CEILING_STAGE

WALL = "wall-seconds.json"
"""In a folder of results: by experiment, how long `fairtrial run` took."""

WINDOWS, WARM_UPS, BESIDE = "windows", "warm-ups", "load, beside both"
NO_STAGE, AROUND = "trials, in no stage", "before and after all trials"
BETWEEN = "all but windows and warm-ups"

WITHOUT, WITH = "without a database", "with one"


def result_of(folder: Path, name: str) -> Path | None:
    """The folder of a run of this experiment that came to its end; None if there is none yet."""
    for result in sorted(folder.glob(f"{name}-2*/result.json")):
        if json.loads(result.read_text())["interrupted"] is False:
            return result.parent
    return None


def wall_seconds(folder: Path) -> Mapping[str, float]:
    """By experiment, how long its run took."""
    file = folder / WALL
    walls: dict[str, float] = json.loads(file.read_text()) if file.exists() else {}
    return walls


def seconds_by_part(record: Path, wall: float) -> tuple[str, Counter[str]]:
    """Whether a run had a database, and its seconds by what they went into; together they are its wall time."""
    head, *trials = [json.loads(line) for line in record.read_text().splitlines()]
    parts: Counter[str] = Counter()
    for trial in trials:
        parts.update(_of_trial(trial))
    in_stages = sum(parts.values())
    first, last = trials[0], trials[-1]
    began, last_began = (datetime.fromisoformat(each["started_at"]) for each in (first, last))
    of_last = sum(seconds for stage, seconds in last["stage_seconds"].items() if stage != CEILING_STAGE)
    all_trials = (last_began - began).total_seconds() + of_last
    parts[NO_STAGE], parts[AROUND] = all_trials - in_stages, wall - all_trials
    return (WITHOUT if head["experiment"]["service"] == "none" else WITH), parts


def _of_trial(trial: Mapping[str, Any]) -> Counter[str]:
    stages: Counter[str] = Counter(trial["stage_seconds"])
    load, engine = stages.pop("load", 0.0), trial["engine"] or {}
    warm_up, window = engine.get("warmup_seconds", 0.0), engine.get("window_seconds", 0.0)
    if trial.get("program"):
        window = trial["program"]["seconds"]
    if trial.get("capacity"):  # all that is tried on the way to a capacity is measured
        window = load - warm_up
    return Counter({WINDOWS: window, WARM_UPS: warm_up, BESIDE: load - window - warm_up}) + stages


def runs_of(folders: Sequence[Path]) -> list[dict[str, tuple[str, Counter[str]]]]:
    """For each folder and each run that all folders have, what `seconds_by_part` says of it."""
    runs = []
    for folder in folders:
        ended = {name: (result_of(folder, name), wall) for name, wall in wall_seconds(folder).items()}
        records = {name: (results / "record.jsonl", wall) for name, (results, wall) in ended.items() if results}
        runs.append({name: seconds_by_part(record, wall) for name, (record, wall) in records.items()})
    return [{name: each[name] for name in runs[0] if all(name in other for other in runs)} for each in runs]


def columns(folders: Sequence[Path]) -> Iterator[tuple[str, Counter[str]]]:
    """For each folder the seconds by part of its runs, with and without a database."""
    for folder, runs in zip(folders, runs_of(folders), strict=True):
        groups: dict[str, Counter[str]] = {WITHOUT: Counter(), WITH: Counter()}
        for group, parts in runs.values():
            groups[group].update(parts)
        title = "" if len(folders) == 1 else f"{folder.name}, "
        yield from ((title + group, parts) for group, parts in groups.items() if parts)


def table(folders: Sequence[Path]) -> list[str]:
    """The shares of the wall time as lines of Markdown."""
    shown = list(columns(folders))
    if not shown:
        return []
    titles, parts = zip(*shown, strict=True)
    between = {BETWEEN: [_between(each) for each in parts]}
    rows = {part: [each[part] for each in parts] for part in _parts(parts)} | between
    return [
        _row("share of the wall time", titles),
        _row("---", ["---"] * len(titles)),
        *(
            _row(part, [f"{each / sum(whole.values()):.1%}" for each, whole in zip(seconds, parts, strict=True)])
            for part, seconds in rows.items()
        ),
        _row("seconds", [f"{sum(each.values()):.0f}" for each in parts]),
    ]


def table_of_runs(folders: Sequence[Path]) -> list[str]:
    """The share of each experiment that is no window, nor its warm-up, over all of its rounds; as lines of Markdown."""
    by_experiment: list[dict[str, Counter[str]]] = []
    for runs in runs_of(folders):
        experiments: dict[str, Counter[str]] = defaultdict(Counter)
        for name, (_, parts) in runs.items():
            experiments[name.rpartition("-")[0]].update(parts)
        by_experiment.append(experiments)
    return [
        _row(BETWEEN, [folder.name for folder in folders]),
        _row("---", ["---"] * len(folders)),
        *(
            _row(name, [f"{_between(each[name]) / sum(each[name].values()):.1%}" for each in by_experiment])
            for name in by_experiment[0]
        ),
    ]


def _between(parts: Counter[str]) -> float:
    return sum(parts.values()) - parts[WINDOWS] - parts[WARM_UPS]


def _parts(columns: Iterable[Counter[str]]) -> list[str]:
    """All of them: what is measured first, the stages by what they take, and what is in none last."""
    whole: Counter[str] = sum(columns, Counter())
    first, last = [WINDOWS, WARM_UPS, BESIDE], [NO_STAGE, AROUND]
    return [*first, *(part for part, _ in whole.most_common() if part not in (*first, *last)), *last]


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {' | '.join([name, *cells])} |"


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", type=Path, nargs="+", help="of results, each with the wall times of its runs")
    folders = parser.parse_args().folders
    print("\n".join([*table(folders), "", *table_of_runs(folders)]))


if __name__ == "__main__":
    main()
