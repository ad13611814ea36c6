"""Values that are equal up to a one-to-one renaming, over all answers of two contenders."""

from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.lab.equality.answer import KeptAnswer
from fairtrial.lab.equality.gaps import Rules, renamed_pairs


class Renaming:
    """The pairs of values that stand for each other so far. Both sides' values are JSON texts."""

    def __init__(self, normalisation: Normalisation) -> None:
        self._rules = Rules(normalisation)
        self._reference_of: dict[tuple[str, str], str] = {}
        self._value_of: dict[tuple[str, str], str] = {}

    def contradiction(self, answer: KeptAnswer, reference: KeptAnswer) -> str | None:
        """The contradiction of a pair of otherwise equal answers to the pairs before it; None: there is none."""
        if not (self._rules.has_renamed and answer.is_json and reference.is_json):
            return None
        try:
            pairs = list(renamed_pairs(answer.value(), reference.value(), self._rules))
        except (ValueError, RecursionError):
            return None
        for pointer, value, reference_value in pairs:
            before = self._reference_of.setdefault((pointer, value), reference_value)
            if before != reference_value:
                return f"{pointer} is {value} again, where the reference's was {before} and is now {reference_value}"
            before = self._value_of.setdefault((pointer, reference_value), value)
            if before != value:
                return f"{pointer} is {value}, and was {before} where the reference's is {reference_value} both times"
        return None
