"""Idle processors that stay awake while trials run.

Between two requests a processor idles, and the system puts it to sleep. Waking it takes time, which then is a part of
every figure: some hundred microseconds from deep states of hardware, and far more in a virtual machine, where each halt
hands the processor to the hypervisor and each wake-up waits until it comes back, as stolen time.

The kernel takes requests for a bound on that time (PM QoS: Documentation/power/pm_qos_interface.rst). It forgets a
request when its file is closed, however the process that made it ends.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fairtrial.record.placement import IdleLimit

REQUESTS = Path("/dev/cpu_dma_latency")
IDLE_DRIVER = Path("/sys/devices/system/cpu/cpuidle/current_driver")
GUEST_DRIVER = "haltpoll"
"""The kernel's driver for idle processors of a virtual machine: it polls or it halts."""

GUEST_MICROSECONDS = 0
"""Poll: a halt of any kind leaves the virtual machine."""

HARDWARE_MICROSECONDS = 2
"""State C1 and nothing deeper: it wakes within 2 µs (drivers/idle/intel_idle.c), and leaves the other thread of its
core and their power budget alone, which polling does not."""


@contextmanager
def processors_awake() -> Iterator[IdleLimit]:
    """Ask the kernel to keep idle processors awake until the end of the context; tell what it will do.

    Where the kernel has no such means, or the user may not use them, nothing is changed.
    """
    limit = idle_limit()
    if limit.wakes_within_microseconds is None:
        yield limit
        return
    request = os.open(REQUESTS, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(request, limit.wakes_within_microseconds.to_bytes(4, "little"))
        yield limit
    finally:
        os.close(request)


def idle_limit() -> IdleLimit:
    """The limit of processors' idle states that the lab can set here."""
    driver = IDLE_DRIVER.read_text(encoding="utf-8").strip() if IDLE_DRIVER.exists() else "none"
    if driver == "none":
        return IdleLimit(driver=driver, reason="this kernel has no driver for idle processors to ask")
    if not os.access(REQUESTS, os.W_OK):
        return IdleLimit(driver=driver, reason=f"{REQUESTS} is not there, or this user may not write it")
    return IdleLimit(
        driver=driver,
        wakes_within_microseconds=GUEST_MICROSECONDS if driver == GUEST_DRIVER else HARDWARE_MICROSECONDS,
    )
