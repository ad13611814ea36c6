"""The meters of the machine and its network, on a machine made of files and on this one."""

import os
import subprocess
import time
from pathlib import Path

import pytest

from fairtrial.engine.container_tree import ContainerTree
from fairtrial.lab.meters.cgroup import Cgroup
from fairtrial.lab.meters.kernel_threads import KernelThreads
from fairtrial.lab.meters.machine import TICKS_PER_SECOND, MachineWatch, host_properties
from fairtrial.lab.meters.network import NetworkWatch
from fairtrial.record.machine import MachineMeter
from tests.lab.meters.machine import FakeMachine
from tests.machine.needs import needs


@pytest.fixture
def machine(tmp_path: Path) -> FakeMachine:
    return FakeMachine(tmp_path)


def test_processors_are_read_one_by_one(machine: FakeMachine) -> None:
    watch = MachineWatch([0], machine.root)
    watch.open()
    machine.processors(busy=150, softirq=9, steal=23)
    meter = watch.close()
    first, second = meter.processors
    assert (first.cpu, second.cpu) == (0, 1)
    assert first.busy_seconds == 50 / TICKS_PER_SECOND
    assert first.interrupt_seconds == 2 / TICKS_PER_SECOND
    assert first.steal_seconds == 20 / TICKS_PER_SECOND
    assert (second.busy_seconds, second.steal_seconds) == (0, 0)
    assert meter.steal_seconds([0, 1]) == 20 / TICKS_PER_SECOND
    assert meter.busy_seconds([1]) == 0


def test_swap_memory_heat_and_pressure(machine: FakeMachine) -> None:
    heat = "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count"
    machine.swap(10, 20)
    machine.write(heat, "4\n")
    machine.write("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=100\nfull avg10=0 total=1\n")
    watch = MachineWatch([0], machine.root)
    watch.open()
    machine.swap(13, 27)
    machine.write(heat, "6\n")
    machine.write("proc/pressure/memory", "some avg10=9.00 avg60=0.00 avg300=0.00 total=500100\nfull avg10=0 total=9\n")
    machine.write("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2100000\n")
    machine.memory(available=300)
    meter = watch.close()
    assert (meter.swapped_in_pages, meter.swapped_out_pages) == (3, 7)
    assert meter.thermal_throttles == 2
    assert meter.pressure_seconds == {"memory": pytest.approx(0.5)}
    assert meter.frequencies_hertz == {1: 2.1e9}
    assert (meter.memory_total_bytes, meter.memory_available_bytes) == (8_000_000 * 1024, 300 * 1024)


def test_the_clock_is_that_of_the_whole_window(machine: FakeMachine) -> None:
    """By the times at each frequency where the kernel keeps them, else by both ends of the window."""
    folder = "sys/devices/system/cpu/cpu{}/cpufreq/{}"
    machine.write(folder.format(0, "scaling_cur_freq"), "1000000\n")
    machine.write(folder.format(1, "scaling_cur_freq"), "3000000\n")
    machine.write(folder.format(1, "stats/time_in_state"), "1000000 500\n3000000 100\n")
    watch = MachineWatch([0], machine.root)
    watch.open()
    machine.write(folder.format(0, "scaling_cur_freq"), "2000000\n")
    machine.write(folder.format(1, "scaling_cur_freq"), "3000000\n")
    machine.write(folder.format(1, "stats/time_in_state"), "1000000 530\n3000000 110\n")
    assert watch.close().frequencies_hertz == {0: 1.5e9, 1: 1.5e9}


def test_what_the_kernel_does_not_report_is_none_and_not_zero(machine: FakeMachine) -> None:
    watch = MachineWatch([0], machine.root)
    watch.open()
    meter = watch.close()
    assert meter.swapped_in_pages is None and meter.swapped_out_pages is None
    assert meter.thermal_throttles is None and meter.quota_throttled_periods is None
    assert meter.memory_limit_bytes is None
    assert meter.pressure_seconds == {} and meter.frequencies_hertz == {}
    network = NetworkWatch(machine.root)
    network.open()
    assert set(network.close().model_dump().values()) == {None}


def test_a_quota_and_a_limit_of_version_2(machine: FakeMachine) -> None:
    group = "sys/fs/cgroup/machine/lab"
    machine.write("proc/self/cgroup", "0::/machine/lab\n")
    machine.write(f"{group}/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled 2\nthrottled_usec 30000\n")
    machine.write("sys/fs/cgroup/machine/memory.max", "1000000\n")
    machine.write("sys/fs/cgroup/machine/memory.current", "900000\n")
    machine.write("sys/fs/cgroup/machine/memory.stat", "anon 1\ninactive_file 150000\n")
    machine.write(f"{group}/memory.max", "max\n")
    machine.write(f"{group}/memory.current", "700000\n")
    watch = MachineWatch([0], machine.root)
    watch.open()
    machine.write(f"{group}/cpu.stat", "usage_usec 5\nnr_periods 19\nnr_throttled 5\nthrottled_usec 130000\n")
    meter = watch.close()
    assert meter.quota_throttled_periods == 3
    assert meter.quota_throttled_seconds == pytest.approx(0.1)
    assert (meter.memory_limit_bytes, meter.memory_charged_bytes) == (1_000_000, 750_000)


