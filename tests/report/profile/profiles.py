"""What an extra block may have shown, for tests of what is made of it."""

from fairtrial.record.folded_stacks import Stack, as_stack
from fairtrial.record.model import Failure
from fairtrial.record.profile import KernelCounters, Profile, ProfileNote, Profiles, SampledStacks
from fairtrial.record.proof import Ledger
from tests.report.scene import HOSTILE


def counted(user_seconds: float, switches: int | None = None) -> KernelCounters:
    return KernelCounters(
        window_seconds=1.0, cpu_user_seconds=user_seconds, cpu_system_seconds=0.0, voluntary_switches=switches
    )


def profile(name: str, **keys: object) -> Profile:
    """The line of a contender that verified 1,000 answers."""
    line = {"condition": name, "contender": name, "started_at": "2026-01-01T00:00:00Z", "load": "closed"}
    return Profile.model_validate({**line, "verified": 1000, **keys})


def sampled(place: int, name: str, samples: int, profiler: str = "py-spy") -> SampledStacks:
    file = f"profiles/{place:03d}-{name}.{profiler}.folded"
    return SampledStacks(profiler=profiler, samples=samples, processes=1, file=file)


OLD: dict[Stack, int] = {("python3", "serve (a.py:1)", "parse (a.py:9)"): 500, ("python3", "serve (a.py:1)"): 500}
NEW: dict[Stack, int] = {
    ("python3", "serve (a.py:3)", "parse (a.py:14)"): 490,
    ("python3", "serve (a.py:3)"): 210,
    as_stack(["python3", "serve (a.py:3)", HOSTILE]): 300,
}


def two_profiles() -> Profiles:
    """Two commits of one program, the second of which spends its time in a function with a hostile name."""
    first, second = sampled(3, "app-main", 1000), sampled(4, "app-HEAD", 1000)
    ledger = Ledger(done={"statements": 3000}, verified=1500, answers=1500)
    return Profiles(
        [
            profile("app:main", server=counted(0.4, 100), ledger=ledger, stacks=[first]),
            profile("app:HEAD", server=counted(0.5), stacks=[second], notes=[ProfileNote(reason=HOSTILE, remedy="r")]),
            profile("gone", verified=0, failure=Failure(stage="start", reason=HOSTILE, remedy="mend it")),
        ],
        {first.file: OLD, second.file: NEW},
    )
