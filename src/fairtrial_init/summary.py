"""The words of `fairtrial init` on a service that it tried once."""

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from fairtrial.base.formatting import count, figure
from fairtrial.base.printable import log_tail, printable
from fairtrial.judge.metrics import supported_percentile
from fairtrial.report.columns import time_cell
from fairtrial.tools.load.measure import Measurement
from fairtrial.tools.load.report.figures import goodput_in_words
from fairtrial.tools.load.report.terminal import error_lines
from fairtrial_init.database import database_remedy
from fairtrial_init.try_once import Attempt

REMEDIES = {
    "keep-alive": "let it speak HTTP/1.1 and keep connections, as it does in production or behind a proxy",
    "close": "most servers answer so by themselves; a framework's development server may not",
    "listens-on-host": "let it listen on the address that the variable HOST says (127.0.0.1), not on all of them",
}
"""By clause of any server, what to do about it. A trial in which one is broken is refused."""
AFTER_ITS_END = "see what it printed, and why it ended"
OF_A_REQUEST = "mend the request or what it expects, or leave it out"


def print_attempt(console: Console, attempt: Attempt, workload: str) -> None:
    """Print what was seen. Text from the server has no effect on the terminal.

    Args:
        workload: the workload file, which messages name.
    """
    console.print(Text(f"ready after {figure(attempt.start_up_seconds)} s"))
    log = "" if attempt.log is None else log_tail(attempt.log)
    if attempt.exit_status is not None:
        ended = f"  it ended by itself with status {attempt.exit_status} while it was asked"
        console.print(Text(ended, style="bold red"), soft_wrap=True)
    for clause in attempt.clauses:
        is_of_request = clause.name in attempt.requests
        if clause.passed:
            if is_of_request:
                console.print(Text.assemble(("  ✓ ", "green"), printable(clause.name)), soft_wrap=True)
            continue
        own = "; ".join(filter(None, [clause.remedy, f"{OF_A_REQUEST}: {workload}"]))
        advice = own if is_of_request else REMEDIES.get(clause.name, "")
        page = attempt.pages.get(clause.name, "")
        evidence = clause.evidence if not page else f"{clause.evidence.partition(':')[0]}: {page}"
        if attempt.exit_status is not None:
            advice = AFTER_ITS_END
        elif is_of_request and evidence.startswith("status 5"):
            advice = database_remedy(f"{evidence}\n{log}") or advice
        line = Text.assemble(("  ✗ ", "bold red"), f"{printable(clause.name)}: ", (printable(evidence, 300), "red"))
        console.print(line, soft_wrap=True)
        console.print(Text(f"    {advice}"), soft_wrap=True)
    if attempt.log is not None:
        for logged in log.splitlines():
            console.print(Text(f"    {logged}", style="dim"), soft_wrap=True)
        console.print(Text(f"the end of what it printed; all of it: {attempt.log}"), soft_wrap=True)
    for line in _load_in_words(attempt.measurement):
        console.print(line, soft_wrap=True)


def _load_in_words(measurement: Measurement | None) -> Iterator[Text]:
    if measurement is None:
        yield Text("no load was offered: no request was answered as it should be", style="bold red")
        return
    summary, connections = measurement.summary, measurement.plan.load.connections
    times = [
        f"p{name} {time_cell(seconds, summary.response_time.bounds_from_seconds)} ms"
        for name in ("50", "99")
        if (seconds := supported_percentile(summary.response_time, name)) is not None
    ]
    figures = ", ".join([goodput_in_words(measurement), *times])
    yield Text(f"{summary.window_seconds:.1f} s of load from {count(connections, 'connection')}: {figures}")
    yield from (Text("  ").append_text(line) for line in error_lines(measurement))
