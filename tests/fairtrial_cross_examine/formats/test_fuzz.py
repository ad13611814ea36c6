"""Whatever becomes of an output, it is read within a second, or refused in words."""

import json
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fairtrial.base.problem import Problem
from fairtrial_cross_examine.examination import examine_output
from fairtrial_cross_examine.formats import read_text
from fairtrial_cross_examine.model import PrintedOutput
from fairtrial_cross_examine.read import read_evidence
from tests.fairtrial_cross_examine.boards.files import (
    BY_OHA,
    BY_WRK,
    arena_framework,
    arena_profile,
    benchmarker,
    power_round,
)
from tests.fairtrial_cross_examine.formats.reports import HONEST
from tests.fairtrial_cross_examine.formats.test_cleaning import CHANGES, OUTPUTS, TEXTS

SEED = 20261128
TRIES = 12
MOST_SECONDS = 1.0
ALL_TEXTS = [
    *TEXTS.values(),
    *(text for texts in HONEST.values() for text in texts),
    *(file.read_text(encoding="utf-8") for file in sorted(OUTPUTS.iterdir())),
]
NUMBERS = ["", "0", "-1", "9" * 30, "1e308", "NaN", "0.00", "1,0,0", "\u0663", "."]


def cut(text: str, chance: random.Random) -> str:
    start, end = sorted(chance.sample(range(len(text) + 1), 2))
    return text[start:end]


def shuffled(text: str, chance: random.Random) -> str:
    lines = text.splitlines()
    chance.shuffle(lines)
    return "\n".join(lines)


def repeated(text: str, chance: random.Random) -> str:
    return (text + chance.choice(ALL_TEXTS)) * chance.randint(2, 5)


def without_lines(text: str, chance: random.Random) -> str:
    return "\n".join(line for line in text.splitlines() if chance.random() < 0.7)


def prefixed(text: str, chance: random.Random) -> str:
    return chance.choice(list(CHANGES.values()))(text)


def other_numbers(text: str, chance: random.Random) -> str:
    words = text.split(" ")
    return " ".join(
        chance.choice(NUMBERS) if any(map(str.isdigit, word)) and chance.random() < 0.2 else word for word in words
    )


def other_characters(text: str, chance: random.Random) -> str:
    return "".join(chr(chance.randrange(1, 0x2600)) if chance.random() < 0.03 else each for each in text)


def long_lines(text: str, chance: random.Random) -> str:
    return chance.choice([" ", "1", ">", "a ", "1 requests in ", "\n", "| "]) * 20_000 + text


MUTATIONS: list[Callable[[str, random.Random], str]] = [
    cut, shuffled, repeated, without_lines, prefixed, other_numbers, other_characters, long_lines,
]  # fmt: skip


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_a_mutation_is_read_or_refused(tmp_path: Path, mutation: Callable[[str, random.Random], str]) -> None:
    chance = random.Random(SEED)
    file = tmp_path / "mutated.txt"
    for number in range(TRIES):
        text = mutation(chance.choice(ALL_TEXTS), chance)
        if number % 3 == 0:
            text = chance.choice(MUTATIONS)(text, chance)
        file.write_text(text, encoding="utf-8", errors="replace")
        began = time.process_time()
        with suppress(Problem):
            examine_output(read_evidence([file]))
        assert time.process_time() - began < MOST_SECONDS, (number, text[:200])


VALUES = [None, True, "", 0, -1, 1e308, float("nan"), 10**40, "9" * 40, "1.2.3ms", "-5ms", "x", [], {}, [[]], [None]]
BOARDS = {
    "HttpArena": arena_framework({"json-512": {}, "baseline-512": {"pipeline": 16}}),
    "HttpArena's rounds": arena_profile({}, {"framework": "robin"}),
    "TechEmpower": power_round({"json": [{}, {}], "plaintext": [{}]}),
    "the-benchmarker": benchmarker(BY_WRK),
    "the-benchmarker by oha": benchmarker(BY_OHA),
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_boards_file_is_read_or_refused(tmp_path: Path, name: str) -> None:
    """Cut anywhere, or with another value in any place, which may be a whole object."""
    chance = random.Random(SEED)
    file = tmp_path / "data.json"
    text = json.dumps(BOARDS[name])
    mutations = [text[: chance.randrange(len(text))] for _ in range(TRIES)]
    mutations += [json.dumps(swapped(BOARDS[name], chance)) for _ in range(10 * TRIES)]
    for mutation in mutations:
        file.write_text(mutation)
        with suppress(Problem):
            examine_output(read_evidence([file]))


def swapped(document: Any, chance: random.Random) -> Any:
    keys = list(document) if isinstance(document, dict) else list(range(len(document)))
    key = chance.choice(keys)
    within = document[key] if isinstance(document[key], dict | list) and document[key] else None
    value = chance.choice(VALUES) if within is None or chance.random() < 0.2 else swapped(within, chance)
    copy = dict(document) if isinstance(document, dict) else list(document)
    copy[key] = value
    return copy


CUTS = 6
ENDS = re.compile(r"\s(?=\S)")


def kinds(text: str) -> set[str]:
    return {each.kind for each in examine_output(PrintedOutput(runs=read_text(text, "x"))).contradictions}


@pytest.mark.parametrize("text", ALL_TEXTS, ids=lambda text: text[:12])
def test_a_report_that_was_cut_between_two_words_is_accused_of_nothing_more(text: str) -> None:
    places = [match.end() for match in ENDS.finditer(text)]
    whole = kinds(text)
    for place in random.Random(SEED).sample(places, min(CUTS, len(places))):
        assert kinds(text[:place]) <= whole, text[:place][-80:]
        lines = text[:place].rpartition("\n")[0] + "\n"
        assert kinds(lines) <= whole and kinds(text[len(lines) :]) <= whole, lines[-80:]


@pytest.mark.parametrize("line", ["80000 requests in\n", "| a | b | 7 |\n", "\n", "x " * 50_000, "1,2,3\n"])
def test_the_time_to_read_grows_no_faster_than_a_text(line: str) -> None:
    """Ten million characters take a few seconds; of these here, a tenth and a hundredth are compared."""
    seconds = []
    for characters in (50_000, 500_000):
        began = time.process_time()
        read_text(line * (characters // len(line) + 1), "x")
        seconds.append(time.process_time() - began)
    assert seconds[1] < 50 * max(seconds[0], 0.02)


@pytest.mark.parametrize("line", ["Benchmark 1: x\n", "Success rate: 1\n"])
def test_too_many_outputs_are_refused_in_a_time_that_grows_no_faster_than_a_text(line: str) -> None:
    seconds = []
    for lines in (2_000, 20_000):
        began = time.process_time()
        with pytest.raises(ValueError, match="more than 1,000 outputs"):
            read_text(line * lines, "x")
        seconds.append(time.process_time() - began)
    assert seconds[1] < 50 * max(seconds[0], 0.02)