def test_a_quota_and_a_limit_of_version_1(machine: FakeMachine) -> None:
    machine.write("proc/self/cgroup", "4:memory:/a\n2:cpu,cpuacct:/a\n0::/\n")
    machine.write("sys/fs/cgroup/cpu/a/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_time 30000000\n")
    machine.write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1000000\n")
    machine.write("sys/fs/cgroup/memory/a/memory.usage_in_bytes", "500000\n")
    machine.write("sys/fs/cgroup/memory/a/memory.stat", "total_inactive_file 100000\n")
    machine.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
    machine.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "500000\n")
    group = Cgroup(machine.root)
    assert group.throttled() == (2, pytest.approx(0.03))
    assert group.memory() == (1_000_000, 400_000)


SOCKETS = """\
  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 61 1 0 100 0 0 10 0
   1: 0100007F:1F90 0100007F:8001 06 00000000:00000000 03:0000170C 00000000     0        0 0 3 0
   2: 0100007F:1F90 0100007F:8002 06 00000000:00000000 03:0000170C 00000000     0        0 0 3 0
   3: 0100007F:8003 0100007F:1F90 06 00000000:00000000 03:0000170C 00000000     0        0 0 3 0
   4: 0100007F:8004 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 62 1 0 20 4 1 10 -1
"""
"""A server that closed two connections first occupies its one port; a client that closed one first occupies its own."""


def test_tcp_counters_and_local_ports(machine: FakeMachine) -> None:
    machine.network(overflows=5, drops=6, timeouts=7, delayed=8, sent=100, again=9)
    machine.write("proc/net/tcp", SOCKETS)
    machine.write("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n")
    watch = NetworkWatch(machine.root)
    watch.open()
    machine.network(overflows=6, drops=8, timeouts=10, delayed=12, sent=1100, again=14)
    meter = watch.close()
    assert (meter.listen_overflows, meter.listen_drops, meter.timeouts, meter.delayed_acks) == (1, 2, 3, 4)
    assert (meter.sent_segments, meter.retransmitted_segments) == (1000, 5)
    assert (meter.time_wait_sockets, meter.local_ports) == (2, 28232)


def meter_of_work(seconds: float, server_cpus: set[int]) -> MachineMeter:
    """This process at work, metered by a lab whose server's side is bound to `server_cpus`."""
    watch = MachineWatch(server_cpus)
    watch.open()
    began = time.process_time()
    while time.process_time() - began < seconds:
        pass
    return watch.close()


@pytest.mark.measures
def test_the_lab_s_own_work_is_divided_by_processor() -> None:
    everywhere = os.sched_getaffinity(0)
    cpu = min(everywhere)
    try:
        os.sched_setaffinity(0, {cpu})
        on_the_server_s, elsewhere = meter_of_work(0.3, {cpu}), meter_of_work(0.3, {cpu + 1})
    finally:
        os.sched_setaffinity(0, everywhere)
    assert 0.2 < on_the_server_s.own_server_cpu_seconds < 0.6
    assert on_the_server_s.own_load_cpu_seconds < 0.1
    assert 0.2 < elsewhere.own_load_cpu_seconds < 0.6
    assert elsewhere.own_server_cpu_seconds < 0.1
    assert on_the_server_s.busy_seconds({cpu}) > 0.2


@pytest.mark.parametrize(("below_the_lab", "lab_seconds"), [(False, 2.0), (True, 0.0)])
def test_a_container_of_a_daemon_is_the_server_and_is_counted_once(
    tmp_path: Path, below_the_lab: bool, lab_seconds: float
) -> None:
    """Docker's daemon is not below the lab, podman is: there the container is among the lab's processes already."""
    used = {name: tmp_path / f"cpuacct.usage_{name}" for name in ("user", "sys")}
    for file in used.values():
        file.write_text("5000000000\n")
    with subprocess.Popen(["sleep", "60"]) as sleeper:
        container = ContainerTree(sleeper.pid if below_the_lab else os.getppid(), cpu_accounting=tmp_path)
        watch = MachineWatch([*os.sched_getaffinity(0)], beside=[os.getpid(), container])
        watch.open()
        for file in used.values():
            file.write_text("6000000000\n")
        meter = watch.close()
        sleeper.kill()
    # This process, bound to all processors, is on the server's side as well, for some milliseconds.
    assert lab_seconds <= meter.own_server_cpu_seconds < lab_seconds + 1


def test_this_host_is_described_without_names() -> None:
    host = host_properties()
    assert host.cpus == len(os.sched_getaffinity(0))
    assert host.memory_bytes > 64 << 20
    assert host.kernel and host.system and host.cpu_model
    assert host.python.startswith("3.")
    assert os.uname().nodename not in {str(value) for value in host.model_dump().values()}


