"""Outputs of tools: one file for each tool. Adding a tool is adding a file that defines `FORMAT`."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice, pairwise
from typing import Any

from fairtrial.base.registry import defined_in
from fairtrial_cross_examine.command_line import NO_CALL, PrintedCall, last_command, last_commands
from fairtrial_cross_examine.formats.cleaning import cleaned, with_points
from fairtrial_cross_examine.formats.model import Format, Section
from fairtrial_cross_examine.formats.others import NOT_READ
from fairtrial_cross_examine.model import PrintedRun

__all__ = ["all_formats", "clean", "numbered", "read_broken_json", "read_json", "read_text"]

MOST_RUNS = 1000


@cache
def all_formats() -> Mapping[str, Format]:
    """Every format by the name of its tool, in the order of the names."""
    return defined_in(__name__, __path__, "FORMAT")


def read_text(text: str, source: str) -> list[PrintedRun]:
    """Every output in a text, in its order. Text between the outputs is passed over, but for the calls in it.

    An output of which no figure could be read is a run without figures, if two of its lines tell that it is one, or one
    and the call before it.

    Raises:
        ValueError: it holds more than 1,000 outputs, or something that is no number where one must be.
    """
    text = _pointed(clean(text))
    places = list(_places(text))
    if len(places) > MOST_RUNS:
        raise ValueError(f"more than {MOST_RUNS:,} outputs")
    places = _apart(places, text)
    read = []
    called_since: dict[tuple[re.Pattern[str], ...], int] = {}
    unclear: set[tuple[re.Pattern[str], ...]] = set()
    read_up_to = 0
    for place, following in zip(places, [*places[1:], None], strict=False):
        end = len(text) if following is None else following.start
        cut = _end_of(place, text, end)
        called_from = max(read_up_to, called_since.get(place.formats[0].lines, 0))
        before = "" if place.headless else text[called_from : place.start]
        form = _form_of(place.formats, text[place.start : cut], before)
        if place.mixed:
            read.append(_completed(PrintedRun(), form, source, [_MIXED]))
            continue
        names, lines = form.calls or [form.name], place.formats[0].lines
        calls = list(islice(last_commands(before, names), 2))
        if len({call.line for call in calls}) > 1 and _has_no_call(following, place, text, names):
            unclear.add(lines)
            calls = []
        elif calls:
            unclear.discard(lines)
        command = calls[0] if calls else NO_CALL
        section = Section(text[place.start : cut], command, before, behind=text[cut:end])
        content = form.read(section)
        if isinstance(content, PrintedRun) and not _is_of(command, content):
            section = replace(section, command=NO_CALL)
            content = form.read(section)
        called_since[lines] = place.last
        runs = [content] if isinstance(content, PrintedRun) else [PrintedRun()] if content is None else content
        if not command.is_given and len(place.steps) == 1:
            runs = runs if any(run.has_figures for run in runs) else []
        if section.command.url is not None:
            runs = [run.model_copy(update={"url": run.url or section.command.url}) for run in runs]
        if lines in unclear:
            runs = [run.model_copy(update={"load": None, "remarks": [*run.remarks, _UNCLEAR]}) for run in runs]
        if runs and _is_doubled(place, text):
            last = runs[-1].model_copy(update={"not_read": [*runs[-1].not_read, "the column beside it"]})
            runs = [*runs[:-1], last]
        if runs:
            remarks = [_HEADLESS] if place.headless or (place.is_behind_a_stop and not command.is_given) else []
            read += [_completed(run, form, source, section.ambiguous, remarks) for run in runs]
            read_up_to = place.last
    return numbered([*read, *_of_other_forms(text, source)])


TIMES = ("-z", "-d", "-D", "--duration")
"""Options beside which a number of requests may be none."""


def _is_of(command: PrintedCall, run: PrintedRun) -> bool:
    """Whether an output can be that of the call above it: no run has more requests than its call asks for."""
    most = None if command.has(*TIMES) else command.number("-n", "--requests", "--total")
    return most is None or run.requests is None or run.requests.low <= most


_UNCLEAR = "several calls stand above several outputs: which is whose is not known"


def _has_no_call(following: "_Place | None", place: "_Place", text: str, names: Sequence[str]) -> bool:
    """Whether the next output of the same lines has no call above it, so that it may be one above this output."""
    if following is None or following.formats is not place.formats:
        return False
    return not last_command(text[place.last : following.start], names).is_given


def _is_doubled(place: "_Place", text: str) -> bool:
    """Whether the line that every output has stands twice in one line, as of two terminals beside each other."""
    start = next((start for step, start in place.steps if step == place.anchor), None)
    first = None if start is None else place.formats[0].lines[place.anchor].match(text, start)
    if first is None:
        return False
    end = text.find("\n", first.end())
    rest = text[first.end() : len(text) if end < 0 else end]
    return re.search(place.formats[0].anchor.removeprefix("^"), rest) is not None


def _form_of(formats: Sequence[Format], output: str, before: str) -> Format:
    """Whose output it is, of several tools that print the same lines: by its marks, else by the call before it."""
    marked = [form for form in formats if form.marks and re.search(form.marks, output, re.MULTILINE)]
    call = last_command(before, [form.name for form in formats])
    called = [form for form in formats if form.name == call.tool]
    return next(iter([*marked, *called, *(form for form in formats if not form.marks)]))


def _of_other_forms(text: str, source: str) -> Iterator[PrintedRun]:
    """Runs without figures, one for each output in a form that is not read."""
    for head, (tool, what) in NOT_READ.items():
        if re.search(head, text, re.MULTILINE):
            yield PrintedRun(name=source, source=source, tool=tool, not_read=[what])


def read_broken_json(beginning: str, source: str) -> list[PrintedRun]:
    """A run without figures for a document of a tool that breaks off; none if no tool's document begins so."""
    for form in all_formats().values():
        if form.in_json and re.search(form.in_json, beginning):
            return [_completed(PrintedRun(), form, source, remarks=["a document in JSON that breaks off"])]
    return []


