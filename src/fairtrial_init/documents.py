"""Documents in a service's folder from which its requests can be imported."""

import re

from fairtrial.base.problem import Problem
from fairtrial_import.kinds import kind_of
from fairtrial_import.source import open_source
from fairtrial_init.files import SERVED_ENDING
from fairtrial_init.project_folder import ProjectFolder

NAMED_LIKE_ONE = re.compile(r"(?:openapi|swagger)[^/]*\.(?:ya?ml|json)$|\.(?:har|http|rest)$", re.IGNORECASE)
FIRST = ("openapi", "har", "http")
"""Kinds that are proposed, in this order: a document of the service says more than what one browser did."""
MOST_TRIED = 20


def documents_in(folder: ProjectFolder) -> list[str]:
    """The paths of documents that can be imported, relative to the folder; what is proposed comes first."""
    documents: list[tuple[int, str]] = []
    candidates = (name for name in folder.names if NAMED_LIKE_ONE.search(name))
    names = [name for name in candidates if not name.endswith(SERVED_ENDING)]  # which is asked for anew
    for name in names[:MOST_TRIED]:
        try:
            kind = kind_of(open_source(str(folder.path / name)), None).name
        except Problem:
            continue
        if kind in FIRST:
            documents.append((FIRST.index(kind), name))
    return [name for _, name in sorted(documents, key=lambda each: each[0])]
