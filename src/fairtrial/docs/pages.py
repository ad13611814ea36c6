"""The pages that have generated parts, and how a part gets into its page.

A part stands between `<!-- name -->` and `<!-- /name -->`. Headings and what else is on the page are written by hand.
"""

import re
from collections.abc import Callable, Mapping
from functools import partial

from fairtrial.docs import checks, commands, contradictions, engine_protocol, formats, metrics

PAGES: Mapping[str, Callable[[], Mapping[str, str]]] = {
    "adopt.md": partial(commands.exit_statuses_of, "adopt"),
    "ab-test.md": partial(commands.exit_statuses_of, "ab-test"),
    "checks.md": checks.check_parts,
    "claims.md": metrics.claims_parts,
    "compare.md": partial(commands.exit_statuses_of, "compare"),
    "cross-examine.md": lambda: {**contradictions.contradiction_parts(), **commands.command_parts("cross-examine")},
    "engine-protocol.md": engine_protocol.protocol_parts,
    "files.md": lambda: {**commands.files_parts(), **commands.exit_statuses_of("run")},
    "formats.md": formats.formats_parts,
    "glossary.md": metrics.glossary_parts,
    "history.md": commands.history_parts,
    "import.md": partial(commands.command_parts, "import"),
    "init.md": partial(commands.command_parts, "init"),
    "load.md": commands.load_parts,
    "pool.md": partial(commands.exit_statuses_of, "pool"),
    "robustness.md": commands.macos_parts,
}
"""By the name of the page in `docs/`, what gives its parts by their names."""


def with_parts(page: str, parts: Mapping[str, str]) -> str:
    """The text of a page with these parts in the place of what stood between their markers.

    Raises:
        ValueError: the page lacks a part's markers, or has markers of a part that there is not.
    """
    marked = re.findall(r"^<!-- /(.+) -->$", page, flags=re.MULTILINE)
    if lacking := [name for name in parts if name not in marked]:
        raise ValueError(f"the page lacks the lines <!-- {lacking[0]} --> and <!-- /{lacking[0]} -->")
    if unknown := [name for name in marked if name not in parts]:
        raise ValueError(f"nothing writes the part between <!-- {unknown[0]} --> and <!-- /{unknown[0]} -->")
    for name, text in parts.items():
        page = replace_part(page, name, text)
    return page


def replace_part(page: str, name: str, text: str) -> str:
    """A page with `text` between the lines `<!-- name -->` and `<!-- /name -->`.

    Raises:
        ValueError: it has no such lines.
    """
    begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
    before, has_begin, rest = page.partition(begin)
    _, has_end, after = rest.partition(end)
    if not has_begin or not has_end:
        raise ValueError(f"there is no {begin} … {end}")
    return f"{before}{begin}\n{text}\n{end}{after}"
