"""A source imported to a file, and the file read as every user of it reads it."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from fairtrial.experiment.workload_file.model import RequestEntry, WorkloadFile
from fairtrial.experiment.workload_file.read import read_workload_file
from fairtrial_import.import_source import Import, import_source

DATA = Path(__file__).parent / "data"
SECRET = "SECRET-"
"""Every secret in the data begins like this."""


@dataclass(frozen=True)
class Imported:
    """What was written, and what was said."""

    file: Path
    text: str
    model: WorkloadFile
    said: str

    def request(self, name: str) -> RequestEntry:
        """A request with the defaults; the error for a wrong name lists them all."""
        entries = self.model.entries()
        assert name in entries, sorted(entries)
        return entries[name]

    @property
    def comments(self) -> str:
        """All comments, without their signs and line ends."""
        lines = [line.removeprefix("#").strip() for line in self.text.splitlines() if line.startswith("#")]
        return " ".join(lines)


def import_to(
    folder: Path, source: str | Path, *, kind: str | None = None, hosts: Sequence[str] = (), most: int = 100
) -> Imported:
    """Import to `shop.workload.toml` in this folder."""
    out = folder / "shop.workload.toml"
    messages = io.StringIO()
    call = Import(source=str(source), kind=kind, hosts=hosts, most=most, out=out, force=True)
    import_source(call, Console(file=messages, width=200))
    return Imported(out, out.read_text(), read_workload_file(out).model, messages.getvalue())
