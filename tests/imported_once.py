"""What the process imports, and sets, from which the tests' commands are forked: `tests.forked_command`."""

import os

# Threads do not outlive a fork, and numpy's library starts some as it is imported.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import distributed.cli.dask_scheduler
import distributed.cli.dask_worker  # noqa: F401 both for tests.cluster.clusters

import fairtrial.catalog.services
import fairtrial.catalog.services.mariadb.server
import fairtrial.catalog.services.memcached.server
import fairtrial.catalog.services.mongodb.server
import fairtrial.catalog.services.postgresql.server
import fairtrial.catalog.services.redis.server
import fairtrial.catalog.workloads
import fairtrial.catalog.workloads.openapi
import fairtrial.commands.carry_out
import fairtrial.experiment.ab_test
import fairtrial.judge.checks
import fairtrial.judge.judging
import fairtrial.lab.conduct
import fairtrial.lab.progress
import fairtrial.plan.make
import fairtrial.report.files
import fairtrial.report.html
import fairtrial.report.terminal
import fairtrial.tools.check.contract
import fairtrial.tools.load.offer
import fairtrial.tools.load.report.terminal
import tests.hasty  # noqa: F401 before any of them is forked

fairtrial.catalog.services.services()
fairtrial.catalog.workloads.workloads()
fairtrial.catalog.workloads.openapi.document()
fairtrial.judge.checks.all_checks()
fairtrial.report.html.report_template()
