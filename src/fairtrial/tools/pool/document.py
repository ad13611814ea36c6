"""A pool as JSON."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from fairtrial.base.document import Document
from fairtrial.base.strict import Strict
from fairtrial.record.identity import Host
from fairtrial.tools.pool.claims import PooledClaim
from fairtrial.tools.pool.machines import Machine, lock_digest, without_digest


class MachineInPool(Strict):
    """A machine, and its run."""

    name: str = Field(description="of its results folder")
    host: Host
    signers: list[str] = Field(
        description="who signed its records, of the allowed signers; empty: nobody was asked for"
    )
    started_at: str
    runs: int = Field(description="of this machine, which are pooled as one")
    blocks: int = Field(description="blocks that were complete, in all of its runs")


class PoolDocument(Document):
    """One locked experiment on many machines."""

    kind: Literal["fairtrial/pool"] = Field("fairtrial/pool", alias="schema")
    version: Literal[1] = 1
    experiment: str
    lock: str = Field(description="SHA-256 of what is the same on all machines: docs/pool.md")
    programs_not_locked: list[str] = Field(description="contenders whose program no digest tells: commands and URLs")
    lies: int = Field(description="how many of the machines may lie, so that the intervals hold nevertheless")
    machines: list[MachineInPool]
    claims: list[PooledClaim]


def pool_document(machines: Sequence[Machine], claims: Sequence[PooledClaim], lies: int) -> PoolDocument:
    """The document of a pool."""
    record = machines[0].record
    return PoolDocument(
        experiment=record.experiment.name,
        lock=lock_digest(record),
        programs_not_locked=without_digest(record),
        lies=lies,
        machines=[
            MachineInPool(
                name=machine.name,
                host=machine.record.host,
                signers=list(machine.signers),
                started_at=machine.record.started_at,
                runs=machine.runs,
                blocks=machine.result.blocks_complete,
            )
            for machine in machines
        ],
        claims=list(claims),
    )
