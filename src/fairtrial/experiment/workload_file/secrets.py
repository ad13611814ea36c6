"""Values of environment variables, and those from setup answers, in requests: they are sent, and never shown."""

import json
from collections.abc import Mapping
from urllib.parse import quote

FEWEST_OF_A_CUT = 4
"""An excerpt may end in the midst of a value: so many characters of it at its end are hidden, too."""


class Secrets:
    """Secret texts, by the name of its environment variable, or by another placeholder: `var token`."""

    def __init__(self, *values: Mapping[str, str]) -> None:
        """Several mappings may hold different values of one name: those of several starts.

        `spelled`: each way to write one of the values, with its placeholder.
        """
        # The longest first: one value may hold another.
        self.spelled = sorted(
            (
                (spelled, _placeholder(name))
                for each in values
                for name, value in each.items()
                for spelled in _spellings(value)
            ),
            key=lambda each: -len(each[0]),
        )

    def replaced(self, text: str) -> str:
        """The text with `{{env NAME}}` in place of each whole value."""
        for spelled, placeholder in self.spelled:
            text = text.replace(spelled, placeholder)
        return text

    def hidden(self, text: str) -> str:
        """The text with `{{env NAME}}` in place of each value, as it is, percent-encoded or escaped as JSON does.

        A text may end in the midst of a value: the beginning of one there is replaced, too.
        """
        text = self.replaced(text)
        for spelled, placeholder in self.spelled:
            for length in range(len(spelled) - 1, FEWEST_OF_A_CUT - 1, -1):
                if text.endswith(spelled[:length]):
                    text = f"{text[:-length]}{placeholder}"
                    break
        return text


def _placeholder(name: str) -> str:
    return f"{{{{{name}}}}}" if " " in name else f"{{{{env {name}}}}}"


def _spellings(value: str) -> set[str]:
    return {value, quote(value, safe=""), json.dumps(value)[1:-1], json.dumps(value, ensure_ascii=False)[1:-1]} - {""}
