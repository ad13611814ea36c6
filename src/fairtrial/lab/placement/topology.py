"""The topology of processors, as the kernel tells it: which of them are threads of one core, of which kind it is, on
which node.

Where it does not tell that of every processor, it is not told apart of any.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path("/")
SAME_SPEED_SHARE = 0.8
"""A core of at least this share of the fastest one's speed is of the same kind: the margin by which the kernel's
scheduler tells that a task fits a slower processor (`fits_capacity`, kernel/sched/fair.c). Cores of one kind that may
run a few percent faster than others (Turbo Boost Max, preferred cores) stay one kind."""

KINDS = ("performance", "middle", "efficiency", "low-power")
"""Of cores, the fastest first."""

HYBRID = {"cpu_core": "performance", "cpu_atom": "efficiency", "cpu_lowpower": "low-power"}
"""The performance monitoring units of hybrid processors, each of which names its processors."""


@dataclass(frozen=True)
class Core:
    """One core, as far as this process may use it."""

    cpus: tuple[int, ...]
    """its processors: more than one where it has threads (SMT)"""
    kind: str = ""
    """one of `KINDS`; empty: all cores are alike"""
    node: int | None = None
    """the NUMA node; None: it is not known"""


def cores_of(cpus: Collection[int], root: Path | None = ROOT) -> list[Core]:
    """The cores of these processors, each with those of them that are its threads, by their lowest number.

    Args:
        root: of the file system; another one in tests. None: nothing is known, as of processors of another machine.
    """
    by_core: dict[tuple[int, ...], list[int]] = {}
    for cpu in sorted(cpus):
        by_core.setdefault(siblings(cpu, root), []).append(cpu)
    threads = [tuple(each) for each in by_core.values()]
    kinds, nodes = _kinds(cpus, root), _nodes(cpus, root)
    return [Core(each, kinds.get(each[0], ""), nodes.get(each[0])) for each in threads]


def siblings(cpu: int, root: Path | None = ROOT) -> tuple[int, ...]:
    """All processors that are threads of the same core as this one, itself among them."""
    file = f"devices/system/cpu/cpu{cpu}/topology/thread_siblings_list"
    return tuple(sorted({cpu, *_cpu_list(_text(root, file))}))


def _kinds(cpus: Collection[int], root: Path | None) -> Mapping[int, str]:
    """By processor, the kind of its core; empty where all are alike."""
    by_unit = {cpu: kind for unit, kind in HYBRID.items() for cpu in _cpu_list(_text(root, f"devices/{unit}/cpus"))}
    kinds = {cpu: by_unit[cpu] for cpu in cpus if cpu in by_unit}
    if len(kinds) < len(cpus):
        kinds = _kinds_by_speed(cpus, root)
    return kinds if len(set(kinds.values())) > 1 else {}


def _kinds_by_speed(cpus: Collection[int], root: Path | None) -> dict[int, str]:
    """By what the scheduler takes a processor to be capable of, else by its highest frequency."""
    for name in ("cpu_capacity", "cpufreq/cpuinfo_max_freq"):
        speeds = {}
        for cpu in cpus:
            with suppress(ValueError):
                speeds[cpu] = int(_text(root, f"devices/system/cpu/cpu{cpu}/{name}"))
        groups = _groups(speeds.values())
        if len(speeds) == len(cpus) and len(groups) > 1:
            names = ["performance", *["middle"] * (len(groups) - 2), "efficiency"]
            return {cpu: names[_place(groups, speed)] for cpu, speed in speeds.items()}
    return {}


def _groups(speeds: Collection[int]) -> list[int]:
    """The highest speed of each kind, the fastest first."""
    groups: list[int] = []
    for speed in sorted(set(speeds), reverse=True):
        if not groups or speed < SAME_SPEED_SHARE * groups[-1]:
            groups.append(speed)
    return groups


def _place(groups: Sequence[int], speed: int) -> int:
    return max(place for place, highest in enumerate(groups) if speed <= highest)


def _nodes(cpus: Collection[int], root: Path | None) -> Mapping[int, int]:
    """By processor, its NUMA node; empty where the kernel does not tell that of each."""
    if root is None:
        return {}
    nodes = {}
    for folder in (root / "sys/devices/system/node").glob("node[0-9]*"):
        number = int(folder.name.removeprefix("node"))
        nodes.update(dict.fromkeys(_cpu_list(_text(root, f"devices/system/node/{folder.name}/cpulist")), number))
    return nodes if all(cpu in nodes for cpu in cpus) else {}


def _text(root: Path | None, file: str) -> str:
    """A file below /sys; empty where there is none."""
    if root is None:
        return ""
    with suppress(OSError):
        return (root / "sys" / file).read_text().strip()
    return ""


def _cpu_list(text: str) -> set[int]:
    """`0-3,8` as numbers; empty for what is no such list."""
    with suppress(ValueError):
        ranges = [[int(end) for end in part.split("-")] for part in text.split(",") if part]
        return {number for ends in ranges for number in range(ends[0], ends[-1] + 1)}
    return set()
