"""Several claims of one file, each at its own level or together at one."""

from fairtrial.judge.judging import judge
from fairtrial.judge.model import Result
from fairtrial.report.sentences import claims_notes
from tests.builders import ExperimentBuilder, TrialBuilder, a_trial, an_experiment, trials_of

FASTER = {1: 2.06, 2: 2.10, 3: 2.02, 4: 2.12, 5: 2.08}
"""Of `a` to `b` in each block: 2.08 in a typical one, 95% interval 2.03 to 2.12, 99% interval 2.00 to 2.16."""


def judged(experiment: ExperimentBuilder) -> Result:
    record = experiment.record()

    def make(name: str, block: int) -> TrialBuilder:
        return a_trial().serving(1000 * (FASTER[block] if name == "a" else 1))

    return judge(record, trials_of(record, make), interrupted=False)


def claiming(*bounds: float) -> ExperimentBuilder:
    experiment = an_experiment("a", "b")
    for bound in bounds:
        experiment = experiment.claiming(of="a", to="b", at_least=bound)
    return experiment


def verdicts(result: Result) -> list[str]:
    return [claim.verdict for claim in result.claims]


def test_what_one_claim_proves_is_not_proven_as_one_of_four() -> None:
    near = claiming(2.02, 2.06, 2.07, 2.08)
    assert verdicts(judged(near)) == ["upheld", "undecided", "undecided", "undecided"]
    together = judged(near.but(claims_judged="together"))
    assert verdicts(together) == ["undecided"] * 4
    assert "98.75% interval" in together.claims[0].sentence


def test_each_claim_that_is_decided_leaves_its_share_to_the_others() -> None:
    """Holm: three plain claims are decided at 98.75%, and the fourth is the last, at 95%."""
    together = judged(claiming(2.02, 1.0, 1.1, 1.2).but(claims_judged="together"))
    assert verdicts(together) == ["upheld"] * 4
    first, second = together.claims[:2]
    assert "95% interval" in first.sentence and "98.75% interval" in second.sentence


def test_a_property_takes_no_share() -> None:
    experiment = claiming(2.02).stating("property", of="a", property="all-answered").but(claims_judged="together")
    assert verdicts(judged(experiment)) == ["upheld", "upheld"]


def test_an_undecided_claim_among_others_needs_more_blocks_than_alone() -> None:
    alone, among = judged(claiming(2.06)), judged(claiming(2.06, 2.07, 2.08).but(claims_judged="together"))

    def needed(result: Result) -> int:
        return int(result.claims[0].sentence.partition("`, ")[2].partition(" blocks")[0])

    assert needed(among) > needed(alone)


def test_the_report_says_what_several_claims_mean(snapshot: object) -> None:
    assert claims_notes(judged(claiming(1.0))) == []
    (each,) = claims_notes(judged(claiming(1.0, 1.1, 1.2)))
    assert each == snapshot
    (together,) = claims_notes(judged(claiming(1.0, 1.1).but(claims_judged="together")))
    assert "All 2 claims hold together at 95%" in together


def test_claims_that_were_stated_when_the_figures_were_there_are_marked() -> None:
    record = claiming(1.0).record()
    after = judge(record, trials_of(record, a_trial()), interrupted=False, claims_stated="after")
    assert after.claims_stated == "after" and "stated after the run" in claims_notes(after)[0]
    before = judge(record, trials_of(record, a_trial()), interrupted=False)
    assert before.claims_stated == "before" and claims_notes(before) == []
