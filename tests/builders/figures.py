"""Figures of a trial on a machine where nothing is amiss."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairtrial.record.engine_summary import Distribution, Picks
from fairtrial.record.machine import MachineMeter, NetworkMeter, ProcessorUse
from fairtrial.record.slices import Slice

PERCENTILES = {"50": 1.0, "75": 1.2, "90": 1.6, "95": 2.0, "99": 4.0, "99.9": 9.0, "99.99": 14.0}
ROWS = 1_000_000


def calm_machine(window: float = 3.0) -> MachineMeter:
    """Two processors, the server's busy with the stack alone, the load's with the engine alone."""
    return MachineMeter(
        window_seconds=window,
        processors=[
            ProcessorUse(cpu=0, busy_seconds=0.95 * window, interrupt_seconds=0.04 * window, steal_seconds=0.0),
            ProcessorUse(cpu=1, busy_seconds=0.35 * window, interrupt_seconds=0.04 * window, steal_seconds=0.0),
        ],
        own_server_cpu_seconds=0.95 * window,
        own_load_cpu_seconds=0.34 * window,
        swapped_in_pages=0,
        swapped_out_pages=0,
        memory_total_bytes=8 * 2**30,
        memory_available_bytes=4 * 2**30,
        quota_throttled_periods=0,
        quota_throttled_seconds=0.0,
        pressure_seconds={"cpu": 0.9 * window, "memory": 0.0, "io": 0.1},
    )


def calm_network() -> NetworkMeter:
    """Nothing dropped, nothing sent again, as every request's ACK rides on the next request."""
    return NetworkMeter(
        listen_overflows=0,
        listen_drops=0,
        sent_segments=50_000,
        retransmitted_segments=0,
        loss_probes=0,
        loss_probe_recoveries=0,
        timeouts=0,
        delayed_acks=20,
        time_wait_sockets=40,
        local_ports=28_232,
    )


def times(count: int, median: float) -> Distribution:
    """A distribution with the shape of PERCENTILES."""
    if count == 0:
        nothing: dict[str, float | None] = dict.fromkeys(PERCENTILES)
        return Distribution(
            count=0, min_seconds=None, mean_seconds=None, max_seconds=None, percentiles=nothing, hdr_base64=""
        )
    return Distribution(
        count=count,
        min_seconds=median * 0.4,
        mean_seconds=median,
        max_seconds=median * 20,
        percentiles={key: median * factor for key, factor in PERCENTILES.items()},
        hdr_base64="",
    )


def uniform_picks(answers: int, rows: int = ROWS) -> Picks:
    """What uniform picking gives on average."""
    pairs = round(answers * (answers - 1) / 2 / rows)
    whole, rest = divmod(answers, 100)
    return Picks(
        answered=answers,
        distinct=max(answers - pairs, 0),
        pairs=pairs,
        unknown=0,
        bins=[whole + (place < rest) for place in range(100)],
    )


def tallied(ids: Sequence[int] | np.ndarray[Any, Any], rows: int = ROWS) -> Picks:
    """The engine's tally of these rows, as places in the dataset from 0."""
    places, counts = np.unique(np.asarray(ids), return_counts=True)
    bins = np.bincount(places * 100 // rows, weights=counts, minlength=100)
    return Picks(
        answered=int(counts.sum()),
        distinct=int(places.size),
        pairs=int((counts * (counts - 1) // 2).sum()),
        unknown=0,
        bins=[int(count) for count in bins],
    )


def a_slice(number: int, foreign_server_share: float, *, kept: bool, foreign_engine_share: float = 0.0) -> Slice:
    """The slice of a trial in the round of this number, beside others that used so much."""
    return Slice(
        round=number,
        place=1,
        window_seconds=0.4,
        verified=400,
        errors=0,
        server_cpu_seconds=0.38,
        foreign_server_share=foreign_server_share,
        foreign_engine_share=foreign_engine_share,
        kept=kept,
    )
