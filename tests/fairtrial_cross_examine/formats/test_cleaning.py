"""What stands before, around and between the lines of an output never changes what is read."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from textwrap import fill

import pytest

from fairtrial_cross_examine.formats import all_formats, read_text
from fairtrial_cross_examine.model import PrintedRun
from tests.fairtrial_cross_examine.formats import texts

TEXTS = {name: text for name, text in vars(texts).items() if name.isupper()}
OUTPUTS = Path(__file__).parents[1] / "data" / "tools"
Change = Callable[[str], str]
ARABIC = str.maketrans({str(digit): chr(0x660 + digit) for digit in range(10)})
WIDE = str.maketrans({chr(0x21 + place): chr(0xFF01 + place) for place in range(0x5E)})


def before(prefix: str) -> Change:
    """A prefix before every line; before an empty one without the space at its end."""

    def changed(text: str) -> str:
        return "".join(f"{prefix}{line}".rstrip() + "\n" for line in text.splitlines())

    return changed


def counted(template: str) -> Change:
    """A prefix with the number of the line in it, as time stamps have one."""
    return lambda text: "".join(
        f"{template.format(number // 60 % 60, number % 60)}{line}\n" for number, line in enumerate(text.splitlines())
    )


def garbled(encoding: str) -> Change:
    """UTF-8 as a program shows it that takes it for another encoding."""
    return lambda text: text.encode().decode(encoding, "replace")


def first_line_marked(mark: str) -> Change:
    """An item of a list: its other lines are indented."""
    return lambda text: (
        mark
        + "\n".join(line if not number else " " * len(mark) + line for number, line in enumerate(text.splitlines()))
    )


CHANGES: dict[str, Change] = {
    "quote": before("> "),
    "quote of a quote": before("> > "),
    "quote without a space": before(">"),
    "C++": before("// "),
    "shell": before("# "),
    "Javadoc": before(" * "),
    "SQL": before("-- "),
    "Lisp": before(";; "),
    "indented": before("      "),
    "tab": before("\t"),
    "list of lines": before("- "),
    "item": first_line_marked("- "),
    "numbered item": first_line_marked("1. "),
    "diff": before("+ "),
    "GitHub Actions": counted("2026-03-04T05:{:02}:{:02}.1234567Z "),
    "gh run view": counted("bench\tRun the load\t2026-03-04T05:{:02}:{:02}.1234567Z "),
    "GitLab": counted("2026-03-04T05:{:02}:{:02}.123456Z 01O "),
    "Jenkins": counted("[2026-03-04T05:{:02}:{:02}.123Z] "),
    "clock": counted("05:{:02}:{:02} "),
    "docker compose": before("load-1  | "),
    "docker compose with a time": counted("load-1  | 2026-03-04T05:{:02}:{:02}.123456789Z "),
    "kubectl --prefix": before("[pod/load-7d9fb/load] "),
    "stern": before("load-7d9fb load "),
    "journal": counted("Mar 04 05:{:02}:{:02} host load[812]: "),
    "logging": counted("2026-03-04 05:{:02}:{:02},123 INFO load: "),
    "quoted log": before("> [load] "),
    "CRLF": lambda text: text.replace("\n", "\r\n"),
    "colours": lambda text: text.replace(": ", ": \x1b[32m").replace("\n", "\x1b[0m\n"),
    "colours without ESC": lambda text: text.replace("\n", "[0m\n"),
    "bold figures": lambda text: text.replace("Requests/sec:", "**Requests/sec:**"),
    "code": lambda text: f"```text\n{text}```\n",
    "HTML": lambda text: f"<pre><code>{text.replace('<', '&lt;').replace('>', '&gt;')}</code></pre>\n",
    "spaces that do not break": lambda text: text.replace("  ", "\u00a0\u00a0"),
    "Buildkite": before("\x1b_bk;t=1772600000000\x07"),
    "CircleCI": counted("[05:{:02}:{:02}] "),
    "CRI": counted("2026-03-04T05:{:02}:{:02}.123456789Z stdout F "),
    "syslog": counted("<13>1 2026-03-04T05:{:02}:{:02}Z host load 12 - - "),
    "ninja": counted("[ {}.{:02}0000] "),
    "log of a container": lambda text: "".join(
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-03-04T05:06:07Z"}) + "\n"
        for line in text.splitlines()
    ),
    "one record": lambda text: json.dumps({"level": "info", "msg": text}),
    "strings of a program": lambda text: "".join(f"'{line}',\n" for line in text.splitlines()),
    "literals of a program": lambda text: "".join(f'"{line}\\n"\n' for line in text.splitlines()),
    "a long literal": lambda text: re.sub(r"(?<=\S)\n", r"\\\n", text),
    "lines of a page": lambda text: text.replace("\n", "<br/>"),
    "lines of a page in lines": lambda text: text.replace("\n", "<br>\n"),
    "line separators": lambda text: text.replace("\n", "\u2028"),
    "form feeds": lambda text: f"\f{text}".replace("\n\n", "\n\f\n"),
    "carriage returns alone": lambda text: text.replace("\n", "\r"),
    "UTF-16 read as bytes": lambda text: text.replace(" ", "\0 "),
    "colours with colons": lambda text: text.replace(": ", ": \x1b[38:2::1:2:3m").replace("\n", "\x1b[0m\x1b[K\n"),
    **{f"UTF-8 as {encoding}": garbled(encoding) for encoding in ("latin-1", "cp1252", "cp437", "cp850")},
    "another mu": lambda text: text.replace("µs", "\u03bcs"),
    "hyphens that do not break": lambda text: text.replace("Non-2xx", "Non\u20112xx"),
    "digits of another script": lambda text: text.translate(ARABIC),
    "wide colons and digits": lambda text: text.translate({key: WIDE[key] for key in map(ord, ":0123456789")}),
    "dots made one": lambda text: text.replace("..:", "….:").replace("...:", "…:"),
    "prose around": lambda text: f"We tried it. It printed:\n\n{text}\nand that is all.\n",
}


def what_is_read(text: str) -> list[PrintedRun]:
    return read_text(text, "file.txt")


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_it_changes_nothing(change: Change) -> None:
    for name, text in TEXTS.items():
        assert what_is_read(change(text)) == what_is_read(text), name
    for file in OUTPUTS.glob("*.txt"):
        text = file.read_text(encoding="utf-8")
        assert what_is_read(change(text)) == what_is_read(text), file.name


def test_what_is_added_in_a_diff_is_read() -> None:
    added = "".join(f"+{line}\n" for line in texts.WRK.splitlines())
    assert what_is_read(f"@@ -0,0 +1,9 @@\n{added}") == what_is_read(texts.WRK)


def test_a_record_of_a_script_keeps_what_was_printed() -> None:
    assert what_is_read(json.dumps({"tool": "wrk", "output": texts.WRK})) == what_is_read(texts.WRK)


def test_few_decimal_commas_tell_where_there_are_no_points() -> None:
    short = "Concurrency Level:   10\nTime taken for tests:   12.345 seconds\nComplete requests:   1000\n"
    short += "Requests per second:   81.01 [#/sec] (mean)\n"
    assert what_is_read(short.replace(".", ",")) == what_is_read(short)


@pytest.mark.parametrize(("sign", "dots"), [("?", "?"), ("\ufffd", "\ufffd"), ("+-", "..")])
def test_signs_of_hyperfine_that_a_console_cannot_show(sign: str, dots: str) -> None:
    assert what_is_read(texts.HYPERFINE.replace("±", sign).replace("…", dots)) == what_is_read(texts.HYPERFINE)


def test_several_services_that_took_turns() -> None:
    first, second = texts.WRK, texts.WRK.replace("136877", "136000")
    lines = zip(first.splitlines(), second.splitlines(), strict=True)
    mixed = "".join(f"load-1  | {one}\nload-2  | {other}\n" for one, other in lines)
    assert [run.requests for run in what_is_read(mixed)] == [run.requests for run in what_is_read(first + second)]


DIGITS = re.compile(r"(?<![\w.:/#+-])\d{5,}(?=\s)")


@pytest.mark.parametrize("mark", [",", "'", "\u2019", "_", "\u2009", "\u202f"])
def test_thousands_are_set_apart(mark: str) -> None:
    for name, text in TEXTS.items():
        changed = DIGITS.sub(lambda match: f"{int(match[0]):,}".replace(",", mark), text)
        assert what_is_read(changed) == what_is_read(text), name


@pytest.mark.parametrize("name", TEXTS)
def test_decimal_commas(name: str) -> None:
    """As a system with another language prints or a table calculator writes them, with points between thousands."""
    changed = re.sub(r"(?<![\d.])(\d+)\.(\d+)(?![\d.])", r"\1,\2", TEXTS[name])
    changed = re.sub(r"(?<![\d.])(\d{1,3})(\d{3}),(\d)", r"\1.\2,\3", changed)
    call, read = TEXTS[name].partition("\n")[0], what_is_read(TEXTS[name])
    assert what_is_read(changed) == read and changed != TEXTS[name], call


PAGE = "Bisher: 1,5 s, 2,5 s, 3,25 s, 12,75 s, 0,5 s, 17,5 s, 99,5 s und 1,25 s; danach:\n\n"


@pytest.mark.parametrize("name", TEXTS)
def test_commas_of_the_page_around_are_its_own(name: str) -> None:
    alone, page = what_is_read(TEXTS[name]), 3 * PAGE
    whole = what_is_read(f"{page}{TEXTS[name]}\n\n{page}")
    assert whole == alone


def test_three_decimals_are_no_thousands() -> None:
    text = texts.AB.replace("60.312 sec", "1.234 sec").replace("60312.000 [", "12.340 [")
    for before_it, behind in ((3 * PAGE, ""), ("", f"\n{3 * PAGE}"), (3 * PAGE, f"\n{3 * PAGE}")):
        (run,) = what_is_read(before_it + text + behind)
        assert run.seconds and run.seconds.value == 1.234 and run.times == what_is_read(text)[0].times
    (run,) = what_is_read(texts.WRK.replace(".", ",").replace("127,0,0,1", "127.0.0.1").replace("136877", "136.877"))
    assert run == what_is_read(texts.WRK)[0]


@pytest.mark.parametrize("width", [50, 60, 72, 80])
def test_wrapped_lines_are_read_or_said_not_to_be(width: int) -> None:
    """A figure is that of the whole line, or it is missing: never one that was cut."""
    for name, text in TEXTS.items():
        whole_runs = what_is_read(text)
        always = {form.name: set(form.always) for form in all_formats().values()}
        for how, wrapped in (("cut", _cut(text, width)), ("folded", _folded(text, width))):
            runs = what_is_read(wrapped)
            for run, whole in zip(runs, whole_runs, strict=True):
                for figure in ("requests", "seconds", "rate_per_second", "planned_seconds"):
                    assert getattr(run, figure) in (None, getattr(whole, figure)), (name, figure)
                for figure in ("mean", "minimum", "maximum"):
                    assert getattr(run.times, figure) in (None, getattr(whole.times, figure)), (name, figure)
                lost = {key for key, has in _always(run).items() if has is None and _always(whole)[key] is not None}
                assert lost & always[run.tool] <= set(run.not_read), (name, how)
                assert run.times.percentiles.items() <= whole.times.percentiles.items(), name
                assert run.unanswered.items() <= whole.unanswered.items() or name == "OHA", name


def _always(run: PrintedRun) -> dict[str, object]:
    """What every output of most tools has, by the names of a format."""
    return {
        "requests": run.requests,
        "seconds": run.seconds or run.rate_seconds,
        "rate": run.rate_per_second,
        "mean": run.times.mean,
        "max": run.times.maximum,
    }


def _cut(text: str, width: int) -> str:
    return "\n".join(re.sub(rf"(.{{{width}}})(?=.)", r"\1\n", line) for line in text.split("\n"))


def _folded(text: str, width: int) -> str:
    return "\n".join(fill(line, width) if len(line) > width else line for line in text.split("\n"))
