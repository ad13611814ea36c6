"""The work of `fairtrial init`: it looks at a folder, asks, writes two files, and tries the service once."""

import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fairtrial.base.exit_status import ALL_WELL, IN_DOUBT, INTERRUPTED
from fairtrial.base.locations import PROJECT_FILE
from fairtrial.base.network_namespace import why_no_network_namespace
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_text
from fairtrial.base.user_namespace import why_no_network_namespace_within
from fairtrial.base.within_user_namespace import called_within
from fairtrial.catalog.stacks.repository import Repository
from fairtrial_import.import_source import Import, import_source
from fairtrial_init.answers import HAS_PARAMETERS, Answers, line_of
from fairtrial_init.ask import Ask, InitOptions, answers_from, missing_options, takes_port
from fairtrial_init.ci import CiService, repository_of, write_ci_file
from fairtrial_init.documents import documents_in
from fairtrial_init.files import (
    experiment_text,
    network_line,
    proposed_workload,
    service_name,
    workload_file,
)
from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects import proposals_for
from fairtrial_init.proposal import StartProposal
from fairtrial_init.requests import MOST_IMPORTED, MOST_OTHERS_NAMED, UserRequests
from fairtrial_init.summary import print_attempt
from fairtrial_init.try_once import Attempt, try_once


@dataclass(frozen=True, kw_only=True)
class Init:
    """One call of the command."""

    folder: Path
    options: InitOptions
    ask: Ask | None
    """None: nothing can be asked, or nothing is to be"""
    accept: bool
    """whether what is proposed is taken where nothing can be asked"""
    force: bool
    ci: CiService | None = None
    """for which a file is written, too"""

    @property
    def is_of_ci_alone(self) -> bool:
        """Whether all else is there already."""
        return self.ci is not None and (self.folder / PROJECT_FILE).is_file()


def initialise(call: Init, console: Console) -> int:
    """Write `fairtrial.toml` and a workload file, try the service once, and return the exit status.

    Raises:
        Problem: the folder cannot be used, an answer is missing or wrong, files are there already, or the service
            could not be built or started; in the last case the files are written.
    """
    folder = call.folder.resolve()
    if call.is_of_ci_alone:
        return _write_ci_file(call, folder, console)
    _assert_usable(call, folder)
    name = service_name(folder)
    experiment, workload = folder / PROJECT_FILE, workload_file(folder, name)
    _assert_no_files([experiment, workload], force=call.force)
    looked_at = ProjectFolder(folder)
    proposals, documents = proposals_for(looked_at), documents_in(looked_at)
    _tell_what_is_there(console, proposals, documents)
    ask = None if call.accept else call.ask

    def say(text: str) -> None:
        console.print(Text(text, style="red"), soft_wrap=True)

    answers = answers_from(call.options, proposals, documents, folder, ask, say)
    _write(experiment, workload, name, answers, proposals, call.force, console)
    try:
        attempt = try_once(experiment, workload, console, _user_requests(workload, name, answers, proposals))
    except KeyboardInterrupt:
        console.print(Text(f"interrupted; to try it: {_in(call.folder)}fairtrial run --quick"), soft_wrap=True)
        raise
    if attempt.listens_elsewhere and not attempt.interrupted:
        attempt = _tried_apart(experiment, workload, answers, attempt, console)
    print_attempt(console, attempt, workload.name)
    if attempt.interrupted:
        return INTERRUPTED
    failed = attempt.measurement is None or attempt.measurement.exit_status != ALL_WELL
    well = not attempt.broken and not failed
    _write_ci_file(call, folder, console)
    _tell_what_next(console, folder, call.folder, workload.name, well=well)
    return ALL_WELL if well else IN_DOUBT


def _assert_usable(call: Init, folder: Path) -> None:
    if not folder.is_dir():
        raise Problem(f"there is no folder {printable(str(folder), 300)}", "name the folder of a service")
    if call.ci is not None:
        repository_of(folder)
    missing = missing_options(call.options)
    if call.ask is None and not call.accept and missing:
        raise Problem(
            "standard input is no terminal, so that nothing can be asked",
            f"give {', '.join(missing)}; or --yes, to take what is proposed for what you leave out",
        )


def _assert_no_files(files: list[Path], *, force: bool) -> None:
    names = [file.name for file in files if file.exists() or file.is_symlink()]
    if names and not force:
        raise Problem(
            f"{printable(', '.join(names))}: there already", "give --force to overwrite, or use what is there"
        )


