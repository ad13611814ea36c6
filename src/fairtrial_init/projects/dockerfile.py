"""A Dockerfile, where nothing else says how the service is started: its last ENTRYPOINT and CMD, and EXPOSE."""

import json
import re
import shlex

from fairtrial_init.project_folder import ProjectFolder
from fairtrial_init.projects.model import A_FILE, Project
from fairtrial_init.proposal import StartProposal, Words, port_in

INSTRUCTION = re.compile(r"^\s*(ENTRYPOINT|CMD)\s+(.+)$", re.MULTILINE | re.IGNORECASE)
EXPOSE = re.compile(r"^\s*EXPOSE\s+(\d{2,5})\b", re.MULTILINE | re.IGNORECASE)
REMARK = "The command is that of the Dockerfile, whose paths are those of its image: it runs here without the image."


def propose(folder: ProjectFolder) -> StartProposal | None:
    """The command of the image, to be run without it; None: it names no port, as the images of tools do."""
    text = folder.text("Dockerfile").replace("\\\n", " ")
    instructions = {name.upper(): _words(words) for name, words in INSTRUCTION.findall(text)}
    command = (*instructions.get("ENTRYPOINT", ()), *instructions.get("CMD", ()))
    exposed = EXPOSE.search(text)
    port = port_in([" ".join(command)]) or (exposed[1] if exposed else "")
    if not command or not port:
        return None
    return StartProposal(kind="Dockerfile", command=command, port=port, remarks=(REMARK,))


def _words(text: str) -> Words:
    """The words of an instruction, in the form of a list or in that of a shell."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list):
        return tuple(map(str, value))
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


PROJECT = Project("dockerfile", A_FILE, propose)
