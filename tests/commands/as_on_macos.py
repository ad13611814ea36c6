"""Runs the command line in a Python that lacks what it lacks on macOS: `python as_on_macos.py ARGUMENT…`.

What is taken away is Linux's alone in Python's own documentation. It is no macOS: what works here may still fail there.
"""

import ctypes
import fcntl
import os
import resource
import select
import signal
import socket
import sys
import sysconfig
import time
import types

OF_LINUX_ALONE = {
    os: (
        "sched_getaffinity sched_setaffinity sched_getscheduler sched_setscheduler pidfd_open memfd_create eventfd "
        "splice copy_file_range getxattr setxattr listxattr removexattr setns unshare posix_fadvise fdatasync pipe2 "
        "setresuid setresgid getresuid getresgid getrandom O_PATH O_TMPFILE O_DIRECT"
    ),
    signal: "pidfd_send_signal sigtimedwait sigwaitinfo SIGRTMIN SIGRTMAX",
    select: "epoll",
    resource: "prlimit",
    time: "CLOCK_BOOTTIME",
    socket: "AF_NETLINK AF_PACKET AF_VSOCK SO_BINDTODEVICE SOCK_CLOEXEC SOCK_NONBLOCK TCP_USER_TIMEOUT",
    fcntl: "F_ADD_SEALS F_SETPIPE_SZ F_OFD_SETLK F_OFD_GETLK",
}


class Lacking(ctypes.CDLL):
    """The C library without the functions of Linux."""

    def __getattr__(self, name: str) -> object:
        if name in ("prctl", "unshare", "setns", "epoll_create", "sched_setaffinity"):
            raise AttributeError(f"dlsym: symbol not found: {name}")
        return super().__getattr__(name)


def no_proc(event: str, arguments: tuple[object, ...]) -> None:
    """Raise what opening a file raises where there is no /proc and no /sys."""
    if event in ("open", "os.listdir", "os.scandir") and str(arguments[0]).startswith(("/proc/", "/sys/")):
        raise FileNotFoundError(2, "No such file or directory", arguments[0])


if __name__ == "__main__":
    sysconfig.get_config_vars()  # of this Python, while it can be found
    import psutil  # macOS has it, with other functions

    for name in ("cpu_affinity", "io_counters", "ionice", "rlimit", "memory_maps", "cpu_num"):
        delattr(psutil.Process, name)
    for module, names in OF_LINUX_ALONE.items():
        for name in names.split():
            if hasattr(module, name):
                delattr(module, name)
    sys.platform = "darwin"
    sys.modules["_scproxy"] = types.ModuleType("_scproxy")  # urllib's, of macOS alone
    for name in ("_get_proxies", "_get_proxy_settings"):
        setattr(sys.modules["_scproxy"], name, dict)
    ctypes.CDLL = Lacking  # type: ignore[misc]
    sys.addaudithook(no_proc)
    from fairtrial.__main__ import main

    main()
