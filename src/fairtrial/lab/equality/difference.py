"""The smallest excerpt that shows how an answer differs from the one that it should be equal to."""

import re

from fairtrial.base.json_members import MemberTwice
from fairtrial.base.printable import printable
from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.lab.equality.answer import GivenAnswer
from fairtrial.lab.equality.gaps import Gap, Rules, gaps

BEFORE_CHARACTERS, AFTER_CHARACTERS = 10, 40
"""Characters of a text that are shown in front of the first one that differs, and from there on."""

COMPARED_CHARACTERS = 64 << 10
"""Characters of a text in which the first difference is looked for. The user's expressions may take long."""


def difference(answer: GivenAnswer, reference: GivenAnswer, normalisation: Normalisation) -> str:
    """The difference of an answer that is not equal, in a few printable words."""
    apart = _apart_from_the_body(answer, reference)
    if apart is not None:
        return apart
    if answer.body is None or reference.body is None:
        return "the body differs; not both were kept"
    try:
        all_gaps = json_gaps(answer, reference, normalisation)
    except MemberTwice as twice:
        return str(twice)
    if all_gaps:
        return min((gap.in_words() for gap in all_gaps), key=len)
    if all_gaps is not None:
        return f"the body differs: {printable(answer.body, 60)}, not {printable(reference.body, 60)}"
    return _text_difference(answer.body, reference.body, normalisation)


def json_gaps(answer: GivenAnswer, reference: GivenAnswer, normalisation: Normalisation) -> list[Gap] | None:
    """Where two JSON bodies differ; None: not both are JSON.

    Raises:
        MemberTwice: an object has two members of one name.
    """
    if not (answer.is_json and reference.is_json):
        return None
    try:
        return gaps(answer.value(), reference.value(), Rules(normalisation))
    except MemberTwice:
        raise
    except (ValueError, RecursionError):
        return None


def without_what_varies(text: str, normalisation: Normalisation) -> str:
    """A body that is no JSON, as it is compared."""
    text = text[:COMPARED_CHARACTERS].removesuffix("\n").removesuffix("\r")
    if not is_utf8(text):
        return text
    for rule in normalisation.text:
        text = re.sub(rule.matches, lambda _match, rule=rule: rule.stands_for, text, flags=re.ASCII)  # type: ignore[misc]
    return text


def is_utf8(text: str) -> bool:
    """Whether a text that the engine kept came as UTF-8, as far as is known: what did not is compared by its bytes."""
    return "\ufffd" not in text


def first_difference(first: str, second: str) -> int:
    """Where two texts begin to differ, in characters."""
    return next(
        (place for place, (left, right) in enumerate(zip(first, second, strict=False)) if left != right),
        min(len(first), len(second)),
    )


def _apart_from_the_body(answer: GivenAnswer, reference: GivenAnswer) -> str | None:
    for each, whose in ((answer, ""), (reference, " in the reference's answer")):
        if each.fault is not None:
            return f"{each.fault}{whose}"
    if answer.status != reference.status:
        return f"status {answer.status}, not {reference.status}"
    if answer.media_type != reference.media_type:
        return f"type {printable(answer.media_type, 60) or 'none'}, not {printable(reference.media_type, 60) or 'none'}"
    return None


def _text_difference(body: str, reference: str, normalisation: Normalisation) -> str:
    body_text, reference_text = without_what_varies(body, normalisation), without_what_varies(reference, normalisation)
    at = first_difference(body_text, reference_text)
    start = max(0, at - BEFORE_CHARACTERS)
    excerpts = [printable(text[start : at + AFTER_CHARACTERS]) for text in (body_text, reference_text)]
    return f'character {at + 1}: "{excerpts[0]}", not "{excerpts[1]}"'
