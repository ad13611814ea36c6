"""What a verdict says of the warnings about its trials."""

from fairtrial.judge.judging import judge
from fairtrial.judge.model import ClaimResult
from fairtrial.record.model import ExperimentRecord
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of
from tests.lines import passage

SHORT = 400 * 2**20
"""Bytes of memory left of the machine: memory-short warns."""


def sentence(experiment: ExperimentBuilder, *short: str) -> str:
    """Of the first claim, where memory is short in the first two blocks of these stacks."""
    record = experiment.record()

    def make(contender: str, block: int) -> TrialBuilder:
        trial = a_trial().serving(4000 if contender.startswith("a") else 1000)
        is_short = contender.split(" ", maxsplit=1)[0] in short and block <= 2
        return trial.on_machine(memory_available_bytes=SHORT) if is_short else trial

    return judge(record, trials_of(record, make), interrupted=False).claims[0].sentence


def test_a_verdict_names_the_warnings_of_its_trials(snapshot: object) -> None:
    experiment = an_experiment("a", "b", "c").claiming(of="a", to="b", at_least=2)
    words = sentence(experiment, "a", "b")
    assert words == snapshot


def test_warnings_of_others_are_not_its_own() -> None:
    experiment = an_experiment("a", "b", "c").claiming(of="a", to="b", at_least=2)
    assert "checks warn" not in sentence(experiment, "c")


def test_a_shape_rests_on_the_trials_along_its_curve(snapshot: object) -> None:
    experiment = an_experiment("a").sweeping(1, 2, 4).stating("shape", of="a", shape="flat", within=0.1)
    assert sentence(experiment, "a") == snapshot


def test_what_is_known_of_the_whole_run_stands_in_the_sentence(snapshot: object) -> None:
    """Starts of `a` fall into two groups, and windows of 3 s are too short for a trend."""
    experiment = an_experiment("a", "b", "c", blocks=12).claiming(of="a", to="b", at_least=1.1)
    experiment = experiment.claiming(of="b", to="c", at_least=0.9)
    record = experiment.record()

    def make(contender: str, block: int) -> TrialBuilder:
        rate = 4000 if contender == "a" and block % 2 else 2000
        return a_trial().serving(rate * (1 + (block % 5 - 2) / 500))

    of_a, of_others = (claim.sentence for claim in judge(record, trials_of(record, make), interrupted=False).claims)
    assert of_a == snapshot
    assert "starts-differ" not in of_others
    assert all("Not examined: not-stationary" in sentence for sentence in (of_a, of_others))


def test_a_verdict_says_which_run_it_is_of() -> None:
    """Who runs an experiment until its claim is upheld has looked more than once."""
    experiment = an_experiment("a", "b").claiming(of="a", to="b", at_least=2)
    record = experiment.record().model_copy(update={"earlier_runs": 2})
    words = "This is run 3 of the experiment in its folder of results."

    def claim(rate: float, of: ExperimentRecord) -> ClaimResult:
        def serving(name: str, block: int) -> TrialBuilder:
            return a_trial().serving(rate * (1 + (block % 3 - 1) / 20) if name == "a" else 1000.0)

        trials = trials_of(of, serving)
        return judge(of, trials, interrupted=False).claims[0]

    assert words in claim(4000, record).sentence and words in claim(1000, record).sentence
    assert "This is run" not in claim(4000, experiment.record()).sentence
    undecided = claim(2000, record)
    assert undecided.verdict == "undecided" and words not in undecided.sentence


def test_work_that_nobody_counted_stands_in_the_sentence(snapshot: object) -> None:
    words = sentence(an_experiment("a", "b").claiming(of="a", to="b", at_least=2))
    assert words == snapshot


def test_a_database_on_the_processors_of_the_stack_stands_in_the_sentence() -> None:
    experiment = an_experiment("a", "b").claiming(of="a", to="b", at_least=2)
    record = experiment.record()
    rates = {"a": 4000, "b": 1000}
    trials = [
        trial.model_copy(update={"service": trial.server})
        for trial in trials_of(record, lambda name, _: a_trial().serving(rates[name]).but(server_cpu=0.45))
    ]
    together = judge(record, trials, interrupted=False).claims[0]
    assert "Stack and database share processors." in together.sentence
    apart = record.model_copy(update={"placement": record.placement.without_load()})
    assert "share processors" not in judge(apart, trials, interrupted=False).claims[0].sentence


def test_a_plateau_stands_in_the_sentence_of_a_percentile_as_well(snapshot: object) -> None:
    """Medians of two contenders at one plateau are as much those of what limits both."""
    experiment = an_experiment("a", "b", "c").claiming("a", "b", metric="response_time_p50", at_most=1.1)
    record = experiment.record()

    def make(contender: str, _block: int) -> TrialBuilder:
        return a_trial().but(server_cpu=0.9 if contender == "a" else 0.3)

    for claim in judge(record, trials_of(record, make), interrupted=False).claims:
        assert passage(claim.sentence, "Of the whole run,", "plateau") == snapshot
