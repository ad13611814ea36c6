"""Meters that the lab read too late, or too early, for the window that they are said to describe."""

from collections.abc import Iterator

from fairtrial.judge.checks.model import Case, Check, Finding, Threshold


def examine(case: Case) -> Iterator[Finding]:
    """A refusal where a meter covers another time than the window."""
    for trial in case.trials:
        summary = trial.engine
        if summary is None or summary.window_seconds <= 0:
            continue
        meters = {
            "the stack": trial.server,
            "its service": trial.service,
            "its balancer": trial.balancer,
            "the machine": trial.machine,
            "the service host": trial.service_machine,
            "the balancer host": trial.balancer_machine,
        }
        windows = {whose: meter.window_seconds for whose, meter in meters.items() if meter is not None}
        if not windows:
            continue
        window = summary.window_seconds
        whose = max(windows, key=lambda name: abs(windows[name] - window))
        if abs(windows[whose] - window) > case.thresholds["share"] * window:
            yield case.finding(
                trial.index,
                "refusal",
                f"processor time of {whose} was measured over {windows[whose]:.2f} s, while the window lasted "
                f"{window:.2f} s",
            )


CHECK = Check(
    name="meters-late",
    looks_at="how long the lab's meters were open, compared with the engine's window",
    thresholds={
        "share": Threshold(
            0.2,
            "share of the window",
            "meters that miss a fifth of the window may miss a tenth of its processor time when the load is twice as "
            "heavy in one half as in the other; undisturbed they miss a few milliseconds",
        ),
    },
    remedy="the lab was kept from its processor when the window opened or closed: leave it one that neither server nor "
    "load saturates, stop other programs, or lengthen duration_seconds; then run again",
    examine=examine,
    of_machine=True,
)
