"""The work of `fairtrial import`: read a source, assemble the workload, write it."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fairtrial.base.formatting import count
from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.base.text_file import write_text
from fairtrial.base.toml_file import LARGEST_FILE_BYTES
from fairtrial_import.assemble import Workload, assemble
from fairtrial_import.grpc_reflection import workload_of
from fairtrial_import.kinds import kind_of
from fairtrial_import.model import ImportedRequests
from fairtrial_import.source import open_source
from fairtrial_import.variables import Variables
from fairtrial_import.write import rows_text, workload_text

WORKLOAD_ENDING = ".workload.toml"


@dataclass(frozen=True, kw_only=True)
class Import:
    """One call of the command. Without `out` the workload goes to standard output, and rows are not written."""

    source: str
    kind: str | None
    hosts: Sequence[str]
    most: int
    out: Path | None
    force: bool


def import_source(
    call: Import, messages: Console, select: Callable[[ImportedRequests], ImportedRequests] | None = None
) -> Workload:
    """Write a workload file of what the source holds, with its rows beside it, and say what became of it.

    Args:
        select: of what was read, what is wanted; None: all.

    Raises:
        Problem: the source cannot be read, or a file is there already or cannot be written. No file is then changed,
            unless the disk fails between two of them.
    """
    source = open_source(call.source)
    variables = Variables()
    requests = kind_of(source, call.kind).read(source, variables)
    requests = requests if select is None else select(requests)
    workload = assemble(requests, variables, call.hosts, call.most, source.label)
    row_files = [_rows_file(call.out, rows.name) for rows in workload.rows]
    text = workload_text(workload, os.path.basename(source.label), call.out, [file.name for file in row_files])
    if len(text.encode()) > LARGEST_FILE_BYTES:
        raise Problem(
            f"{source.label}: makes a workload file of more than {LARGEST_FILE_BYTES:,} bytes",
            "keep fewer requests: --most N",
        )
    if call.out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        _assert_no_files([call.out, *row_files], force=call.force)
        for file, rows in zip(row_files, workload.rows, strict=True):
            write_text(file, rows_text(rows))
        write_text(call.out, text)
    _report(messages, workload, call, row_files)
    return workload


def import_service(call: Import, messages: Console) -> None:
    """Write a workload file of what a server of gRPC says of itself, and its descriptors beside it.

    Raises:
        Problem: the server does not say it, or a file is there already or cannot be written.
    """
    if call.out is None:
        raise Problem(
            f"{printable(call.source, 200)}: its descriptors need a file beside the workload's", "give -o FILE"
        )
    protoset = call.out.with_name(f"{_stem(call.out)}.protoset")
    _assert_no_files([call.out, protoset], force=call.force)
    text, descriptors, calls = workload_of(call.source, protoset)
    protoset.write_bytes(descriptors)
    write_text(call.out, text)
    messages.print(
        Text(f"{call.out}: {count(calls, 'call')}; descriptors: {protoset}"), soft_wrap=True, highlight=False
    )


def _rows_file(out: Path | None, name: str) -> Path:
    """`shop.items.csv` beside `shop.workload.toml`."""
    if out is None:
        return Path(f"{name}.csv")
    return out.with_name(f"{_stem(out)}.{name}.csv")


def _stem(out: Path) -> str:
    return out.name.removesuffix(WORKLOAD_ENDING).removesuffix(".toml")


def _assert_no_files(files: Sequence[Path], *, force: bool) -> None:
    names = [str(file) for file in files if file.exists() or file.is_symlink()]
    if names and not force:
        raise Problem(f"{printable(', '.join(names))}: is there already", "name another file with -o, or give --force")


def _report(messages: Console, workload: Workload, call: Import, row_files: Sequence[Path]) -> None:
    """The file that was written, and what its reader has to do; the remarks stand in the file as well."""
    where = "standard output" if call.out is None else str(call.out)
    lines = [f"{where}: {count(len(workload.requests), 'request')}"]
    if row_files and call.out is not None:
        lines.append(f"rows: {', '.join(str(file) for file in row_files)}")
    elif row_files:
        lines.append(f"{count(len(row_files), 'file')} of rows not written: give -o FILE")
    if workload.purposes:
        lines.append(f"set in the environment: {', '.join(workload.purposes)}")
    for line in [*lines, *workload.remarks]:
        messages.print(Text(printable(line, 500)), soft_wrap=True, highlight=False)
