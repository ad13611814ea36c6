"""Variables of the environment that stand for secrets."""

import re
from collections.abc import Mapping

LONGEST_NAME = 60


class Variables:
    """Gives every secret a variable of its own, and remembers what each is for. No secret leaves it."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._purposes: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    @property
    def purposes(self) -> Mapping[str, str]:
        """By variable, what it stands for, in words."""
        return self._purposes

    def placeholder(self, name: str, secret: str, purpose: str) -> str:
        """`{{env API_NAME}}` for a secret; the same for the same secret, wherever it stands.

        Args:
            name: what the source calls it: of a header, a parameter, a member.
            purpose: for whoever has to set it.
        """
        if secret not in self._names:
            variable = self._unused(variable_name(name))
            self._names[secret] = variable
            self._purposes[variable] = purpose
        return f"{{{{env {self._names[secret]}}}}}"

    def placeholder_of(self, variable: str, purpose: str) -> str:
        """`{{env VARIABLE}}` for a variable that the source itself names."""
        self._purposes.setdefault(variable, purpose)
        return f"{{{{env {variable}}}}}"

    def _unused(self, variable: str) -> str:
        candidate = variable
        while candidate in self._purposes:
            self._numbers[variable] = self._numbers.get(variable, 1) + 1
            candidate = f"{variable}_{self._numbers[variable]}"
        return candidate


def variable_name(name: str) -> str:
    """`API_CLIENT_SECRET` for `clientSecret`.

    All begin with `API_`, so that a source cannot ask for a variable that is set for something else.
    """
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", name)
    joined = "_".join(word.upper() for word in words)[:LONGEST_NAME].removeprefix("X_").strip("_")
    return joined if joined.startswith("API_") else f"API_{joined or 'SECRET'}"
