"""How long judging takes, what memory, and how large the report is: `python benches/judging.py`.

Each line is of a process of its own, as the peak of memory is a process's.
"""

import argparse
import resource
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from fairtrial.judge.judging import judge  # noqa: E402
from fairtrial.record.engine_summary import SecondOfSeries  # noqa: E402
from fairtrial.record.model import TrialRecord  # noqa: E402
from fairtrial.report.html import html_text  # noqa: E402
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of  # noqa: E402

DESIGNS = ((30, 10, 3), (100, 10, 3), (300, 10, 3), (300, 20, 3), (300, 20, 20))
"""Conditions, blocks and seconds of each window."""
CLAIMS = 20
SECONDS_NOISE = {"verified": 0.02, "p50_seconds": 0.03, "p99_seconds": 0.1}
"""Relative standard deviations of a window's seconds."""


def measure(conditions: int, blocks: int, seconds: int) -> str:
    """A line on so many contenders whose rates differ, with claims on the first of them."""
    draw = np.random.default_rng(1)
    names = [f"contender-{number:03d}" for number in range(conditions)]
    experiment = an_experiment(*names, blocks=blocks)
    for of, to in pairwise(names[: CLAIMS + 1]):
        experiment = experiment.claiming(of, to, at_least=1)
    record, rates = experiment.record(), {name: draw.uniform(1000, 9000) for name in names}

    def make(name: str, _block: int) -> TrialBuilder:
        return a_trial().serving(rates[name] * (1 + 0.02 * draw.standard_normal())).but(window=float(seconds))

    trials = [_with_noisy_seconds(trial, draw) for trial in trials_of(record, make)]
    began = time.process_time()
    result = judge(record, trials, interrupted=False)
    cpu_seconds = time.process_time() - began
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    page = len(html_text(result, record, trials)) / 1e6
    design = f"{conditions:>4} conditions x {blocks} blocks x {seconds:>2} s"
    return f"{design}: {cpu_seconds:5.1f} s, {peak_mib:5.0f} MiB, report {page:.1f} MB"


def _with_noisy_seconds(trial: TrialRecord, draw: np.random.Generator) -> TrialRecord:
    """The trial with seconds that differ and have response times, as those of a real one."""
    engine = trial.engine
    assert engine is not None
    typical = {"verified": engine.series[0].verified, "p50_seconds": 0.004, "p99_seconds": 0.02}
    series = []
    for _ in engine.series:
        second = {key: typical[key] * float(draw.normal(1, spread)) for key, spread in SECONDS_NOISE.items()}
        series.append(SecondOfSeries(round(second.pop("verified")), 0, **second))
    return trial.model_copy(update={"engine": engine.model_copy(update={"series": series})})


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures how judging grows with the number of trials.")
    parser.add_argument("design", nargs="*", type=int, help="conditions, blocks and seconds [default: several designs]")
    options = parser.parse_args()
    if options.design:
        print(measure(*options.design), flush=True)
        return 0
    for design in DESIGNS:
        subprocess.run([sys.executable, __file__, *map(str, design)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
