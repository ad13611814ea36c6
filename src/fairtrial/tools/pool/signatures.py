"""Signatures of records, as ssh-keygen makes them: `ssh-keygen -Y sign -n fairtrial -f KEY record.jsonl`.

The reader names those whom they trust in a file of allowed signers (ssh-keygen(1), ALLOWED SIGNERS). A signature says
who stands by a record; not that its figures were measured.
"""

import subprocess
from pathlib import Path

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.record.read import record_file

NAMESPACE = "fairtrial"
"""So that a signature of something else is none of a record."""
WITHIN_SECONDS = 30


def signer_of(place: Path, allowed_signers: Path) -> str:
    """Who of the allowed signers signed the record.

    Raises:
        Problem: there is no signature, or it is not that of an allowed signer on this record, or ssh-keygen is missing.
    """
    record = record_file(place)
    signature = record.with_name(f"{record.name}.sig")
    if not signature.exists():
        raise Problem(
            f"{record}: is not signed", f"ssh-keygen -Y sign -n {NAMESPACE} -f KEY {record}, or leave --signers out"
        )
    common = ("-f", str(allowed_signers), "-s", str(signature))
    last = _ssh_keygen(record, "-Y", "find-principals", *common)
    for name in last.stdout.decode(errors="replace").splitlines():
        last = _ssh_keygen(record, "-Y", "verify", *common, "-I", name, "-n", NAMESPACE)
        if last.returncode == 0:
            return name
    words = printable(last.stderr.decode(errors="replace"), 200)
    raise Problem(
        f"{signature}: is no signature of {record.name} by anybody whom {allowed_signers} allows"
        + (f" ({words})" if words else ""),
        "leave the record out, or ask its owner to sign it as it is",
    )


def _ssh_keygen(record: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        with record.open("rb") as content:
            return subprocess.run(
                ["ssh-keygen", *arguments], stdin=content, capture_output=True, check=False, timeout=WITHIN_SECONDS
            )
    except FileNotFoundError as error:
        missing = error.filename == "ssh-keygen"
        remedy = "install OpenSSH's client, or leave --signers out" if missing else "name a folder that has a record"
        raise Problem(f"{error.filename}: is not there", remedy) from error
