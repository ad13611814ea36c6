"""`curl …`: command lines as people type them, as browsers and documentation copy them, and as scripts have them."""

import re

from fairtrial_import.curl_command import read_curl
from fairtrial_import.kinds.model import SourceKind
from fairtrial_import.model import ImportedRequests
from fairtrial_import.shell_script import without_holes
from fairtrial_import.source import ImportSource, looks_like_curl
from fairtrial_import.variables import Variables, variable_name

LARGEST_BYTES = 4 << 20
FENCE = re.compile(r"^[ \t]*```", re.MULTILINE)
CALL = re.compile(
    r"""^[^#\n]*?(?:^|[\s;|&({`/])curl(?:\.exe)?[ \t]+[^\n]{0,300}?(?:-[\w-]|://|["'$\\])""", re.MULTILINE
)


def read(source: ImportSource, variables: Variables) -> ImportedRequests:
    """The requests of all calls of curl in a text.

    Raises:
        Problem: no call of it can be imported.
    """

    def fill(name: str) -> str:
        return variables.placeholder_of(variable_name(name), f"what the script calls {name}, and does not tell")

    text = without_holes(source.text(LARGEST_BYTES))
    requests, remarks = read_curl(_of_code(text) if FENCE.search(text) else text, source.label, fill)
    hosts = [request.origin.partition("://")[2] for request in requests if request.origin]
    return ImportedRequests(title=hosts[0] if hosts else source.stem, requests=requests, remarks=remarks)


def _of_code(text: str) -> str:
    """A page of Markdown without all that is no code; its lines keep their numbers."""
    lines, within = [], False
    for line in text.split("\n"):
        is_fence = FENCE.match(line) is not None
        lines.append(line if within and not is_fence else "")
        within ^= is_fence
    return "\n".join(lines)


def _recognises(source: ImportSource) -> bool:
    return looks_like_curl(source.head) or CALL.search(source.long_head) is not None


KIND = SourceKind("curl", "a curl command", _recognises, read, rank=3)
