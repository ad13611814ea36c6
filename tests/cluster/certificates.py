"""Certificates for clusters of tests."""

import subprocess
from pathlib import Path

from tests.machine.needs import skip_without


def one_for_all(folder: Path) -> dict[str, str]:
    """Dask's configuration, as environment, with one certificate for all, which is its own authority."""
    skip_without("openssl")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-keyout", str(key), "-out", str(certificate), "-days", "2", "-subj", "/CN=fairtrial-test"),
        ],
        check=True,
        capture_output=True,
    )
    tls = "DASK_DISTRIBUTED__COMM__TLS__"
    ends = ("SCHEDULER", "WORKER", "CLIENT")
    return {
        f"{tls}CA_FILE": str(certificate),
        **{f"{tls}{end}__CERT": str(certificate) for end in ends},
        **{f"{tls}{end}__KEY": str(key) for end in ends},
    }
