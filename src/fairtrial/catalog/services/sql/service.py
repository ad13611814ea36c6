"""The service that a kind of SQL database is."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from fairtrial.catalog.services.model import Service
from fairtrial.catalog.services.sql.external import External, external_database
from fairtrial.catalog.services.sql.private import private
from fairtrial.catalog.services.sql.recipe import Recipe


def sql_service(
    recipe: Recipe, variants: Mapping[str, str], schemes: Sequence[str], external: Callable[[str], External]
) -> Service:
    """Private by the recipe, or at a URL of one of the schemes, which `external` reads."""
    return Service(
        name=recipe.name,
        title=recipe.title,
        roles=("database",),
        up=partial(private, recipe, variants),
        missing=recipe.missing,
        version=recipe.version,
        schemes=schemes,
        connect=partial(external_database, recipe.name, recipe.title, external),
        variants=variants,
    )
