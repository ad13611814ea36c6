"""Several windows of one trial as one: counts and seconds are added, and times become one distribution."""

from collections.abc import Mapping, Sequence
from typing import TypeVar

from fairtrial.judge.statistics.support import supports_percentile
from fairtrial.lab.trial.pooled_evenness import pooled_connection_answers
from fairtrial.record.engine_summary import (
    AtLeast,
    BodyBytes,
    Cohort,
    Distribution,
    EngineSummary,
    EngineThread,
    Share,
    UnderWay,
    Waiting,
)
from fairtrial.record.histogram import read_histogram
from fairtrial.record.machine import MachineMeter, NetworkMeter, ProcessorUse
from fairtrial.record.memory import joint_kind
from fairtrial.record.merged_histogram import merged_histogram
from fairtrial.record.model import ServerMeter

MOST_EXAMPLES = 5
"""Of wrong answers: as many as the engine keeps of one window."""

Number = TypeVar("Number", int, float)


def pooled_summary(windows: Sequence[EngineSummary]) -> EngineSummary:
    """One account of these windows, of which there is at least one, of the same load.

    What describes the course of a single window is left out: its series, which rows were picked. The acknowledged
    numbers are read from the runs themselves.
    """
    first = windows[0]
    seconds = sum(each.window_seconds for each in windows)
    verified = sum(each.verified for each in windows)
    offered = _sum_if_known([each.offered for each in windows])
    answers = sum(each.answers for each in windows)
    is_open = first.achieved_over_offered is not None
    return first.model_copy(
        update={
            "interrupted": any(each.interrupted for each in windows),
            "window_seconds": seconds,
            "offered": offered,
            "achieved_over_offered": answers / offered if is_open and offered else None,
            "in_flight_at_start": _sum_if_known([each.in_flight_at_start for each in windows]),
            "sent": sum(each.sent for each in windows),
            "answers": answers,
            "verified": verified,
            "failures": _sum_if_known([each.failures for each in windows]),
            "goodput_per_second": verified / seconds if seconds > 0 else 0.0,
            "errors": _added([each.errors for each in windows]),
            "examples": [example for each in windows for example in each.examples][:MOST_EXAMPLES],
            "service_time": pooled_times([each.service_time for each in windows]),
            "response_time": pooled_times([each.response_time for each in windows]),
            "first_byte_time": _pooled_if_known([each.first_byte_time for each in windows]),
            "send_lag": pooled_times([each.send_lag for each in windows]),
            "connect_time": pooled_times([each.connect_time for each in windows]),
            "body_bytes": _bodies(windows),
            "received_bytes": sum(each.received_bytes for each in windows),
            "sent_bytes": sum(each.sent_bytes for each in windows),
            "wire_received_bytes": _sum_if_known([each.wire_received_bytes for each in windows]),
            "wire_sent_bytes": _sum_if_known([each.wire_sent_bytes for each in windows]),
            "connects": sum(each.connects for each in windows),
            "connects_per_answer": sum(each.connects for each in windows) / answers if answers else None,
            "connection_answers": pooled_connection_answers(windows),
            "in_flight_at_end": sum(each.in_flight_at_end for each in windows),
            "oldest_in_flight_seconds": _largest([each.oldest_in_flight_seconds for each in windows]),
            "under_way": _under_way(windows, seconds),
            "waiting": _waiting(windows),
            "cohort": _cohort(windows),
            "checked_bodies": sum(each.checked_bodies for each in windows),
            "two_framings": _sum_if_known([each.two_framings for each in windows]),
            "unasked": _sum_if_known([each.unasked for each in windows]),
            "unannounced_closes": _sum_if_known([each.unannounced_closes for each in windows]),
            "mix": [_share([each.mix[place] for each in windows]) for place in range(len(first.mix))],
            "series": [],
            "tenths": None,
            "tail_dispersion": {},
            "intended_seconds": [],
            "threads": [_thread([each.threads[place] for each in windows]) for place in range(len(first.threads))],
            "picks": None,
            "run_verified": _sum_if_known([each.run_verified for each in windows]),
            "run_errors": _sum_if_known([each.run_errors for each in windows]),
            "acknowledgements": [],
            "rows_used": _added([each.rows_used for each in windows]),
        }
    )


def pooled_times(parts: Sequence[Distribution]) -> Distribution:
    """One distribution of all these times. Percentiles are read from the added histograms, to three digits."""
    times = [part for part in parts if part.count]
    count = sum(part.count for part in times)
    names = list(parts[0].percentiles)
    if not count:
        return parts[0]
    text = merged_histogram([part.hdr_base64 for part in times])
    histogram = read_histogram(text)
    bounds = [part.at_least for part in times if part.at_least is not None]
    bounds_from = min(part.bounds_from_seconds for part in times)
    supported = [float(name) for name in names if supports_percentile(count, float(name))]
    return Distribution(
        count=count,
        min_seconds=min(part.min_seconds or 0.0 for part in times),
        mean_seconds=sum(part.count * (part.mean_seconds or 0.0) for part in times) / count,
        max_seconds=_largest([part.max_seconds for part in times]),
        percentiles={name: histogram.at(float(name), bounds_from) if text else None for name in names},
        supported_percentile=max(supported, default=None),
        at_least=AtLeast(
            count=sum(bound.count for bound in bounds),
            min_seconds=bounds_from,
            longest_other_seconds=_largest([part.longest_answered_seconds for part in times]),
        )
        if bounds
        else None,
        hdr_base64=text,
    )


