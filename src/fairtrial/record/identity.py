"""Identities of what was tried, in enough detail to tell whether two records tried the same."""

from typing import Literal

from pydantic import Field

from fairtrial.base.strict import Strict
from fairtrial.experiment.origins import OriginKind


class StackIdentity(Strict):
    """The program that a condition ran, in enough detail to tell whether two records ran the same."""

    name: str
    built_apart: str | None = Field(
        None, description="the variant that has this build to itself; null: the build that all other variants share"
    )
    title: str
    language: str
    framework: str
    server: str
    concurrency: str
    content_sha256: str = Field(
        description="of the folder; where the lab built nothing, of the command or the URL alone, which tells nothing "
        "of the program; of a container, its image's digest; of a compose file, of the file and its images"
    )
    origin: OriginKind = "folder"
    counted_together: list[str] = Field(
        default_factory=list,
        description="services of a compose file, whose processor time and memory are summed; the first of them answers",
    )
    commit: str | None = Field(None, description="of git, at which the source was; null: as the folder was found")
    head: str | None = Field(
        None,
        description="of git, the commit checked out where the folder is; null: not known, or an older record",
    )
    has_changes: bool | None = Field(
        None, description="whether files of the folder that git knows differed from that commit; null: not known"
    )
    licence: str = Field(
        "", description="of the framework, as the stack says: an SPDX expression; empty: not told, or an older record"
    )
    versions: dict[str, str] = Field(description="by command, the version line it printed")
    environment: dict[str, str | None] = Field(
        default_factory=dict,
        description="the variables that it gets from the environment of fairtrial, by name; null: a value that is not "
        "recorded. Empty in older records",
    )

    @property
    def tried_commit(self) -> str | None:
        """The commit that was tried: the one that was asked for, or the one that the folder was at."""
        return self.commit or self.head

    @property
    def build_name(self) -> str:
        """The name of the build: `NAME`, or `NAME:VARIANT`."""
        return self.name if self.built_apart is None else f"{self.name}:{self.built_apart}"


class Host(Strict):
    """The machine and its system, as far as they affect figures."""

    system: str
    kernel: str
    cpu_model: str
    cpus: int
    memory_bytes: int
    python: str
    machine: str | None = Field(
        None,
        description="a keyed digest of its machine-id, by which two runs of one machine are told and nobody is named; "
        "null: it has none, or an older record",
    )


class ServiceIdentity(Strict):
    """The database, cache or balancer of a condition. Never a credential."""

    name: str = Field(description="the lab's name of the service, such as mongodb")
    product: str = Field(description="what the server calls itself, such as SecantusDB 0.6.0b17")
    variant: str = "default"
    where: Literal["embedded", "private", "external"]
    settings: dict[str, str] = Field(default_factory=dict, description="those that affect speed and durability")
    work_rounds_per_second: int | None = Field(
        None,
        description="of long queries, as the lab measured it before the first trial; null: they do not work, or an "
        "older record",
    )
    host: Host | None = Field(
        None, description="what affects figures of its host, where services have one of their own; null: they have none"
    )


class DatasetIdentity(Strict):
    """The rows: the digest of the description they are generated from, and the range of ids."""

    name: str
    sha256: str
    rows: int
    first_id: int
    last_id: int


class WorkloadIdentity(Strict):
    """A workload file, in enough detail to tell whether two records put the same requests. Never a credential."""

    name: str = Field(description="of the file")
    title: str
    sha256: str = Field(description="of the file and of every file that it names")
    requests: dict[str, str] = Field(description="by name, what each asks: method and path as they stand in the file")
    journeys: list[str] = Field(default_factory=list, description="names of journeys; none in older records")
    audits: dict[str, list[str]] = Field(
        default_factory=dict,
        description="by the audit's name, the requests of which it proves that as many were stored as acknowledged",
    )
    accepts_anything: list[str] = Field(
        default_factory=list, description="names of requests whose schema no answer breaks"
    )
    expects_nothing: list[str] = Field(
        default_factory=list, description="names of requests to which any answer with 2xx (gRPC: OK) is right"
    )
