"""What a lab says that finds a database of somebody else's in the hands of another lab."""

from fairtrial.base.problem import Problem

REMEDY = "wait until that one has ended, or name another database"


def in_use(title: str, remedy: str = REMEDY) -> Problem:
    """The one message for all kinds of databases."""
    return Problem(f"another Fairtrial uses this database ({title})", remedy)
