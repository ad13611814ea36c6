"""Findings in few lines: one entry for each check, with what differs as a range."""

from pathlib import Path

import fairtrial.judge
from fairtrial.judge.checks.model import Finding, Severity, nothing_to_do
from fairtrial.judge.model import Result
from fairtrial.report.brief import MOST_CHARACTERS, MOST_TEXTS, brief_findings, brief_obstacles, merged
from tests.report.scene import judged


def with_findings(*at: tuple[str, int, Finding]) -> Result:
    """The eventful result with no findings but these, by contender and place among its trials."""
    result = judged()[0]
    result.findings.clear()
    for condition in result.conditions:
        for place, trial in enumerate(condition.trials):
            of_trial = [found for name, at_place, found in at if (name, at_place) == (condition.contender, place)]
            trial.findings[:] = [each.model_copy(update={"trial": trial.index}) for each in of_trial]
    return result


def a_finding(
    evidence: str, severity: Severity = "warning", check: str = "new-check", remedy: str = "mend it"
) -> Finding:
    return Finding(check=check, severity=severity, evidence=evidence, remedy=remedy)


def test_numbers_that_differ_are_a_range() -> None:
    texts = ["1.01 calls (55,451 for 54,935)", "1.06 calls (3,403 for 3,210)", "1.00 calls (3,403 for 9,999)"]
    assert merged(texts) == ["1.00 to 1.06 calls (3,403 to 55,451 for 3,210 to 54,935)"]
    assert merged(["the same"] * 3) == ["the same"]


def test_a_comma_behind_a_number_is_no_part_of_it() -> None:
    assert merged(["trials 3, 4 and 5", "trials 1, 4 and 1,205"]) == ["trials 1 to 3, 4 and 5 to 1,205"]


def test_ranges_are_one_range() -> None:
    assert merged(["had 0 to 14 answers", "had 3 to 63 answers", "had 7 answers"]) == ["had 0 to 63 answers"]


def test_digits_in_a_word_are_no_number() -> None:
    texts = ["p50 is 3 ms", "p99 is 4 ms", "p50 is 5 ms"]
    assert merged(texts) == ["p50 is 3 to 5 ms", "p99 is 4 ms"]


def test_texts_that_differ_in_who_they_are_about_name_each_of_them(snapshot: object) -> None:
    texts = ["go:two: 1 start of 6 was slow", "go: 2 starts of 6 were slow", "rust-axum: 1 start of 5 was slow"]
    assert merged(texts, ["go", "go:two", "rust-axum"]) == snapshot


def test_one_entry_for_each_check_says_where_with_every_text_and_every_remedy() -> None:
    result = with_findings(
        ("rust-axum", 0, a_finding("0.4 s late", remedy="more threads")),
        ("rust-axum", 1, a_finding("0.6 s late", remedy="more threads")),
        ("go-net-http", 1, a_finding("0.5 s late", remedy="more threads")),
        ("go-net-http", 2, a_finding("it hung", remedy="fewer threads")),
    )
    (entry,) = brief_findings(result)
    assert (entry.word, entry.check) == ("warning", "new-check")
    assert entry.where == "in 4 of 25 trials: rust-axum (2), go-net-http (2)"
    assert entry.texts == ["0.4 to 0.6 s late", "it hung"]
    assert entry.remedies == ["more threads", "fewer threads"]


def test_a_trial_in_which_a_check_found_two_things_counts_once() -> None:
    twice = [("rust-axum", 0, a_finding(text)) for text in ("it hung", "it broke")]
    assert brief_findings(with_findings(*twice))[0].where == "in 1 of 25 trials: rust-axum (1)"


def test_what_is_in_every_trial_names_no_contender() -> None:
    names = [condition.contender for condition in judged()[0].conditions]
    everywhere = [(name, place, a_finding("it hung")) for name in names for place in range(5)]
    assert brief_findings(with_findings(*everywhere))[0].where == "in all 25 trials"


def test_many_different_texts_are_some_of_them_and_a_number(snapshot: object) -> None:
    letters = [("rust-axum", 0, a_finding(f"{letter * 3} broke", "refusal")) for letter in "abcdefg"]
    (entry,) = brief_findings(with_findings(*letters))
    assert len(entry.texts) == MOST_TEXTS + 1
    assert entry.texts[-1] == snapshot


def test_notes_that_ask_for_nothing_and_checks_that_could_not_look_have_no_entry() -> None:
    blind = a_finding("not examined: too short", "note", "blind").model_copy(update={"examined": False})
    result = with_findings(
        ("rust-axum", 0, a_finding("1.00 calls", "note", "ledger", nothing_to_do("this is the ledger"))),
        ("rust-axum", 0, a_finding("odd", "note", "asking")),
        ("go-net-http", 0, blind),
    )
    assert [entry.check for entry in brief_findings(result)] == ["asking"]


def test_a_refusal_or_a_warning_is_given_whatever_its_remedy_is() -> None:
    result = with_findings(("rust-axum", 0, a_finding("odd", "warning", remedy=nothing_to_do())))
    assert [entry.check for entry in brief_findings(result)] == ["new-check"]


def test_reasons_that_differ_in_numbers_and_logs_are_one_entry() -> None:
    """A stack that is never ready has a log of its own in each trial."""
    result = judged()[0]
    (missing,) = [each for each in result.conditions if each.contender == "bun-serve"]
    missing.trials[:] = [
        trial.model_copy(
            update={
                "reason": f"it was not ready within 30.{place} s\nlistening {place}",
                "remedy": f"see its log: logs/{place:03}-bun.log",
            }
        )
        for place, trial in enumerate(missing.trials, 1)
    ]
    (entry,) = brief_obstacles(result)
    assert (entry.where, len(entry.remedies)) == ("in 5 of 25 trials: bun-serve (5)", 1)


def told_of(reason: str) -> str:
    """The entry's text where all trials of a contender were not run for this reason."""
    result = judged()[0]
    (missing,) = [each for each in result.conditions if each.contender == "bun-serve"]
    missing.trials[:] = [each.model_copy(update={"reason": reason}) for each in missing.trials]
    (text,) = brief_obstacles(result)[0].texts
    assert len(text) <= MOST_CHARACTERS
    return text


def test_of_a_long_log_the_end_is_shown_as_it_has_the_cause() -> None:
    log = "\n".join(
        [*(f'  File "server.py", line {line}, in main\n    ~~~~^^^^' for line in range(99)), "ValueError: no"]
    )
    text = told_of(f"it ended:\n{log}")
    assert text.startswith("it ended: …   File") and text.endswith("line 98, in main ValueError: no"), text
    assert len(text) > 300 and "^" not in text


def test_of_a_line_that_is_too_long_the_begin_is_shown() -> None:
    assert told_of("it ended:\nfirst\n" + "x" * 4_000).startswith("it ended: … xxx")
    assert told_of("x" * 4_000).endswith("x…")


def test_why_trials_have_no_figures_is_one_entry_for_each_reason() -> None:
    (entry,) = brief_obstacles(judged()[0])
    assert (entry.word, entry.where, entry.texts, entry.remedies) == (
        "not run",
        "in 5 of 25 trials: bun-serve (5)",
        ["bun was not found"],
        ["install Bun"],
    )


def test_there_is_one_way_to_say_that_there_is_nothing_to_do() -> None:
    sources = Path(fairtrial.judge.__file__).parent.rglob("*.py")
    saying = [path.name for path in sources if '"nothing to do' in path.read_text()]
    assert saying == ["model.py"]
