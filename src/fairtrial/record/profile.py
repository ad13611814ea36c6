"""The models of `profiles.jsonl`: what one extra block under profilers showed, a line for each condition.

It is a file of its own, and no trial: nothing in it enters a figure or a verdict. What judges reads `record.jsonl`
alone, which refuses such a line.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from fairtrial.base.fault_words import first_fault
from fairtrial.base.problem import Problem
from fairtrial.base.strict import Strict
from fairtrial.record.folded_stacks import Stack, read_folded
from fairtrial.record.model import Failure
from fairtrial.record.proof import Ledger
from fairtrial.record.proxy import RoundTrips

PROFILES_FILE = "profiles.jsonl"
STACKS_FOLDER = "profiles"
MOST_BYTES = 64 * 2**20
"""The size of `profiles.jsonl` at most; a line has a few kilobytes."""


class KernelCounters(Strict):
    """The counts of the kernel in a window for all processes and threads of a tree that were there at its end.

    Of those that ended in it, only the CPU time is known. Null: the kernel does not tell.
    """

    window_seconds: float
    cpu_user_seconds: float
    cpu_system_seconds: float
    ran_seconds: float | None = Field(
        None, description="on a processor, to the nanosecond; without threads that ended, and in older files: null"
    )
    waited_seconds: float | None = Field(None, description="ready to run, while others had the processor")
    voluntary_switches: int | None = Field(None, description="how often threads gave up the processor to wait")
    involuntary_switches: int | None = Field(None, description="how often it was taken from them")
    minor_faults: int | None = Field(None, description="page faults without a read from a disk")
    major_faults: int | None = Field(None, description="page faults with one")
    read_calls: int | None = Field(None, description="read(2) and its kin; recv(2) and its kin are not among them")
    write_calls: int | None = Field(None, description="write(2) and its kin; send(2) and its kin are not among them")
    read_bytes: int | None = Field(None, description="fetched from disks")
    written_bytes: int | None = Field(None, description="on their way to disks")


class Unread(Strict):
    """Requests and answers unread at random moments, on average; null: connections are replaced, or in a network of
    their own."""

    moments: int = Field(ge=1, description="how many")
    requests: float | None = Field(description="sockets of the stack with a request or a part of one")
    answers: float | None = Field(description="sockets of the load generator with an answer or a part of one")


class TimedRoundTrips(RoundTrips):
    """Round trips in a window."""

    window_seconds: float


class ShortLoad(Strict):
    """A short load whose requests' time is taken apart. What older files lack is null."""

    window_seconds: float
    answers: int = Field(ge=1)
    response_seconds: float = Field(description="the mean response time")
    requests_under_way: float | None = Field(None, description="on average; in a closed load as many as its clients")
    unsent_seconds: float | None = Field(
        None, description="of it, from when a request was due until it was sent; null in a closed load"
    )
    server: KernelCounters | None = Field(description="of the stack's processes; null: they are not known")
    service: KernelCounters | None = Field(description="of the database's processes; null: they are not known")
    round_trips: TimedRoundTrips | None = Field(
        None, description="to the database; null: none came through a proxy before it"
    )
    unread: Unread | None = Field(None, description="null where a connection can have several requests in it")


class SystemCalls(Strict):
    """The system calls of the stack's processes in a short load of its own."""

    tool: Literal["perf", "strace"] = Field(description="strace slows the processes down by a factor")
    verified: int = Field(ge=1, description="verified answers, from the first connection to the last answer")
    total: int
    by_name: dict[str, int] = Field(description="the most frequent")


class HardwareEvents(Strict):
    """The counts of the processors' own counters for the stack's processes, in a short load of its own."""

    verified: int = Field(ge=1, description="likewise")
    by_name: dict[str, int] = Field(
        description="of `instructions`, `cycles`, `cache-misses`, `branch-misses` those that the machine counts"
    )


