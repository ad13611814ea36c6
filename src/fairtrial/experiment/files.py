"""Experiment files: finding them and reading them."""

from pathlib import Path

from fairtrial.base.locations import shipped
from fairtrial.base.problem import Problem
from fairtrial.base.registry import instead_of
from fairtrial.base.toml_file import read_toml
from fairtrial.experiment.model import Experiment

QUICKSTART = "quickstart"


def shipped_experiments() -> dict[str, Path]:
    """The experiments that come with Fairtrial, by name."""
    return {path.stem: path for path in sorted(shipped("experiments").glob("*.toml"))}


def find_experiment(name_or_path: str) -> Path:
    """The file that is meant: a path, or the name of a shipped experiment.

    Raises:
        Problem: there is none.
    """
    path = Path(name_or_path)
    if not path.suffix and name_or_path in shipped_experiments():
        return shipped_experiments()[name_or_path]
    if not path.exists():
        beside = [str(path.parent / file.name) for file in path.parent.glob("*.toml")]
        names = beside if path.suffix else [*shipped_experiments(), *beside]
        raise Problem(
            f"there is no experiment {name_or_path!r}: neither a file nor a shipped one"
            f"{instead_of(name_or_path, names)}",
            "give the path of a .toml file, or a name from `fairtrial list experiments`; of `fairtrial list studies` "
            "with --all",
        )
    return path


def load_experiment(file: Path) -> Experiment:
    """The experiment in this file.

    Raises:
        Problem: it cannot be read, or is broken.
    """
    return read_toml(file, Experiment)
