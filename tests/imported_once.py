"""What the process imports, and sets, from which the tests' commands are forked: `tests.forked_command`."""

import os

# Threads do not outlive a fork, and numpy's library starts some as it is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import distributed.cli.dask_scheduler
import distributed.cli.dask_worker  # noqa: F401 both for tests.cluster.clusters

import fairtrial.catalog.services
import fairtrial.catalog.workloads
import fairtrial.catalog.workloads.openapi
import fairtrial.commands.carry_out
import fairtrial.experiment.ab_test
import fairtrial.judge.checks
import fairtrial.judge.judging
import fairtrial.lab.calibrate
import fairtrial.lab.conduct
import fairtrial.lab.profile.condition
import fairtrial.lab.progress
import fairtrial.plan.make
import fairtrial.report.files
import fairtrial.report.html
import fairtrial.report.terminal
import fairtrial.tools.check.contract
import fairtrial.tools.load.offer
import fairtrial.tools.load.report.terminal

fairtrial.catalog.services.services()
fairtrial.catalog.workloads.workloads()
fairtrial.catalog.workloads.openapi.document()
fairtrial.judge.checks.all_checks()
fairtrial.report.html.report_template()

# What a calibration finds is tested by itself; here it costs each of hundreds of runs a second of both processors.
fairtrial.lab.calibrate.WARM_UP_SECONDS = 0.05
fairtrial.lab.calibrate.LONGEST_WINDOW_SECONDS = fairtrial.lab.calibrate.SHORTEST_WINDOW_SECONDS = 0.1
fairtrial.lab.calibrate.BLOCK_WINDOW_SECONDS = 0.1

# As short as the trials of tests.
fairtrial.lab.profile.condition.PROFILED_SECONDS = (0.5, 0.5)
fairtrial.lab.profile.condition.SECOND_WARMUP_SECONDS = 0.1
