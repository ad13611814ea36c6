"""The Python environment of a checkout."""

import os
import subprocess
import tempfile
from pathlib import Path

from tests.machine.lack import ROOT
from tests.machine.needs import needs


@needs("setpriv")
def test_a_checkout_of_somebody_elses_is_told_with_a_way_out(snapshot: object) -> None:
    """Before anything is written, or waited for."""
    with tempfile.TemporaryDirectory() as name:
        theirs = Path(name).resolve()
        theirs.chmod(0o555)
        as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.geteuid() == 0 else []
        with (ROOT / "scripts" / "set-up").open() as script:
            done = subprocess.run(
                [*as_nobody, "sh", "-s", str(theirs), "lock", "stamp"],
                stdin=script,
                env={"PATH": "/usr/bin:/bin", "FAIRTRIAL_PYTHON": "true"},
                capture_output=True,
                text=True,
                check=False,
            )
    assert done.returncode == 4
    assert done.stderr.replace(str(theirs), "FOLDER") == snapshot