def clean(text: str) -> str:
    """The text without what stands around the lines of tools."""
    return cleaned(text, _line_patterns())


def _pointed(text: str) -> str:
    """The text with points for decimal commas: each output has its own, and so has the text between two of them."""
    places = list(_places(text))
    starts = [*(place.start for place in places), len(text)]
    ends = [_end_of(place, text, end) for place, end in zip(places, starts[1:], strict=True)]
    cuts = [0, *(cut for pair in zip(starts, ends, strict=False) for cut in pair), len(text)]
    return with_points([text[start:end] for start, end in pairwise(cuts)])


@cache
def _line_patterns() -> Sequence[str]:
    """Patterns of the lines by which outputs are found, each once, without the `^` before it."""
    lines = [line.pattern.removeprefix("^") for form in all_formats().values() for line in form.lines]
    return list(dict.fromkeys(lines))


def numbered(runs: list[PrintedRun]) -> list[PrintedRun]:
    """Runs of one name with their number behind it."""
    names = [run.name for run in runs]
    return [
        run if names.count(run.name) == 1 else run.model_copy(update={"name": f"{run.name} #{number + 1}"})
        for number, run in enumerate(runs)
    ]


def _completed(
    run: PrintedRun, form: Format, source: str, ambiguous: Sequence[str] = (), remarks: Sequence[str] = ()
) -> PrintedRun:
    """With its file, its tool, and what every output of the tool has and this one lacks."""
    has = {
        "requests": run.requests,
        "seconds": run.seconds or run.rate_seconds,
        "rate": run.rate_per_second,
        "mean": run.times.mean,
        "max": run.times.maximum,
        "min": run.times.minimum,
    }
    return run.model_copy(
        update={
            "name": f"{source}: {run.name}" if run.name else source,
            "source": source,
            "tool": form.name,
            "ambiguous": ambiguous,
            "not_read": [*(name for name in form.always if has[name] is None), *run.not_read],
            "remarks": [
                *run.remarks,
                *remarks,
                *(_BESIDE for name in form.beside if has[name] is None and not run.name),
            ],
        }
    )


def read_json(document: Any, source: str) -> list[PrintedRun]:
    """The runs of a parsed JSON document; none if no tool writes such a document."""
    for form in all_formats().values():
        if runs := form.read_json(document):
            return [_completed(run, form, source) for run in runs]
    return []


_INTERRUPTION = re.compile(
    r"^\[?[\w.-]{1,60}@[\w.-]{1,60}[^\n]{0,100}[$#%](?:\s|$)|(?:\A|\n)\n[A-Z][^\n]{0,300}:\n+(?:\W*\n)?\Z", re.MULTILINE
)


