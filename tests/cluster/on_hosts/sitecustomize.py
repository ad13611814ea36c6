"""What Python does first on hosts of the tests' clusters, whose `PYTHONPATH` has this folder: labs there are as hasty
as those that tests run here."""

import sys

if sys.orig_argv[-1] == "lab":
    import tests.hasty  # noqa: F401 sets what is too long for tests
