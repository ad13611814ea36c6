from collections import defaultdict
from collections.abc import Iterator

from fairtrial.base.formatting import count, figure
from fairtrial.experiment.value import Value
from fairtrial.judge.checks.check import check
from fairtrial.judge.checks.model import Case, Finding, Threshold, finding
from fairtrial.record.database import Maintenance
from fairtrial.record.model import TrialRecord

ARTICLES = {"analysis": "an"}

Group = tuple[str, Value | None]
"""A service and a value of the sweep: what trials that are compared with each other have in common."""


@check(
    "database-maintenance",
    looks_at="checkpoints, flushed pages, vacuum, analyses of tables and snapshots of the database in each window, by "
    "its own counters, compared with the other windows on the same service",
    remedy="lengthen the windows, so that each holds some; or have the database do it at another time, by its settings "
    "(checkpoint_timeout, autovacuum, innodb_io_capacity, save); and take more blocks, whose median such windows "
    "do not move",
    pages_per_second=Threshold(
        200,
        "pages a second",
        "InnoDB's own measure of what flushing in the background takes (innodb_io_capacity, 200 by default); what "
        "goes beyond it is flushed because it has to be",
    ),
)
def database_maintenance(case: Case, *, pages_per_second: float) -> Iterator[Finding]:
    """Windows in which the database did work of its own that it did not do in the others they are compared with.

    A warning for each trial that differs from most others: by what its window held, or lacked. A note on the experiment
    where a service did not tell.
    """
    groups: dict[Group, list[TrialRecord]] = defaultdict(list)
    for trial in case.trials:
        for service in trial.maintenance:
            groups[service, case.condition_of(trial).at].append(trial)
    for service in dict.fromkeys(service for service, _ in groups):
        readings = [trial.maintenance[service] for trial in case.trials if service in trial.maintenance]
        if not any(each.counted for each in readings):
            yield finding(
                "note",
                f"not examined: {service} did not tell what it did for itself, such as checkpoints and vacuum",
                "let the login of its URL read the server's status",
                examined=False,
            )
    for (service, _), trials in groups.items():
        yield from _of_group(
            service, [trial for trial in trials if trial.maintenance[service].counted], pages_per_second
        )


def _of_group(service: str, trials: list[TrialRecord], pages_per_second: float) -> Iterator[Finding]:
    """For each kind of work, the trials with it or those without it, whichever are fewer."""
    work = {trial.index: work_held(trial.maintenance[service], pages_per_second) for trial in trials}
    for kind in dict.fromkeys(kind for kinds in work.values() for kind in kinds):
        holding = [index for index, kinds in work.items() if kind in kinds]
        lacking = [index for index in work if index not in holding]
        fewer = holding if len(holding) <= len(lacking) else lacking
        for index in fewer:
            if fewer is holding:
                what = f"{ARTICLES.get(kind, 'a')} {kind} of {service} ({work[index][kind]})"
                beside = f"{len(lacking)} of {len(trials)} windows did not"
            else:
                what, beside = f"no {kind} of {service}", f"{len(holding)} of {len(trials)} windows did"
            evidence = f"its window held {what}, and {beside}: part of the difference between them is that"
            yield finding("warning", evidence, trial=index)


def work_held(maintenance: Maintenance, pages_per_second: float) -> dict[str, str]:
    """The work that a service did for itself in a window, by kind, in words."""
    counted, running, work = maintenance.counted, maintenance.running, dict[str, str]()
    checkpoints, pages = counted.get("checkpoints"), counted.get("pages")
    rate = (pages or 0) / max(maintenance.seconds, 1e-9)
    waits = counted.get("waits_for_pages", 0)
    many = rate >= pages_per_second
    if checkpoints is None and (many or waits):
        work["flush"] = f"{figure(rate)} pages a second" + (
            f", {count(waits, 'wait')} for a free page" if waits else ""
        )
    # A checkpoint that was due, with nothing to write, is counted as well.
    elif checkpoints is not None and (many or "checkpoint" in running or (checkpoints and pages != 0)):
        flushes = "" if pages is None else f", {count(pages, 'page')} written"
        work["checkpoint"] = f"{checkpoints} begun{flushes}"
    for kind, counter in (("vacuum", "vacuums"), ("analysis", "analyses"), ("snapshot", "snapshots")):
        runs = counted.get(counter, 0)
        if runs or kind in running:
            work[kind] = f"{runs} counted" if runs else "under way"
    return work