def test_counters_of_ticks_that_step_back_are_no_negative_time(machine: FakeMachine) -> None:
    watch = MachineWatch([0], machine.root)
    watch.open()
    machine.processors(busy=99, softirq=6, steal=2)
    processor = watch.close().processors[0]
    assert (processor.busy_seconds, processor.interrupt_seconds, processor.steal_seconds) == (0, 0, 0)


def test_a_processor_that_comes_in_the_middle_is_left_out(machine: FakeMachine) -> None:
    watch = MachineWatch([0], machine.root)
    watch.open()
    stat = (machine.root / "proc/stat").read_text()
    machine.write("proc/stat", stat.replace("intr", "cpu2 9 0 9 9 0 0 0 0 0 0\nintr"))
    assert [processor.cpu for processor in watch.close().processors] == [0, 1]


def test_the_lowest_limit_of_all_groups_applies(machine: FakeMachine) -> None:
    machine.write("proc/self/cgroup", "0::/a/b\n")
    for folder, limit, use in (("a/b", 3_000, 10), ("a", 2_000, 1_500), ("", 9_000, 8_000)):
        machine.write(f"sys/fs/cgroup/{folder}/memory.max", f"{limit}\n")
        machine.write(f"sys/fs/cgroup/{folder}/memory.current", f"{use}\n")
    assert Cgroup(machine.root).memory() == (2_000, 1_500)


def test_a_process_outside_of_all_groups_has_no_limit(machine: FakeMachine) -> None:
    assert Cgroup(machine.root).memory() == (None, None)
    assert Cgroup(machine.root).throttled() == (None, None)
    assert Cgroup(machine.root).processors() is None


def test_the_lowest_quota_of_all_groups_applies(machine: FakeMachine) -> None:
    machine.write("proc/self/cgroup", "0::/a/b\n")
    for folder, told in (("a/b", "max 100000"), ("a", "150000 100000"), ("", "300000 100000")):
        machine.write(f"sys/fs/cgroup/{folder}/cpu.max", f"{told}\n")
    assert Cgroup(machine.root).processors() == 1.5


def test_a_quota_of_version_1_may_be_none(machine: FakeMachine) -> None:
    machine.write("proc/self/cgroup", "2:cpu,cpuacct:/a\n")
    machine.write("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n")
    for told, processors in (("-1", None), ("50000", 0.5)):
        machine.write("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", f"{told}\n")
        assert Cgroup(machine.root).processors() == processors


def test_threads_of_the_kernel_are_told_apart(machine: FakeMachine) -> None:
    """By their flags, not by their names; by the processor and by what they did."""
    before = {40: "kworker/u8:2-flush-254:0", 41: "kcryptd/253:0", 42: "kswapd0", 43: "vhost-1234"}
    for pid, name in before.items():
        machine.process(pid, name, ticks=100, cpu=0)
    machine.process(44, "(sd-pam) kworker/0:1", ticks=100, flags=0x00400140)
    machine.process(45, "kworker/0:1", ticks=100, cpu=1)
    watch = MachineWatch([0], machine.root)
    watch.open()
    machine.process(40, "kworker/u8:2+flush-254:0", ticks=130, cpu=0)
    machine.process(41, "kcryptd/253:0", ticks=120, cpu=0)
    machine.process(43, "vhost-1234", ticks=170, cpu=0)
    machine.process(44, "(sd-pam) kworker/0:1", ticks=190, flags=0x00400140)
    machine.process(45, "kworker/0:1", ticks=105, cpu=1)
    machine.process(46, "kworker/1:7-events", ticks=3, cpu=1)
    meter = watch.close()
    assert [each.kernel_thread_seconds for each in meter.processors] == [0.5, 0.08]
    assert meter.kernel_threads == {"flush-254:0": 0.3, "kcryptd/253:0": 0.2, "kworker": 0.05, "events": 0.03}
    assert meter.kernel_thread_seconds([0]) == 0.5


def test_where_no_thread_of_the_kernel_is_visible_nothing_is_known_of_them(machine: FakeMachine) -> None:
    machine.process(44, "python3", ticks=100, flags=0x00400100)
    watch = MachineWatch([0], machine.root)
    watch.open()
    meter = watch.close()
    assert [each.kernel_thread_seconds for each in meter.processors] == [None, None]
    assert meter.kernel_thread_seconds([0, 1]) == 0.0


@needs("all-processes")
def test_on_this_machine_they_are_those_below_kthreadd() -> None:
    known = {int(path.name) for path in Path("/proc").glob("[0-9]*") if is_of_kernel(path)}
    threads = set(KernelThreads(Path("/"))._threads)
    again = {int(path.name) for path in Path("/proc").glob("[0-9]*") if is_of_kernel(path)}
    assert 2 in threads and known & again <= threads <= known | again


def is_of_kernel(process: Path) -> bool:
    """By its parent, kthreadd, which is process 2."""
    try:
        return "2" in (process.name, (process / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return False
