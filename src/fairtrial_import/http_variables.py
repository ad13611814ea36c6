"""Variables of `.http` files and collections: defined there, made for each request, or left to the environment."""

import re
from collections.abc import Mapping

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial_import.address import RequestAddress, read_address
from fairtrial_import.samples import EMAIL, HTTP_DATE, SECONDS, TIME, UUID
from fairtrial_import.template import literal
from fairtrial_import.variables import Variables, variable_name

REFERENCE = re.compile(r"\{\{\s*([^{}]+?)\s*\}\}")
DEEPEST = 10
"""So many variables may stand for each other."""
MOST_REPLACEMENTS = 100_000
"""In a whole file; variables that hold each other many times over would take more."""
MOST_CHARACTERS = 32 << 20
MOST_REMARKS = 50
LARGEST_RANDOM = 1000
"""`{{$randomInt}}` without its limits ends below it, in JetBrains' client."""

MADE_UP = {
    "$guid": UUID,
    "$uuid": UUID,
    "$random.uuid": UUID,
    "$timestamp": SECONDS,
    "$isoTimestamp": TIME,
    "$datetime": TIME,
    "$localDatetime": TIME,
    "$random.email": EMAIL,
    "$random.alphabetic": "abcdefghij",
    "$random.alphanumeric": "abcdefghi1",
    "$random.hexadecimal": "abcdef0123",
    "$random.float": "0.5",
}
"""Values for what such a client makes anew for each request, and a load cannot."""


class FileVariables:
    """The variables of one file."""

    def __init__(self, environment: Variables, label: str) -> None:
        self._environment = environment
        self._label = label
        self._values: dict[str, str] = {}
        self._announced: dict[str, str] = {}
        self._redefined: set[str] = set()
        self._remarks: dict[str, None] = {}
        self._replacements = 0
        self._characters = 0

    @property
    def remarks(self) -> list[str]:
        """Remarks on what was made up."""
        return list(self._remarks)[:MOST_REMARKS]

    def announce(self, name: str, value: str, line: int) -> None:
        """`@name = value`, which stands in this line. Before it, its first value is taken."""
        if self._announced.setdefault(name, value) != value and name not in self._redefined:
            self._redefined.add(name)
            self._remarks[
                f"{printable(name, 40)} is defined anew in line {line}: each request has the value above it, "
                "as httpyac does. VS Code's REST Client takes the last one for all."
            ] = None

    def define(self, name: str, value: str) -> None:
        """`@name = value`, from here on."""
        self._values[name] = value

    def use(self, values: Mapping[str, str]) -> None:
        """Define these, and no others."""
        self._values = dict(values)

    def read_address(self, url: str, where: str) -> RequestAddress:
        """The parts of a URL that is resolved. A variable for its server that has no value is told.

        Raises:
            Problem: it is no address of an HTTP server.
        """
        address = read_address(url, where, is_template=True)
        if address.server:
            what = self._environment.purposes.get(address.server, address.server)
            self._remarks[f"The URL of the load stands for {what}; a path in it has to be put before those below."] = (
                None
            )
        return address

    def marked(self, text: str) -> str:
        """A text with a hole for each variable (`fairtrial_import.shell_script`)."""
        return REFERENCE.sub("\ue000\\1\ue001", text)

    def placeholder(self, reference: str) -> str:
        """The placeholder of a variable in a template.

        Raises:
            Problem: as `resolved` does.
        """
        return self.resolved(f"{{{{{reference}}}}}")

    def resolved(self, text: str, depth: int = 0) -> str:
        """A text as a template, with the file's variables replaced. Others become variables of the environment.

        Raises:
            Problem: there are too many, or they make too long a text.
        """
        parts, last = [], 0
        for match in REFERENCE.finditer(text):
            self._replacements += 1
            if self._replacements > MOST_REPLACEMENTS:
                reason = f"{self._label}: more than {MOST_REPLACEMENTS:,} variables to replace"
                raise Problem(reason, "define them by plain values")
            parts += [literal(text[last : match.start()]), self._value(match[1], depth)]
            last = match.end()
        resolved = "".join([*parts, literal(text[last:])])
        self._characters += len(resolved)
        if self._characters > MOST_CHARACTERS:
            raise Problem(f"{self._label}: its variables make a text that is too long", "define them by plain values")
        return resolved

    def _value(self, reference: str, depth: int) -> str:
        reference = reference.removeprefix("%")  # VS Code's REST Client: percent-encoded, as a URL is here anyway
        name, *arguments = reference.split() or [""]
        value = self._values.get(reference, self._announced.get(reference))
        if value is not None and depth < DEEPEST:
            return self.resolved(value, depth + 1)
        if name in ("$processEnv", "$dotenv") and arguments:
            return self._of_environment(arguments[-1].lstrip("%"))
        if name.startswith("$env."):
            return self._of_environment(name.removeprefix("$env."))
        if name in ("$randomInt", "$random.integer", "$random.integer()") or name.startswith("$random.integer("):
            return _random(" ".join([name.partition("(")[2], *arguments]))
        function = name.partition("(")[0]
        if function in MADE_UP:
            value = HTTP_DATE if arguments[:1] == ["rfc1123"] else MADE_UP[function]
            self._remarks[f"Made up: {{{{{function}}}}} is {value} in every request."] = None
            return value
        variable = variable_name(reference)
        return self._environment.placeholder_of(variable, f"what the file calls {reference}, and does not define")

    def _of_environment(self, name: str) -> str:
        variable = re.sub(r"\W|^(?=\d)", "_", name, flags=re.ASCII) or "_"
        return self._environment.placeholder_of(variable, "the file asks for it by this name")


def _random(limits: str) -> str:
    """`{{uniform 1 99}}` for the limits 1 and 100, of which the upper one is left out."""
    numbers = [int(digits) for digits in re.findall(r"\d{1,9}", limits)]
    low, high = (numbers[0], numbers[1]) if len(numbers) > 1 else (0, LARGEST_RANDOM)
    return f"{{{{uniform {low} {max(low, high - 1)}}}}}"
