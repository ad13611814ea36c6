"""Obstacles to running containers, by the words in which the container program says it, with remedies.

The words are those of podman 4.3.1 with crun 1.8.1, slirp4netns 1.2 and CNI, seen on a machine without the rights.
"""

from fairtrial.base.problem import Problem
from fairtrial.catalog.stacks.container_program import OPTIONS

TROUBLES = (
    (
        ("RLIMIT_NOFILE", "RLIMIT_NPROC"),
        "podman may not raise limits without CAP_SYS_RESOURCE: "
        f"{OPTIONS}='--ulimit nofile=4096:4096 --ulimit nproc=4096:4096'; in a compose file, `ulimits` of each service",
    ),
    (
        ("cgroups in hybrid mode not supported",),
        "crun needs control groups of version 2 alone (start Linux with systemd.unified_cgroup_hierarchy=1); "
        "or start the lab, as root, where it sees these alone: unshare --mount sh -c 'mount -t cgroup2 none "
        "/sys/fs/cgroup && exec fairtrial run …'",
    ),
    (
        ("RLIMIT_MEMLOCK", "RLIM_MEMLOCK"),
        f"control groups need CAP_SYS_RESOURCE here: {OPTIONS}=--cgroups=disabled leaves them out",
    ),
    (
        ("/dev/net/tun", "slirp4netns", "pasta failed"),
        "a published port of a rootless container needs slirp4netns or pasta, and the right to open /dev/net/tun; "
        'or set `container_network = "host"` (in a compose file `network_mode: host`), which needs neither',
    ),
    (
        ("newuidmap", "/etc/subuid", "/etc/subgid"),
        "give your user ranges: sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 USER, and install "
        "newuidmap (package uidmap)",
    ),
    (
        ("iptables", "nftables", "netavark", "plugin type="),
        'publishing a port needs the firewall of Linux and the right to change it; `container_network = "host"` (in a '
        "compose file `network_mode: host`) needs neither",
    ),
)


def with_remedy(problem: Problem) -> Problem:
    """The problem with the remedy that its words ask for, or as it is."""
    for words, remedy in TROUBLES:
        if any(each in problem.reason for each in words):
            return type(problem)(problem.reason, f"{remedy}; {problem.remedy}")
    return problem
