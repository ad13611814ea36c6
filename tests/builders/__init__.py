"""Synthetic records that read as a sentence.

    record = an_experiment("a", "b", blocks=5).claiming(of="a", to="b", at_least=2).record()
    trials = trials_of(record, a_trial().serving(4000))

A trial without further words is valid: 3 s, no errors, uniform picks, a contract that holds.
"""

from tests.builders.experiment import ExperimentBuilder, an_experiment
from tests.builders.figures import ROWS, a_slice, calm_machine, calm_network, tallied, times, uniform_picks
from tests.builders.trial import ERROR_KINDS, TrialBuilder, a_trial, a_warm_up, trials_of

__all__ = [
    "ERROR_KINDS",
    "ROWS",
    "ExperimentBuilder",
    "TrialBuilder",
    "a_slice",
    "a_trial",
    "a_warm_up",
    "an_experiment",
    "calm_machine",
    "calm_network",
    "tallied",
    "times",
    "trials_of",
    "uniform_picks",
]
