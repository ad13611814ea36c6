"""A pool in the terminal: a sentence for each claim, and who disagrees."""

from collections import Counter
from collections.abc import Iterator

from fairtrial.base.formatting import count, enumeration, figure, span
from fairtrial.base.printable import printable
from fairtrial.tools.pool.claims import PooledClaim
from fairtrial.tools.pool.document import PoolDocument


def pool_lines(pool: PoolDocument) -> Iterator[str]:
    """Lines on machines, on each claim, and on what it rests on. Text from records cannot control the terminal."""
    machines = count(len(pool.machines), "machine")
    yield f"{pool.experiment}: {machines}, locked as {pool.lock[:12]}"
    for claim in pool.claims:
        yield ""
        yield f"{claim.verdict or 'not pooled'}  {claim.id}: {printable(claim.text)}"
        yield from (f"  {line}" for line in claim_lines(claim))
    yield ""
    yield from footing_lines(pool)


def footing_lines(pool: PoolDocument) -> Iterator[str]:
    """What all figures of a pool rest on."""
    lying = "none of them lies" if pool.lies == 0 else f"at most {count(pool.lies, 'machine')} lies, whichever it is"
    yield f"Intervals are at 95%, if {lying}; the machine is the unit. Verdicts are those of this judge."
    if several := [f"{each.runs} runs of {each.name}" for each in pool.machines if each.runs > 1]:
        yield f"Taken as one machine each: {printable(enumeration(several))}."
    yield from _signer_lines(pool)
    if pool.programs_not_locked:
        names = enumeration(pool.programs_not_locked)
        yield f"No digest tells which program each machine tried as {names}: a command or a URL."


def _signer_lines(pool: PoolDocument) -> Iterator[str]:
    """Who stands by how many machines: those of one person lie together."""
    by_signer = Counter(printable(name) for machine in pool.machines for name in machine.signers)
    if not by_signer:
        return
    signers = (f"{name} ({count(machines, 'machine')})" for name, machines in by_signer.items())
    yield f"Signed by {enumeration(signers)}."
    if many := [name for name, machines in by_signer.items() if machines > pool.lies]:
        remedy = f"--lies {max(by_signer.values())}"
        yield f"If one of them lies, so may more machines than were allowed for, of {enumeration(many)}: {remedy}."


def claim_lines(claim: PooledClaim) -> Iterator[str]:
    """A claim over machines: its figure, who disagrees, and what goes with that."""
    if claim.verdict is None:
        yield f"it is about figures of one machine: {claim.verdicts_in_words}"
        return
    if claim.reason is not None:
        yield printable(claim.reason)
    if claim.estimate is None or claim.interval is None or claim.between is None:
        return
    pooled = [each for each in claim.machines if each.estimate is not None]
    odd = claim.disagreeing
    of_which = f", of which {len(odd)} disagree{'s' if len(odd) == 1 else ''}" if odd else ""
    yield (
        f"{figure(claim.estimate)} ({span(claim.interval)}) on {count(len(pooled), 'machine')}{of_which}; asked for: "
        f"{claim.requirement}; between machines the true ratio scatters by {claim.between:.1%}"
    )
    for each in odd:
        if each.estimate is not None and each.lower is not None and each.upper is not None:
            yield f"{printable(each.machine)} disagrees: {figure(each.estimate)} ({span((each.lower, each.upper))})"
    for split in claim.explained_by:
        groups = (f"{figure(of.estimate)} on {of.machines} with {printable(of.value, 60)}" for of in split.groups)
        yield f"it differs by {printable(enumeration(split.properties))}: {enumeration(groups)}"
    if without := [each.machine for each in claim.machines if each.estimate is None]:
        yield f"without a figure: {printable(enumeration(without))}"
