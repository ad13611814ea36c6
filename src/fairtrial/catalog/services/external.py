"""A service that runs already: the user names an environment variable that holds its URL."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from urllib.parse import urlsplit

from fairtrial.base.problem import Problem
from fairtrial.catalog.services.model import RowsLoaded, RunningService, Service
from fairtrial.catalog.tables import Table


def external(
    service: Service, url_from: str, tables: Sequence[Table], on_rows: RowsLoaded
) -> AbstractContextManager[RunningService]:
    """The service at the URL in the environment variable `url_from`, the tables loaded into a place of the lab's own.

    Messages never hold the URL: there may be a password in it.

    Raises:
        Problem: the variable is not set, holds no URL of this service, or (when entered) the service refuses.
    """
    url = os.environ.get(url_from, "")
    if not url:
        raise Problem(
            f"[services.{service.name}] url_from: the environment variable {url_from} is not set",
            f"set it to the URL of a {service.title} that runs, or leave `url_from` out to have one started",
        )
    if _scheme(url) not in service.schemes or service.connect is None:
        allowed = ", ".join(f"{scheme}://" for scheme in service.schemes)
        raise Problem(
            f"[services.{service.name}] url_from: what {url_from} holds is no URL of {service.title}",
            f"it has to begin with one of: {allowed}",
        )
    return service.connect(url, tables, on_rows)


def _scheme(url: str) -> str:
    try:
        return urlsplit(url).scheme
    except ValueError:  # it says where, and so what is in the URL
        return ""
