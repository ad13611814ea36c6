"""siege: text, and JSON. By its source, `src/main.c`, `src/browser.c` and `src/data.c`.

`Transactions` counts answers, also of status 4xx, but none of status 5xx or 408, which are among `Failed transactions`
with the requests that had no answer. `Successful transactions` counts statuses below 400, also of 3xx on the way. The
response time is the sum over all answers, those of 5xx included, over `Transactions`: with failures it is too long.
Without `-b` its users may pause, as its configuration says.
"""

import re

from fairtrial_cross_examine.figures import MILLISECOND, NUMBER, as_count, as_figure, exactly
from fairtrial_cross_examine.formats.model import MEASURED, Format, Section
from fairtrial_cross_examine.model import Figure, PrintedRun, RunTimes

DEFAULT_USERS = 25
BENCHMARK = re.compile(r"--benchmark|-[bgijqvNF]*b[bgijqvNF]*")


def read(section: Section) -> PrintedRun | None:
    """One report of siege, in text or as JSON."""
    transactions, failed = _count(section, "transactions"), _count(section, "failed transactions")
    if transactions is None or failed is None:
        return None
    successful, mean = _count(section, "successful transactions"), _time(section, "response time")
    command = section.command
    users = section.group(r"^\s*(?:\*\* )?Preparing (\d{1,9}) concurrent users")
    connections = command.connections(DEFAULT_USERS, "-c", "--concurrent") if users is None else int(users)
    all_out = any(BENCHMARK.fullmatch(word) for word in command.words)
    wrong = 0 if successful is None else max(transactions - successful, 0)
    return PrintedRun(
        load="closed" if all_out else None,
        connections=connections or None,
        seconds=_time(section, "elapsed time"),
        requests=exactly(transactions),
        rate_per_second=section.figure(_line("transaction rate")),
        times=RunTimes(
            mean=None if mean is None else _mean(mean, transactions, failed),
            minimum=_time(section, "shortest transaction"),
            maximum=_time(section, "longest transaction"),
        ),
        failures={"status 4xx": wrong} if wrong else {},
        unclear_failures={"failed": failed} if failed else {},
    )


def _line(label: str) -> str:
    """The line of a figure: `Elapsed time:  59.92 secs`, `"elapsed_time":  59.92,`."""
    return rf"(?i)^[\s{{\"]{{0,20}}{label.replace(' ', '[ _]')}\"?\s?:\s*({NUMBER})"


def _count(section: Section, label: str) -> int | None:
    text = section.group(_line(label))
    return None if text is None else as_count(text)


def _time(section: Section, label: str) -> Figure | None:
    match = section.find(rf"{_line(label)} ?(ms\b)?")
    return None if match is None else as_figure(match[1], MILLISECOND if match[2] else 1.0)


def _mean(printed: Figure, transactions: int, failed: int) -> Figure:
    """The mean of all answers: the printed one, or less by as many failures as had an answer."""
    least = printed.low * transactions / max(transactions + failed, 1)
    return Figure(value=(least + printed.high) / 2, within=(printed.high - least) / 2) if failed else printed


FORMAT = Format(
    name="siege",
    anchor=r"^(?:\{\s{0,20})?(?:Transactions|\"transactions\")\s?:\s",
    heads=(r"^(?:\*\* )?SIEGE \d", r"^(?:\*\* )?Preparing \d"),
    read=read,
    always=(*MEASURED, "min"),
)
