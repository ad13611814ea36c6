"""PATH, on which the lab and all that it starts look for programs."""

import os

OF_ADMINISTRATORS = ("/usr/local/sbin", "/usr/sbin", "/sbin")
"""Where Debian has nginx, HAProxy and others that any user may start, while root alone has these folders on PATH."""


def search_administrators_folders() -> None:
    """Let this process, and what it starts from here on, find programs in these folders: last, after all others."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    os.environ["PATH"] = os.pathsep.join(dict.fromkeys([*folders, *OF_ADMINISTRATORS]))
