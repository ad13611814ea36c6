"""The whole site: every record judged again, every board examined, and their pages."""

import os
import signal
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE
from fairtrial.tools.pool.machines import judged
from fairtrial_cross_examine.read import read_rows
from fairtrial_cross_examine.report.boards import unread_lines, unread_title
from fairtrial_docket.entries import ClaimEntry, ExperimentEntry, by_contender, entry_of
from fairtrial_docket.names import page_name
from fairtrial_docket.pages.board import BoardEntry, write_board
from fairtrial_docket.pages.choice import write_choice
from fairtrial_docket.pages.claim import write_claim
from fairtrial_docket.pages.contender import write_contender
from fairtrial_docket.pages.experiment import write_experiment
from fairtrial_docket.pages.start import write_start
from fairtrial_docket.pools import Pool, pools_of
from fairtrial_docket.questions import questions_of
from fairtrial_docket.site import Site
from fairtrial_docket.sources import DocketSource, find_sources

WORTH_PROCESSES_BYTES = 1 << 20
"""Of all sources: less is judged before other processes have started."""


@dataclass(frozen=True)
class Built:
    """The site that was built of a folder."""

    entries: Sequence[ExperimentEntry]
    boards: Sequence[BoardEntry]
    passed_over: Sequence[str]
    """records and boards that could not be read, and copies of records, with the reason"""
    pages: int


def build_docket(folders: Sequence[Path], out: Path, say: Callable[[str], None]) -> Built:
    """Write the site of these folders into `out`. `say` is told what is at work.

    A record or a board that cannot be read is passed over, and the first page says so.

    Raises:
        Problem: nothing was found that can be shown, or the site cannot be written.
    """
    sources = find_sources(folders, out)
    site = Site(out)
    entries: list[ExperimentEntry] = []
    boards: list[BoardEntry] = []
    passed_over: list[str] = []
    by_trials: dict[tuple[str, tuple[str, ...]], str] = {}
    for number, (source, outcome) in enumerate(zip(sources, _outcomes(site, sources), strict=True), 1):
        say(f"{number} of {len(sources)}: {source.name}")
        site.written |= outcome.paths
        if isinstance(outcome.entry, ExperimentEntry):
            entry = outcome.entry
            first = by_trials.setdefault((entry.lock, entry.measured or (source.name,)), source.name)
            if first == source.name:
                entries.append(entry)
            else:  # in a history, or over machines, it would pass for a further run
                site.remove(outcome.paths)
                passed_over.append(f"{source.name}: it has the trials of {first}")
        elif outcome.entry is not None:
            boards.append(outcome.entry)
        if outcome.passed_over:
            passed_over.append(f"{source.name}: {outcome.passed_over}")
    if not entries and not boards:
        raise Problem(
            "; ".join(passed_over) or "none of the files is a record or a board's data",
            "name a folder of results that `fairtrial run` wrote, or of data that a board published",
        )
    say("pages of contenders and claims")
    for path, conditions in by_contender(entries).items():
        write_contender(site, path, conditions)
    pools = pools_of(entries)
    _claims(site, entries, pools)
    write_choice(site, entries)
    write_start(site, entries, pools, boards, passed_over)
    site.finish()
    return Built(entries, boards, passed_over, sum(path.endswith(".html") for path in site.written))


@dataclass(frozen=True)
class _Outcome:
    """The result of one source, whose pages are written."""

    entry: ExperimentEntry | BoardEntry | None
    passed_over: str
    paths: Set[str]
    """that it wrote"""


def _outcomes(site: Site, sources: Sequence[DocketSource]) -> Iterator[_Outcome]:
    """The result of each source, in their order: in several processes where there is enough to judge."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    workers = min(processors, len(sources))
    if workers < 2 or sum(source.file.stat().st_size for source in sources) < WORTH_PROCESSES_BYTES:
        yield from (_outcome(site.part(), source) for source in sources)
        return
    count = 0
    with suppress(BrokenProcessPool):
        for outcome in _in_processes(workers, site, sources):
            count += 1
            yield outcome
    # Where a process was ended from outside, as memory ran out, the rest is judged here, one at a time.
    yield from (_outcome(site.part(), source) for source in sources[count:])


def _in_processes(workers: int, site: Site, sources: Sequence[DocketSource]) -> Iterator[_Outcome]:
    before = set(active_children())
    # Not forked: the console's status is drawn by a thread. Ctrl-C is for this process, which then ends them.
    ignoring = (signal.SIGINT, signal.SIG_IGN)
    with ProcessPoolExecutor(workers, get_context("spawn"), initializer=signal.signal, initargs=ignoring) as pool:
        try:
            # Not pool.map: it cancels what is left, and of a broken pool that ends in a traceback of its thread.
            try:
                futures = [pool.submit(_outcome, site.part(), source) for source in sources]
            except (OSError, ValueError) as error:
                # One process ended while another was started: the pool has closed the pipes that the other gets.
                raise BrokenProcessPool(str(error)) from error
            futures.reverse()
            while futures:
                yield futures.pop().result()
        except BaseException:  # the pool would wait for the judgements that are under way
            for worker in set(active_children()) - before:
                worker.kill()
            raise


def _outcome(site: Site, source: DocketSource) -> _Outcome:
    entry: ExperimentEntry | BoardEntry | None = None
    not_read = ""
    try:
        if source.kind == "record":
            entry = _experiment(site, source)
        else:
            rows, unread = read_rows(source.file)
            if rows:
                entry = write_board(site, rows, source.name, site.keep(source.file, page_name(source.name)))
            if unread:
                not_read = "; ".join([unread_title(unread).lower(), *unread_lines(unread)])
    except Problem as problem:
        return _Outcome(None, problem.reason, site.written)
    return _Outcome(entry, not_read, site.written)


def _experiment(site: Site, source: DocketSource) -> ExperimentEntry:
    record, trials = read_record(source.file.parent if source.file.name == RECORD_FILE else source.file)
    result = judged(Path(source.file.name), record, trials)
    path = site.keep(source.file, page_name(source.name))
    entry = entry_of(result, source.name, path, record, trials)
    entry.questions.extend(questions_of(record, result, trials))
    write_experiment(site, entry, result, record, trials)
    return entry


def _claims(site: Site, entries: Sequence[ExperimentEntry], pools: Mapping[str, Pool]) -> None:
    alike: dict[tuple[str, str, str], list[ClaimEntry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda each: each.started_at):
        for claim in entry.claims:
            alike[entry.experiment, claim.claim.id, claim.claim.text].append(claim)
    for claims in alike.values():
        for claim in claims:
            write_claim(site, claim, claims, pools.get(claim.of.lock))
