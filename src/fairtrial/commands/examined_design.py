"""The design of a plan, examined before anything is built or started: what is printed, and what stops the run."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from fairtrial.judge.design.model import Flaw
    from fairtrial.plan.plan import Plan

GO_ON = "mend them, or go on with --anyway: the sentences of the claims then say what is known of them"


def examine_design(
    console: "Console", plan: "Plan", file: Path, *, elsewhere: bool, anyway: bool, quick: bool = False
) -> None:
    """Print what the design of a plan says of its verdicts.

    Args:
        file: the experiment's, whose lines are named.
        elsewhere: whether the trials take place on hosts whose processors are not known yet.
        anyway: whether the run goes on whatever is found.
        quick: whether lengths are those of the quick form.

    Raises:
        Problem: an answer would be worthless, and `anyway` is false. Its reason holds all that was found.
    """
    from fairtrial.base.problem import Problem
    from fairtrial.judge.design import design_kinds, flaws_of
    from fairtrial.lab.placement import planned_placement
    from fairtrial.plan.design import design_of

    processors = None if elsewhere else len(planned_placement(plan.experiment).server_cpus)
    kinds = design_kinds()
    flaws = [each for each in flaws_of(design_of(plan, processors)) if kinds[each.kind].in_quick or not quick]
    if not flaws:
        return
    lines = _lines(file)
    if not anyway and any(flaw.severity == "stop" for flaw in flaws):
        raise Problem("\n".join(_in_full(flaw, file, lines) for flaw in flaws), GO_ON)
    for (severity, kind), group in groupby(flaws, lambda flaw: (flaw.severity, flaw.kind)):
        console.print(_in_short(severity, kind, list(group), file, lines), markup=False, highlight=False)


class _Lines:
    """Where the keys of flaws stand in a file."""

    def __init__(self, lines: Mapping[str, int], claims: Sequence[str]) -> None:
        self._lines, self._claims = lines, claims

    def of(self, flaw: "Flaw") -> int | None:
        """The line of a flaw's key; None where the file does not say it, as of claims that a command adds."""
        from fairtrial.base.toml_lines import line_of_key

        if flaw.claim is None or "." in flaw.key:
            return line_of_key(self._lines, flaw.key)
        if flaw.claim not in self._claims:
            return None
        return line_of_key(self._lines, f"claims[{self._claims.index(flaw.claim)}].{flaw.key}")


def _lines(file: Path) -> _Lines:
    """The lines of a file that was read before, so that it is TOML, unless it changed: then no line is known."""
    import tomllib

    from fairtrial.base.toml_lines import key_lines

    try:
        text = file.read_text(encoding="utf-8")
        claims = tomllib.loads(text).get("claims", [])
        return _Lines(key_lines(text), [str(claim.get("id")) for claim in claims])
    except (OSError, ValueError, AttributeError):
        return _Lines({}, [])


def _in_full(flaw: "Flaw", file: Path, lines: _Lines) -> str:
    """`mine.toml:31: claim twice: at_least: impossible-bound: …`, and the remedy on a line of its own."""
    from fairtrial.base.printable import printable

    line = lines.of(flaw)
    where = f"{file}:{line}" if line is not None else f"{file}"
    claim = "" if flaw.claim is None else f"claim {flaw.claim}: "
    weight = "" if flaw.severity == "stop" else f" ({flaw.severity})"
    words = printable(f"{where}: {claim}{flaw.key}: {flaw.kind}{weight}: {flaw.evidence}")
    return f"{words}\n    remedy: {printable(flaw.remedy)}"


def _in_short(severity: str, kind: str, flaws: "Sequence[Flaw]", file: Path, lines: _Lines) -> str:
    """One line for a kind: of notes their number and lines, of all else also what the first of them says."""
    from fairtrial.base.formatting import count
    from fairtrial.base.printable import printable

    numbers = [str(line) for flaw in flaws if (line := lines.of(flaw)) is not None]
    where = f"{file}:{','.join(dict.fromkeys(numbers))}" if numbers else f"{file}"
    claims = [flaw.claim for flaw in flaws if flaw.claim is not None]
    what = f" ({count(len(claims), 'claim')})" if len(claims) > 1 else f" ({claims[0]})" if claims else ""
    if severity == "note":
        return printable(f"{severity}: {where}: {kind}{what}: in the report")
    more = " (the first of them)" if len(flaws) > 1 else ""
    return printable(f"{severity}: {where}: {kind}{what}: {flaws[0].evidence}; {flaws[0].remedy}{more}")
