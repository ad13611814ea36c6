"""A mount namespace (mount_namespaces(7)): what is mounted within ends with the last process in it."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from fairtrial.base.namespaces import enter, leave_for_new

CLONE_NEWNS, CLONE_FS = 0x00020000, 0x00000200
"""include/uapi/linux/sched.h"""
MOUNTS_OF_THREAD = "/proc/thread-self/ns/mnt"


@contextmanager
def mount_namespace() -> Iterator[None]:
    """Within, only the calling thread and what it starts find what they mount. What the machine mounts meanwhile they
    find as well. Even if this process is killed, nothing stays mounted.

    Raises:
        OSError: the rights for it are missing.
    """
    machines = os.open(MOUNTS_OF_THREAD, os.O_RDONLY | os.O_CLOEXEC)
    folder = os.open(".", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        leave_for_new(CLONE_NEWNS)
        try:
            process = subprocess.run(["mount", "--make-rslave", "/"], capture_output=True, text=True, check=False)
            if process.returncode != 0:
                raise OSError(f"mount --make-rslave /: {process.stderr.strip()}")
            yield
        finally:
            # Threads that were started within share root and current folder; whoever does may not go elsewhere.
            leave_for_new(CLONE_FS)
            enter(machines, CLONE_NEWNS)
            os.fchdir(folder)  # which the kernel has set to the root
    finally:
        os.close(folder)
        os.close(machines)
