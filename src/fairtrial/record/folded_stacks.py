"""Folded stacks of calls, a line for each: `outermost;…;innermost COUNT`. Flame graph programs read the same."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem

Stack = tuple[str, ...]
"""Frames, the outermost first."""

MOST_BYTES = 64 * 2**20
MOST_FRAMES = 256
"""The frames of a stack at most; what lies deeper is one frame `…`."""
MOST_CHARACTERS = 240
"""The characters of a frame at most: generic types of Rust, C++ and Java can be as long as a page."""


def as_frame(text: str) -> str:
    """A frame's name as it stands in a file: on one line, without what separates frames or controls a terminal."""
    return printable(text, MOST_CHARACTERS).replace(";", ":") or "?"


def as_stack(frames: list[str]) -> Stack:
    """A stack of these frames, the outermost first, cut where it is too deep."""
    cut = [*frames[: MOST_FRAMES - 1], "…"] if len(frames) > MOST_FRAMES else frames
    return tuple(as_frame(frame) for frame in cut)


def write_folded(path: Path, stacks: Mapping[Stack, int]) -> None:
    """Write the stacks, the most frequent first.

    Raises:
        OSError: the file cannot be written.
    """
    lines = sorted(stacks.items(), key=lambda each: (-each[1], each[0]))
    path.write_text("".join(f"{';'.join(stack)} {count}\n" for stack, count in lines), encoding="utf-8")


def read_folded(path: Path) -> Counter[Stack]:
    """The stacks of a file, 64 MiB of it at most. Who wrote it is not known: frames are made printable again.

    Raises:
        Problem: it cannot be read, or holds something else.
    """
    try:
        with path.open("rb") as file:
            text = file.read(MOST_BYTES).decode(errors="replace")
    except OSError as error:
        raise Problem(
            f"{path}: cannot be read: {error.strerror}", "a profile's stacks belong beside its record: put them back"
        ) from error
    return folded_lines(text, str(path))


def folded_lines(text: str, origin: str) -> Counter[Stack]:
    """The stacks of a text of folded lines; a last line without a line end was cut off, and is left out.

    py-spy writes lines without a frame, now and then.

    Raises:
        Problem: one of the lines is none; the reason begins with `origin`.
    """
    stacks: Counter[Stack] = Counter()
    for number, line in enumerate(text.split("\n")[:-1], 1):
        frames, space, count = line.rpartition(" ")
        if not space or not count.isascii() or not count.isdigit() or len(count) > 15:
            raise Problem(
                f"{origin}, line {number}: not `frame;frame;… COUNT`", "it is no file of folded stacks: take it away"
            )
        stacks[as_stack(frames.split(";"))] += int(count)
    return stacks