@dataclass
class _Place:
    """Where an output begins, where its last known line is, which line of its formats that is, and whose it can be."""

    start: int
    last: int
    step: int
    formats: Sequence[Format]
    steps: list[tuple[int, int]]
    """its known lines, and where each of them starts"""
    mixed: bool = False
    """whether other outputs stand between its lines, so that nothing tells whose these are"""
    headless: bool = False
    """whether its first lines and its call may be those of another output"""
    is_behind_a_stop: bool = False
    """whether its first lines, if it had any, are above the place where another output was stopped"""

    @property
    def first(self) -> int:
        """Which of the known lines it begins with."""
        return self.steps[0][0]

    @property
    def anchor(self) -> int:
        """Which of the known lines the one is that every output has."""
        return len(self.formats[0].heads)


def _end_of(place: _Place, text: str, end: int) -> int:
    """Where it ends: what stands behind an empty line below its last known line is no part of it."""
    cut = text.find("\n\n", place.last, end) if place.formats[0].tails else end
    return end if cut < 0 else cut


_HEADLESS = "its first lines are missing, or another run's: whom it asked, over how many connections, is not known"
_BESIDE = "the time of the run stands above or below what it prints of it, and is missing"
_MIXED = "lines of several outputs that were printed at the same time"


def _apart(places: list[_Place], text: str) -> list[_Place]:
    """The outputs without what may be another's, where several were printed at the same time.

    So they are where one stops before its figures, and behind the next one another begins without its first lines.
    """
    apart: list[_Place] = []
    chain_start = 0  # from here on no empty line stands between them
    for place in places:
        before = apart[-1] if apart and apart[-1].formats is place.formats else None
        if before is None or place.is_behind_a_stop or "\n\n" in text[before.last : place.start]:
            before, chain_start = None, len(apart)
        stopped = [each for each in apart[chain_start:] if each.step < each.anchor]
        if before is None or place.first == 0 or not (stopped or before.mixed):
            apart.append(place)
            continue
        if stopped:
            apart.remove(stopped[-1])
        if before.mixed or place.first >= place.anchor or before is stopped[-1]:
            # An output before it that has its figures stays as it is, unless this one's lines may be among them.
            rest = apart[chain_start:]
            is_whole = not rest or (rest[-1] is not before and rest[-1] not in stopped)
            apart[len(apart) - (not is_whole) :] = [replace(place, mixed=True)]
            continue
        later_steps = [step for step in before.steps if step[0] >= place.first]
        if later_steps:
            apart[-1] = replace(before, start=later_steps[0][1], steps=later_steps, headless=True)
        apart.append(replace(place, headless=True))
    return apart


def _is_interrupted(between: str) -> bool:
    """Whether a call, a prompt or a line of prose with a colon stands below the first line of a part of a text."""
    rest = between.partition("\n")[2]
    return _INTERRUPTION.search(rest) is not None or last_command(rest, tuple(all_formats())).is_given


def _places(text: str) -> Iterator[_Place]:
    """The outputs in a text: one ends where a line stands that cannot follow in it, or a line of another tool."""
    families: dict[tuple[re.Pattern[str], ...], tuple[Format, ...]] = {}
    for form in all_formats().values():
        families[form.lines] = (*families.get(form.lines, ()), form)
    any_line = re.compile(f"^(?:{'|'.join(_line_patterns())})", re.MULTILINE)
    place: _Place | None = None
    is_apart = False
    for match in any_line.finditer(text):
        start = match.start()
        steps = {
            lines: [step for step, line in enumerate(lines) if line.match(text, start) is not None]
            for lines in families
        }
        if place is not None:
            later = [step for step in steps[place.formats[0].lines] if step > place.step]
            between = text[place.last : start]
            is_apart = bool(later) and (_is_interrupted(between) or place.formats[0].is_apart(between))
            if later and not is_apart:
                place.step, place.last = later[0], start
                place.steps.append((later[0], start))
                continue
            yield place
        own = [] if place is None else steps[place.formats[0].lines]
        lines = place.formats[0].lines if place is not None and own else next(key for key in families if steps[key])
        step = steps[lines][0]
        place = _Place(start, start, step, families[lines], [(step, start)], is_behind_a_stop=is_apart)
    if place is not None:
        yield place
