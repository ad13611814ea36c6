"""Adds up what was metered in several windows of one trial: counts and seconds."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from fairtrial.record.machine import MachineMeter, NetworkMeter, ProcessorUse
from fairtrial.record.processes import ServerMeter, joint_kind

Number = TypeVar("Number", int, float)


def server_in_turn(windows: Sequence[ServerMeter]) -> ServerMeter:
    """The use of a process tree in these windows together; its memory at most, and at the end of the last."""
    return ServerMeter(
        window_seconds=sum(each.window_seconds for each in windows),
        cpu_user_seconds=sum(each.cpu_user_seconds for each in windows),
        cpu_system_seconds=sum(each.cpu_system_seconds for each in windows),
        peak_rss_bytes=max(each.peak_rss_bytes for each in windows),
        processes=windows[-1].processes,
        end_rss_bytes=windows[-1].end_rss_bytes,
        memory_kind=joint_kind(each.memory_kind for each in windows),
    )


def machine_in_turn(windows: Sequence[MachineMeter]) -> MachineMeter:
    """The machine's work in these windows together; of its memory what was left when there was least."""
    last, tightest = windows[-1], min(windows, key=lambda each: each.memory_available_bytes)
    return last.model_copy(
        update={
            "window_seconds": sum(each.window_seconds for each in windows),
            "processors": [
                _processor([each.processors[place] for each in windows]) for place in range(len(last.processors))
            ],
            "own_server_cpu_seconds": sum(each.own_server_cpu_seconds for each in windows),
            "own_load_cpu_seconds": sum(each.own_load_cpu_seconds for each in windows),
            "swapped_in_pages": _sum_if_known([each.swapped_in_pages for each in windows]),
            "swapped_out_pages": _sum_if_known([each.swapped_out_pages for each in windows]),
            "memory_available_bytes": tightest.memory_available_bytes,
            "memory_charged_bytes": _largest([each.memory_charged_bytes for each in windows]),
            "quota_throttled_periods": _sum_if_known([each.quota_throttled_periods for each in windows]),
            "quota_throttled_seconds": _sum_if_known([each.quota_throttled_seconds for each in windows]),
            "thermal_throttles": _sum_if_known([each.thermal_throttles for each in windows]),
            "pressure_seconds": _added([each.pressure_seconds for each in windows]),
        }
    )


def network_in_turn(windows: Sequence[NetworkMeter]) -> NetworkMeter:
    """TCP's counts in these windows together; ports as they were at the end of the last."""
    last = windows[-1]
    counted = set(NetworkMeter.model_fields) - {"time_wait_sockets", "ports_lent_again", "local_ports"}
    return last.model_copy(
        update={name: _sum_if_known([getattr(each, name) for each in windows]) for name in sorted(counted)}
    )


def _processor(parts: Sequence[ProcessorUse]) -> ProcessorUse:
    return ProcessorUse(
        cpu=parts[0].cpu,
        busy_seconds=sum(part.busy_seconds for part in parts),
        interrupt_seconds=sum(part.interrupt_seconds for part in parts),
        steal_seconds=sum(part.steal_seconds for part in parts),
    )


def _added(counts: Sequence[Mapping[str, Number]]) -> dict[str, Number]:
    """Sums by name; a name that only some of them have counts as far as they do."""
    names = dict.fromkeys(name for each in counts for name in each)
    return {name: _sum([each[name] for each in counts if name in each]) for name in names}


def _sum_if_known(values: Sequence[Number | None]) -> Number | None:
    """Their sum; None if one of them is not known: a sum of the others would be too small."""
    numbers = [value for value in values if value is not None]
    return _sum(numbers) if numbers and len(numbers) == len(values) else None


def _sum(values: Sequence[Number]) -> Number:
    return sum(values[1:], values[0])


def _largest(values: Sequence[Number | None]) -> Number | None:
    return max((value for value in values if value is not None), default=None)
