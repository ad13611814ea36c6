"""Kinds of projects: one file for each. Adding a kind is adding a file that defines `PROJECT`."""

from collections.abc import Mapping
from functools import cache

from fairtrial.base.registry import defined_in
from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import Project
from fairtrial_init.proposal import StartProposal


@cache
def all_projects() -> Mapping[str, Project]:
    """Every kind by its name, in the order of the names."""
    return defined_in(__name__, __path__, "PROJECT")


def proposals_for(folder: ProjectFolder) -> list[StartProposal]:
    """The proposals of the kinds that recognise the folder, the surest first."""
    surest_first = sorted(all_projects().values(), key=lambda project: -project.sureness)
    proposals = (project.propose(folder) for project in surest_first)
    return [proposal for proposal in proposals if proposal is not None]
