"""What stands before, around and between the lines of an output never changes what is read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from fairtrial_cross_examine.formats import read_text
from fairtrial_cross_examine.model import PrintedRun
from tests.fairtrial_cross_examine.formats import texts

TEXTS = {name: text for name, text in vars(texts).items() if name.isupper()}
OUTPUTS = Path(__file__).parents[1] / "data" / "tools"
Change = Callable[[str], str]


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


def test_several_services_that_took_turns() -> None:
    first, second = texts.WRK, texts.WRK.replace("136877", "136000")
    lines = zip(first.splitlines(), second.splitlines(), strict=True)
    mixed = "".join(f"load-1  | {one}\nload-2  | {other}\n" for one, other in lines)
    assert [run.requests for run in what_is_read(mixed)] == [run.requests for run in what_is_read(first + second)]