class Allocations(Strict):
    """Bytes that the program itself says it allocated for objects, while it was profiled."""

    verified: int = Field(ge=1, description="verified answers in that time")
    bytes: int | None = Field(None, description="null: it counts objects alone")
    least_bytes: int | None = Field(None, description="of Go: they are between this and `bytes`; else null")
    objects: int | None = Field(None, description="of Ruby; else null")


class ProfileNote(Strict):
    """Why something was not profiled, or not wholly, and what helps."""

    reason: str
    remedy: str


class SampledStacks(Strict):
    """A condition's processes as one profiler saw them: stacks of calls, folded, in a file of their own."""

    profiler: str
    samples: int = Field(description="the sum over all stacks in the file")
    processes: int = Field(description="how many processes were sampled")
    file: str = Field(
        pattern=rf"^{STACKS_FOLDER}/[A-Za-z0-9_ -][A-Za-z0-9._ -]*\.folded$",
        description="the folded stacks, relative to the results folder",
    )


class Profile(Strict):
    """One condition in the extra block."""

    kind: Literal["profile"] = "profile"
    counted: Literal[False] = Field(False, description="it is in no figure and in no claim")
    condition: str = Field(description="its id, as in the record")
    contender: str = Field(description="its name, as in the record")
    started_at: str = Field(description="RFC 3339, UTC")
    load: str = Field(description="that was offered, in words")
    verified: int = Field(0, description="verified answers in the window of the counters, which no profiler disturbed")
    errors: int = Field(0, description="answers and failures in it that were not verified")
    server: KernelCounters | None = Field(None, description="of the stack's processes; null: they are not known")
    service: KernelCounters | None = Field(None, description="of the database's processes; null: they are not known")
    alone: list[ShortLoad] = Field(
        default_factory=list, description="loads of one request at a time; empty: its processes are not known"
    )
    loaded: list[ShortLoad] = Field(default_factory=list, description="the same of the condition's own load")
    ledger: Ledger | None = Field(
        None, description="the database's own counters over all loads of this line; null: it counts nothing"
    )
    stacks: list[SampledStacks] = Field(default_factory=list, description="one entry per profiler")
    notes: list[ProfileNote] = Field(default_factory=list)
    failure: Failure | None = Field(None, description="why the condition could not be profiled at all")
    log: str | None = Field(None, description="the stack's log, relative to the results folder")
    system_calls: SystemCalls | None = Field(None, description="null: nothing here counts them")
    hardware: HardwareEvents | None = Field(None, description="null: likewise")
    allocations: Allocations | None = Field(
        None, description="of Go, Java, Node.js and Ruby; null: the program does not tell"
    )


@dataclass(frozen=True)
class Profiles:
    """The results of the extra block of a run."""

    lines: Sequence[Profile] = ()
    stacks: Mapping[str, Mapping[Stack, int]] = field(default_factory=dict)
    """by the `file` of a line's entry"""


NO_PROFILES = Profiles()


def read_profiles(folder: Path) -> Profiles:
    """The lines of `profiles.jsonl` in a results folder, and the stacks that they name; none without such a block, as
    beside a record that is a file.

    An incomplete last line (the lab was killed while writing it) is left out.

    Raises:
        Problem: a file cannot be read, or one of its lines is invalid.
    """
    path = folder / PROFILES_FILE
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return NO_PROFILES
    except OSError as error:
        raise Problem(f"{path}: cannot be read: {error.strerror}", "make it readable, or move it away") from error
    lines = [_line(path, number, line) for number, line in enumerate(data.split(b"\n")[:-1], 1)]
    files = [sampled.file for line in lines for sampled in line.stacks]
    return Profiles(lines, {file: read_folded(folder / file) for file in files})


def _line(path: Path, number: int, line: bytes) -> Profile:
    try:
        return Profile.model_validate_json(line)
    except ValidationError as error:
        raise Problem(
            f"{path}, line {number}: {first_fault(error)}",
            "the file was changed, or written by another version of Fairtrial: move it away to do without profiles",
        ) from error
