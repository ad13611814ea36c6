"""Values that are equal up to a one-to-one renaming, over all answers of two contenders."""

from fairtrial.experiment.workload_file.normalisation import Normalisation
from fairtrial.lab.equality.answer import KeptAnswer
from fairtrial.lab.equality.gaps import Rules, renamed_pairs


class Renaming:
    """What stands for what so far. Both sides' values are JSON texts."""

    def __init__(self, normalisation: Normalisation) -> None:
        self._rules = Rules(normalisation)
        self._wanted_of: dict[tuple[str, str], str] = {}
        self._found_of: dict[tuple[str, str], str] = {}

    def contradiction(self, answer: KeptAnswer, reference: KeptAnswer) -> str | None:
        """What in a pair of otherwise equal answers contradicts the pairs before it; None: nothing."""
        if not (self._rules.has_renamed and answer.is_json and reference.is_json):
            return None
        try:
            pairs = list(renamed_pairs(answer.value(), reference.value(), self._rules))
        except (ValueError, RecursionError):
            return None
        for pointer, one, other in pairs:
            before = self._wanted_of.setdefault((pointer, one), other)
            if before != other:
                return f"{pointer} is {one} again, where the reference's was {before} and is now {other}"
            before = self._found_of.setdefault((pointer, other), one)
            if before != one:
                return f"{pointer} is {one}, and was {before} where the reference's is {other} both times"
        return None