def _tell_what_is_there(console: Console, proposals: list[StartProposal], documents: list[str]) -> None:
    if not proposals:
        console.print("No kind of project is recognised here.")
    for place, proposal in enumerate(proposals):
        words = f"{'found' if place == 0 else 'also found'}: {proposal.kind}, {line_of(proposal.command)}"
        console.print(Text(printable(words, 300), style="" if place == 0 else "dim"), soft_wrap=True)
    for document in documents[:3]:
        console.print(Text(printable(f"found: {document}", 300)), soft_wrap=True)


def _write(
    experiment: Path,
    workload: Path,
    name: str,
    answers: Answers,
    proposals: list[StartProposal],
    force: bool,
    console: Console,
) -> None:
    best = proposals[0] if proposals else None
    remarks = best.remarks if best is not None and best.build == answers.build else ()
    if answers.document is not None:
        source = Import(
            source=str(answers.document), kind=None, hosts=[], most=MOST_IMPORTED, out=workload, force=force
        )
        import_source(source, console)
    else:
        others = [path for path in best.paths if HAS_PARAMETERS.search(path)] if best is not None else []
        write_text(workload, proposed_workload(name, answers.paths, others[:MOST_OTHERS_NAMED]))
    write_text(experiment, experiment_text(name, answers, remarks))
    started = f"started by: {line_of(answers.command)}; on {takes_port(answers)}"
    console.print(Text(printable(f"written: {experiment.name}, {workload.name} ({started})", 400)), soft_wrap=True)
    for remark in remarks:
        console.print(Text(remark, style="yellow"), soft_wrap=True)


def _write_ci_file(call: Init, folder: Path, console: Console) -> int:
    if call.ci is not None:
        file = write_ci_file(call.ci, folder, force=call.force)
        console.print(Text(printable(f"written: {file}: read it, and commit it")), soft_wrap=True)
    return ALL_WELL


def _user_requests(
    workload: Path, name: str, answers: Answers, proposals: list[StartProposal]
) -> Callable[[str, Console], None] | None:
    """The function that writes the requests anew once the service has started; None where somebody has said them."""
    if not answers.are_proposed:
        return None
    best = proposals[0]
    return UserRequests(
        workload=workload, name=name, paths=best.paths, prefixes=best.prefixes, documents=best.documents
    ).write


def _tried_apart(experiment: Path, workload: Path, answers: Answers, attempt: Attempt, console: Console) -> Attempt:
    """Try a service that listens on all addresses in a network of its own, and leave it there if it works as well.

    It does not, for example, if it needs a database of this machine's; and the user may lack the right for it.
    """
    within = why_no_network_namespace() is not None
    if within and why_no_network_namespace_within() is not None:
        return attempt
    console.print(Text('it listens on all addresses: trying it with network = "own"', style="dim"))
    before = experiment.read_text(encoding="utf-8")
    apart = before.replace(network_line(answers), network_line(replace(answers, private_network=True)), 1)
    write_text(experiment, apart)
    try:
        again = (
            called_within(try_once, experiment, workload, None) if within else try_once(experiment, workload, console)
        )
        if again.answered >= attempt.answered:
            return again
    except Problem as problem:
        console.print(Text(f"in a network of its own: {problem.reason}", style="red"), soft_wrap=True)
    write_text(experiment, before)
    return attempt


def _in(path: Path) -> str:
    """The beginning of a command that is typed in this folder; empty if that is where the user is."""
    return "" if path == Path() else f"cd {shlex.quote(str(path))} && "


def _tell_what_next(console: Console, folder: Path, path: Path, workload: str, *, well: bool) -> None:
    steps = [("mend what is marked above", f"in the service, {PROJECT_FILE} or {workload}")] if not well else []
    steps += [(f"{_in(path)}fairtrial run --quick", "a look, with a report")]
    refs, comparison = "", "what you change from here on: does it make it slower?"
    try:
        if (last := Repository.of(folder).last_change()) is not None:
            refs, comparison = f" {' '.join(last)}", "did the last change make it slower?"
    except Problem:
        comparison += " (once it is in a repository of git)"
    steps += [(f"{_in(path)}fairtrial ab-test{refs}", comparison)]
    width = max(len(step) for step, _ in steps)
    console.print(Text("\nnext:", style="bold"))
    for step, purpose in steps:
        console.print(Text(f"  {printable(step).ljust(width)}   {purpose}"), soft_wrap=True)
