"""Starts that fail at times."""

from collections.abc import Mapping

from fairtrial.judge.checks.model import Finding
from tests.builders import TrialBuilder, a_trial, an_experiment, trials_of
from tests.judge.checks.findings import found, severities

STACKS = a_trial().failing("start", "it ended with status 3 before it was ready:\nno luck", by_contender=True)
THE_DATABASES = a_trial().failing("service", "PostgreSQL was killed by signal 9")
TAKEN = a_trial().failing("start", "port 8080, which the program always takes, is held by sshd (12)")
REFUSED = a_trial().erring(wrong_body=1)


def findings(*of_blocks: TrialBuilder, others: Mapping[int, TrialBuilder] | None = None) -> list[Finding]:
    """Those about `a`, tried so in each block, beside `b`, which is honest but in these blocks."""
    record = an_experiment("a", "b", blocks=len(of_blocks)).record()
    trials = trials_of(
        record, lambda name, block: of_blocks[block - 1] if name == "a" else (others or {}).get(block, a_trial())
    )
    return found("start-failed", record, trials)


def test_each_failed_start_is_refused_with_the_number_of_all(snapshot: object) -> None:
    first, second = findings(a_trial(), STACKS, a_trial(), STACKS, a_trial())
    assert (first.severity, first.trial, second.trial) == ("refusal", 3, 7)
    assert first.evidence == snapshot


def test_a_stack_that_comes_up_in_one_of_five_blocks_is_no_less_refused() -> None:
    assert severities(findings(STACKS, STACKS, STACKS, STACKS, a_trial())) == ["refusal"] * 4
    # It may have hoped that a trial without a figure counts for nothing; one that was refused came up all the same.
    assert severities(findings(STACKS, REFUSED)) == ["refusal"]


def test_what_never_came_up_was_not_run() -> None:
    assert findings(STACKS, STACKS, STACKS) == []


def test_it_is_not_what_its_rivals_do_that_counts() -> None:
    assert findings(STACKS, STACKS, others={}) == []
    assert [finding.trial for finding in findings(a_trial(), a_trial(), others={1: STACKS})] == [2]


def test_what_others_made_fail_is_no_failure_of_the_stack() -> None:
    """A database that died, a port that another program held; and they are no starts that it was able to make."""
    assert findings(a_trial(), THE_DATABASES, TAKEN, a_trial()) == []
    (finding,) = findings(a_trial(), THE_DATABASES, TAKEN, STACKS)
    assert finding.evidence.startswith("1 of 2 starts failed")


def test_a_record_that_does_not_say_whose_failure_it_was_is_judged_as_before() -> None:
    assert findings(a_trial(), a_trial().failing("start", "it ended with status 3"), a_trial()) == []


def test_what_the_log_says_cannot_command_the_terminal() -> None:
    hostile = a_trial().failing("start", "it ended:\n\x1b[2J" + "x" * 1000, by_contender=True)
    (finding,) = findings(a_trial(), hostile)
    assert "\x1b" not in finding.evidence and len(finding.evidence) < 500