def pooled_server(windows: Sequence[ServerMeter]) -> ServerMeter:
    """What a process tree used in these windows together; its memory at most, and at the end of the last."""
    return ServerMeter(
        window_seconds=sum(each.window_seconds for each in windows),
        cpu_user_seconds=sum(each.cpu_user_seconds for each in windows),
        cpu_system_seconds=sum(each.cpu_system_seconds for each in windows),
        peak_rss_bytes=max(each.peak_rss_bytes for each in windows),
        processes=windows[-1].processes,
        end_rss_bytes=windows[-1].end_rss_bytes,
        memory_kind=joint_kind(each.memory_kind for each in windows),
    )


def pooled_machine(windows: Sequence[MachineMeter]) -> MachineMeter:
    """What the machine did in these windows together; of its memory what was left when there was least."""
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


def pooled_network(windows: Sequence[NetworkMeter]) -> NetworkMeter:
    """What TCP did in these windows together; ports as they were at the end of the last."""
    last = windows[-1]
    counted = set(NetworkMeter.model_fields) - {"time_wait_sockets", "ports_lent_again", "local_ports"}
    return last.model_copy(
        update={name: _sum_if_known([getattr(each, name) for each in windows]) for name in sorted(counted)}
    )


def _share(parts: Sequence[Share]) -> Share:
    service = [part.service_time for part in parts if part.service_time is not None]
    response = [part.response_time for part in parts if part.response_time is not None]
    return Share(
        name=parts[0].name,
        sent=sum(part.sent for part in parts),
        answers=sum(part.answers for part in parts),
        verified=sum(part.verified for part in parts),
        failures=_sum_if_known([part.failures for part in parts]),
        service_time=pooled_times(service) if service else None,
        response_time=pooled_times(response) if response else None,
        first_byte_time=_pooled_if_known([part.first_byte_time for part in parts]),
    )


def _thread(parts: Sequence[EngineThread]) -> EngineThread:
    return EngineThread(
        cpu_seconds=sum(part.cpu_seconds for part in parts),
        user_seconds=_sum_if_known([part.user_seconds for part in parts]),
        system_seconds=_sum_if_known([part.system_seconds for part in parts]),
        spinning_seconds=sum(part.spinning_seconds for part in parts),
    )


def _processor(parts: Sequence[ProcessorUse]) -> ProcessorUse:
    return ProcessorUse(
        cpu=parts[0].cpu,
        busy_seconds=sum(part.busy_seconds for part in parts),
        interrupt_seconds=sum(part.interrupt_seconds for part in parts),
        steal_seconds=sum(part.steal_seconds for part in parts),
    )


def _bodies(windows: Sequence[EngineSummary]) -> BodyBytes | None:
    counted = [(each.body_bytes, each.answers) for each in windows if each.body_bytes is not None and each.answers]
    if not counted:
        return None
    answers = sum(count for _, count in counted)
    return BodyBytes(
        min=min(bodies.min for bodies, _ in counted),
        max=max(bodies.max for bodies, _ in counted),
        mean=sum(bodies.mean * count for bodies, count in counted) / answers,
    )


def _waiting(windows: Sequence[EngineSummary]) -> Waiting | None:
    parts = [each.waiting for each in windows if each.waiting is not None]
    if not parts:
        return None
    return Waiting(
        limit=parts[0].limit, peak=max(each.peak for each in parts), at_end=sum(each.at_end for each in parts)
    )


def _under_way(windows: Sequence[EngineSummary], seconds: float) -> UnderWay | None:
    parts = [each.under_way for each in windows if each.under_way is not None]
    if len(parts) < len(windows):
        return None
    at_start, ended, at_end = (
        sum(getattr(each, name) for each in parts) for name in ("at_start_seconds", "ended_seconds", "at_end_seconds")
    )
    return UnderWay(
        at_start_seconds=at_start,
        ended_seconds=ended,
        at_end_seconds=at_end,
        mean_requests=(ended + at_end - at_start) / seconds if seconds > 0 else None,
    )


def _pooled_if_known(parts: Sequence[Distribution | None]) -> Distribution | None:
    """One distribution of all; None if one of them was not measured."""
    distributions = [part for part in parts if part is not None]
    return pooled_times(distributions) if distributions and len(distributions) == len(parts) else None


def _cohort(windows: Sequence[EngineSummary]) -> Cohort | None:
    cohorts = [each.cohort for each in windows if each.cohort is not None]
    if not cohorts:
        return None
    return Cohort(
        drain_seconds=sum(each.drain_seconds for each in cohorts),
        answers=sum(each.answers for each in cohorts),
        failures=sum(each.failures for each in cohorts),
        censored=sum(each.censored for each in cohorts),
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
