"""The state of a database around a trial, as the lab carries it out: docs/workload-file.md, "State"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from fairtrial.experiment.workload_file.read import WorkloadSource
from fairtrial.experiment.workload_file.state import AuditEntry, Reset


@dataclass(frozen=True)
class DatabaseState:
    """A database's state before a trial, and the one demanded after it."""

    folder: Path = Path()
    """in which commands are run: that of the workload file"""
    data: Mapping[str, Sequence[Path]] = field(default_factory=dict)
    """by service, the files that it is loaded from"""
    reset: Reset | None = None
    reset_file: Path | None = None
    """the SQL of the reset, where it is SQL"""
    audits: Mapping[str, AuditEntry] = field(default_factory=dict)


def state_of(source: WorkloadSource) -> DatabaseState:
    """The state that a workload file describes."""
    model = source.model
    return DatabaseState(source.file.parent.absolute(), source.data, model.reset, source.reset_file, model.audit)
