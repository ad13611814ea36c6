"""What the command line says of a run, beside the experiment itself."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """What the command line says of a run, beside the experiment itself."""

    out: Path
    """where the results folder is made"""
    stack_names: Sequence[str] = ()
    """the only stacks to try; empty: those of the experiment"""
    own_folders: Sequence[Path] = ()
    """folders with stacks of the user's"""
    workload_folders: Sequence[Path] = ()
    """further folders in which a workload file is looked for"""
    decide_minutes: float | None = None
    junit: Path | None = None
    markdown: Path | None = None
    profile: bool = False
    """add the block under profilers"""
    quick: bool = False
    """whether the experiment is in its quick form"""
    anyway: bool = False
    """whether a run goes on that its design makes worthless"""
    wait: bool = True
    """while another lab measures on the same processors; false: the run is refused"""
    cluster: str | None = None
    """the address of a Dask scheduler, on whose hosts the trials take place; None: not on such"""
    hosts: Path | None = None
    """a file of hosts, on which a cluster is brought up for the trials; None with `cluster`, and on this machine"""
    lanes: int | None = None
    """so many of a cluster; None: as many as there can be"""
    load_hosts: int = 1
    """from how many hosts the load of each lane comes"""
    verbose: bool = False
    """print all that is in the report"""
    unencrypted: bool = False
    """whether a connection to the cluster without TLS may leave this machine"""

    @property
    def decide_within_seconds(self) -> float | None:
        """`decide_minutes`, in seconds."""
        return None if self.decide_minutes is None else 60 * self.decide_minutes
