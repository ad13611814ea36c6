"""Puts programs that are built already into a wheel for one platform: the engine, the guard, and what is inside them.

Without the two variables a wheel is for every platform, and builds its programs on first use.
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PROGRAMS = "FAIRTRIAL_PROGRAMS"
"""The folder of the programs, of their licences and of their bill of materials: `scripts/wheels` fills it."""
PLATFORM = "FAIRTRIAL_PLATFORM"
"""The platform on which they run, as wheels have it in their name."""
BILL_OF_MATERIALS = "engine.cdx.json"


class ProgramsHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling for each wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Name the platform, and the files to take along."""
        folder = os.environ.get(PROGRAMS)
        if not folder or version == "editable":
            return
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{os.environ[PLATFORM]}"
        for path in sorted(Path(folder).iterdir()):
            if path.name == BILL_OF_MATERIALS:
                build_data["sbom_files"].append(str(path))
            else:
                build_data["force_include"][str(path)] = f"fairtrial/bundled/programs/{path.name}"
