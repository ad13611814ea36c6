"""How one kind of project is recognised, and what is proposed for it."""

from collections.abc import Callable
from dataclasses import dataclass

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.proposal import StartProposal

A_FRAMEWORK, A_LANGUAGE, A_FILE = 3, 2, 1
"""How sure a kind can be: it knows the framework, the language's own project file, or no more than some file."""


@dataclass(frozen=True)
class Project:
    """A kind of project."""

    name: str
    sureness: int
    """how sure it is: of several kinds that recognise a folder, the surest is proposed"""
    propose: Callable[[ProjectFolder], StartProposal | None]
    """None: the folder holds no such project"""
