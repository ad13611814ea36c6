"""Files and standard input as evidence: outputs of tools in text or JSON, and statements."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_cross_examine.boards import read_board
from fairtrial_cross_examine.formats import (
    MOST_RUNS,
    all_formats,
    clean,
    numbered,
    read_broken_json,
    read_json,
    read_text,
)
from fairtrial_cross_examine.model import BoardRow, PrintedOutput, PrintedRun, UnreadRow
from fairtrial_cross_examine.statement import read_statement
from fairtrial_cross_examine.unreadable import HALF_CHARACTER, UNREADABLE, in_unicode, reason_of, whole_number

LARGEST_FILE_BYTES = 16 << 20
"""Room for a hundred thousand times in hyperfine's JSON; a log of every request is not what a tool prints."""
JSON_START = re.compile(r"\A\s*[{\[]|^[ \t]*\{", re.MULTILINE)
MOST_FAILURES = 50
"""Lines that begin as a document, and are none."""
STDIN = Path("-")
STDIN_NAME = "standard input"


def read_evidence(files: Sequence[Path]) -> PrintedOutput:
    """Everything that was printed in these files; without any, or for `-`, in standard input.

    Runs have names that differ: of two files with the same name, the folder is a part of it.

    Raises:
        Problem: a file cannot be read, is too large, or holds no output that is known.
    """
    labels = dict(zip(_labels(files or [STDIN]), files or [STDIN], strict=True))
    texts = {label: _text_of(file) for label, file in labels.items() if file.suffix != ".toml"}
    boards = {label: _read_board(text, label) for label, text in texts.items()}
    rows = {label: of_file for label, (of_file, _) in boards.items() if of_file}
    if rows:
        return PrintedOutput(
            rows=[row for of_file in rows.values() for row in of_file],
            unread_rows=[row for _, unread in boards.values() for row in unread],
            passed_over=[label for label in labels if label not in rows],
        )
    runs, ratios = [], []
    for label, file in labels.items():
        if file.suffix == ".toml":
            evidence = read_statement(file)
            runs += [run.model_copy(update={"source": label}) for run in evidence.runs]
            ratios += [ratio.model_copy(update={"source": label}) for ratio in evidence.ratios]
        else:
            runs += _read_output(texts[label], label)
    if len(runs) > MOST_RUNS:
        raise Problem(f"more than {MOST_RUNS:,} runs", "cross-examine fewer files at once")
    return PrintedOutput(runs=runs, ratios=ratios)


def read_rows(file: Path) -> tuple[list[BoardRow], list[UnreadRow]]:
    """The rows of a board's file, and those of which nothing is read; none of both if it is no board's.

    Raises:
        Problem: it cannot be read, is too large, or is a board's, but not as the board writes it.
    """
    return _read_board(_text_of(file), printable(file.name))


def _labels(files: Sequence[Path]) -> list[str]:
    """The names of the files in the report: their own, with the folder where two are the same."""
    names = [STDIN_NAME if file == STDIN else file.name for file in files]
    return [printable(name if names.count(name) == 1 else str(file)) for name, file in zip(names, files, strict=True)]


def _text_of(file: Path) -> str:
    if file == STDIN:
        if sys.stdin is None or sys.stdin.isatty():
            raise Problem("there is nothing to read", "name a file, or pipe what a tool printed: wrk … | fairtrial …")
        return _decoded(sys.stdin.buffer, STDIN_NAME)
    try:
        with file.open("rb") as opened:
            return _decoded(opened, printable(str(file)))
    except OSError as error:
        raise Problem(
            f"{printable(str(file))}: cannot be read: {error.strerror}", "check the path and its permissions"
        ) from error


def _decoded(opened: BinaryIO, name: str) -> str:
    content = opened.read(LARGEST_FILE_BYTES + 1)
    if len(content) > LARGEST_FILE_BYTES:
        raise Problem(f"{name}: larger than {LARGEST_FILE_BYTES:,} bytes", "give what the tool printed at its end")
    utf16 = content.startswith((b"\xff\xfe", b"\xfe\xff"))  # what a redirection in PowerShell writes
    return content.decode("utf-16" if utf16 else "utf-8-sig", errors="replace")


def _read_board(text: str, label: str) -> tuple[list[BoardRow], list[UnreadRow]]:
    try:
        return read_board(text, label)
    except UNREADABLE as error:
        raise Problem(f"{label}: {_reason(error)}", "give the file as the board publishes it, unchanged") from error


def _read_output(text: str, label: str) -> list[PrintedRun]:
    try:
        runs, rest = _read_documents(text, label)
        if "{" in text and not any(run.has_figures for run in runs):
            unprefixed = _read_documents(clean(text), label)
            runs, rest = unprefixed if any(run.has_figures for run in unprefixed[0]) else (runs, rest)
        runs += read_text(rest, label)
    except UNREADABLE as error:
        raise Problem(f"{label}: {_reason(error)}", "give the output as the tool printed it, unchanged") from error
    if not runs:
        raise Problem(
            f"{label}: holds nothing that {', '.join(all_formats())} prints",
            "give the output as it was printed; for a table that is no tool's, write a statement (.toml): "
            "docs/cross-examine.md",
        )
    if not any(run.has_figures or run.ambiguous for run in runs):
        tools = ", ".join(dict.fromkeys(run.tool for run in runs))
        missing = ", ".join(dict.fromkeys(name for run in runs for name in run.not_read))
        raise Problem(
            f"{label}: of what {tools} prints, none of this could be read: {missing}",
            "give the whole report, as text or JSON, unchanged",
        )
    return numbered(runs)


def _reason(error: Exception) -> str:
    return f"it looks like a tool's output, but cannot be read as one: {reason_of(error)}"


def _read_documents(text: str, label: str) -> tuple[list[PrintedRun], str]:
    """The runs of the JSON documents of tools in a text, each of which begins a line, and the text without them.

    Of one that breaks off, what is left of it is not searched for others.
    """
    decoder = json.JSONDecoder(parse_int=whole_number)
    runs: list[PrintedRun] = []
    rest, place, failures = [], 0, 0
    while failures < MOST_FAILURES and (match := JSON_START.search(text, place)) is not None:
        start = match.end() - 1
        rest.append(text[place:start])
        try:
            document, place = decoder.raw_decode(text, start)
            if HALF_CHARACTER.search(text, start, place) is not None:
                document = in_unicode(document)
            of_document = read_json(document, label)
        except json.JSONDecodeError as error:
            end = text.find("\n{", start, error.pos)  # the next document, which would be a part of this one
            end = error.pos if end < 0 else end
            of_document, failures = read_broken_json(text[start:end], label), failures + 1
            place = end if of_document else start + 1
        rest.append("" if of_document else text[start:place])
        runs += of_document
    return runs, "".join([*rest, text[place:]])
