"""A registry: a folder of small TOML files, an entry each. All are adopted and tried; a table says what came of it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, NOTHING_RAN
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.toml_file import read_toml
from fairtrial_adopt.adopt import As, NotAdopted, adopt
from fairtrial_adopt.source import Source

TRIED_WITHIN_SECONDS = 3600
ENDED_WITHIN_SECONDS = 60
"""In which `fairtrial check` ends what it started."""
LONGEST_REASON = 160
ESCAPED = re.compile(r"\\x1b\[[\d;]*m")
"""A colour of a terminal, as a message shows it."""
TELLS_WHY = re.compile(
    r"^(?!note:).*\b(?:error|fatal|cannot|could not|couldn't|unable|not found|no such|refused|failed)\b", re.IGNORECASE
)
"""In the end of a log, the line that says what went wrong, before those that say where to read on."""
CAME_UP, BROKE, NOT_UP, REFUSED = "came up", "broke its contract", "did not come up", "refused"
OUTCOMES = {ALL_WELL: CAME_UP, IN_DOUBT: BROKE, NOTHING_RAN: NOT_UP}
"""By the exit status of `fairtrial check`."""


@dataclass(frozen=True)
class Outcome:
    """The result of an entry on one of its workloads."""

    name: str
    board: str
    language: str
    workload: str
    """empty: it was refused before there was any"""
    outcome: str
    why: str = ""


def read_registry(folder: Path) -> dict[str, Source]:
    """The entries of a registry, by the names of their files.

    Raises:
        Problem: there is none, or a file is broken.
    """
    files = sorted(folder.glob("*.toml"))
    if not files:
        raise Problem(
            f"{folder}: holds no file NAME.toml", "write one for each entry: url, commit, path; docs/adopt.md"
        )
    sources = {file.stem: read_toml(file, Source, "docs/adopt.md") for file in files}
    return {
        name: each
        if not each.folder
        else each.model_copy(update={"folder": str(folder / Path(each.folder).expanduser())})
        for name, each in sources.items()
    }


def outcomes_of(name: str, source: Source, out: Path, how: As | None, *, is_alone: bool = False) -> Iterator[Outcome]:
    """Adopt an entry, and try it on each of its workloads as `fairtrial check` does.

    Raises:
        Problem: it is alone, and cannot be fetched or read.
    """
    try:
        adopted = adopt(source, out, how)
    except NotAdopted as refused:
        entry = refused.entry
        yield Outcome(entry.name, entry.board, entry.language, "", REFUSED, _with_remedy(refused))
        return
    except Problem as problem:
        if is_alone:
            raise
        yield Outcome(name, "", "", "", REFUSED, _with_remedy(problem))
        return
    entry = adopted.entry
    for file, examination in zip(adopted.experiments, entry.examinations, strict=True):
        outcome, why = _outcome_of(file)
        yield Outcome(entry.name, entry.board, entry.language, examination.name, outcome, why)
        if outcome == NOT_UP:
            return  # nor does it on another, as a rule


def _outcome_of(file: Path) -> tuple[str, str]:
    """The outcome of `fairtrial check`, as a process of its own: a network of its own takes one anew."""
    # Beside the entry's folder, all of which is built: another file in it would be another program.
    log = file.parent.with_name(f"{file.parent.name}.{file.name.removesuffix('.fairtrial.toml')}.check.log")
    with log.open("wb") as output:
        command = [sys.executable, "-m", "fairtrial", "check", str(file)]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT) as process:
            try:
                status = process.wait(TRIED_WITHIN_SECONDS)
            except subprocess.TimeoutExpired:
                _end(process)
                return NOT_UP, f"not tried within {TRIED_WITHIN_SECONDS} s"
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    outcome = OUTCOMES.get(status, REFUSED)
    return outcome, "" if outcome == CAME_UP else _short(_why(lines))


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it in a way that lets it end what it started."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(ENDED_WITHIN_SECONDS)
    process.kill()  # nothing, where it has ended


def _with_remedy(problem: Problem) -> str:
    reason = _short(problem.reason)
    return f"{reason}; {_short(problem.remedy)}" if problem.remedy else reason


def _why(lines: list[str]) -> str:
    """The first clause that does not hold; or of the end of a log the first that tells of an error, else the last."""
    broken = next((line.strip(" ✗") for line in lines if line.strip().startswith("✗")), "")
    if broken:
        return broken
    start = next((number for number, line in enumerate(lines) if line.startswith("error: ")), 0)
    end = next((number for number, line in enumerate(lines) if line.startswith("remedy: ")), len(lines))
    errors = [ESCAPED.sub("", line).removeprefix("error: ").strip() for line in lines[start:end]]
    return next(
        (line for line in errors[1:] if TELLS_WHY.search(line)), next(filter(None, reversed(errors)), "no reason")
    )


def _short(text: str) -> str:
    return printable(" ".join(text.split()), LONGEST_REASON)
