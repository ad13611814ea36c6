"""The whole site: every record judged again, every board examined, and their pages."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.judge.judging import judge_record
from fairtrial.record.read import read_record
from fairtrial.record.write import RECORD_FILE
from fairtrial_cross_examine.read import read_rows
from fairtrial_docket.entries import ClaimEntry, ExperimentEntry, by_contender, entry_of
from fairtrial_docket.names import page_name
from fairtrial_docket.pages.board import BoardEntry, write_board
from fairtrial_docket.pages.claim import write_claim
from fairtrial_docket.pages.contender import write_contender
from fairtrial_docket.pages.experiment import write_experiment
from fairtrial_docket.pages.start import write_start
from fairtrial_docket.site import Site
from fairtrial_docket.sources import Source, find_sources


@dataclass(frozen=True)
class Built:
    """What became of a folder."""

    entries: Sequence[ExperimentEntry]
    boards: Sequence[BoardEntry]
    passed_over: Sequence[str]
    """records and boards that could not be read, with the reason"""
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
    for number, source in enumerate(sources, 1):
        say(f"{number} of {len(sources)}: {source.name}")
        try:
            if source.kind == "record":
                entries.append(_experiment(site, source))
            elif rows := read_rows(source.file):
                boards.append(write_board(site, rows, source.name, site.keep(source.file, page_name(source.name))))
        except Problem as problem:
            passed_over.append(f"{source.name}: {problem.reason}")
    if not entries and not boards:
        raise Problem(
            "; ".join(passed_over) or "none of the files is a record or a board's data",
            "name a folder of results that `fairtrial run` wrote, or of data that a board published",
        )
    say("pages of contenders and claims")
    for path, conditions in by_contender(entries).items():
        write_contender(site, path, conditions)
    _claims(site, entries)
    write_start(site, entries, boards, passed_over)
    site.finish()
    return Built(entries, boards, passed_over, sum(path.endswith(".html") for path in site.written))


def _experiment(site: Site, source: Source) -> ExperimentEntry:
    record, trials = read_record(source.file.parent if source.file.name == RECORD_FILE else source.file)
    result = judge_record(record, trials)
    entry = entry_of(result, source.name, site.keep(source.file, page_name(source.name)))
    write_experiment(site, entry, result, record, trials)
    return entry


def _claims(site: Site, entries: Sequence[ExperimentEntry]) -> None:
    alike: dict[tuple[str, str, str], list[ClaimEntry]] = defaultdict(list)
    for entry in sorted(entries, key=lambda each: each.started_at):
        for claim in entry.claims:
            alike[entry.experiment, claim.claim.id, claim.claim.text].append(claim)
    for claims in alike.values():
        for claim in claims:
            write_claim(site, claim, claims)
