"""A certificate for one trial: of an authority that signs it alone, for a server that the lab starts with TLS.

What makes it, cryptography, is an optional part (`fairtrial[http3]`), imported when a stack speaks TLS.
"""

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path

from fairtrial.base.problem import Problem
from fairtrial.catalog.contract.over_http3 import INSTALL
from fairtrial.catalog.services.common.folder import run_folder
from fairtrial.catalog.stacks.shared_with_stacks import share_with_stacks

VALID = datetime.timedelta(days=30)
"""Longer than any run, and before as well as after now: clocks may be set during it."""


@dataclass(frozen=True)
class Certificate:
    """Files, all PEM."""

    authority: Path
    """who is to be trusted"""
    certificate: Path
    key: Path
    """PKCS #8, not encrypted"""

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables by which a stack is told."""
        return {"TLS_CERTIFICATE": str(self.certificate), "TLS_KEY": str(self.key)}


@contextmanager
def certificate_for(host: str) -> Iterator[Certificate]:
    """A new certificate for an IP address and `localhost`, by ECDSA on P-256. The key of its authority is not kept; the
    files are for the lab and the users of stacks alone, and are removed at the end.

    Raises:
        Problem: cryptography is not installed.
    """
    try:
        from cryptography import x509  # noqa: PLC0415 an optional part
        from cryptography.hazmat.primitives import hashes, serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ec  # noqa: PLC0415
        from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID  # noqa: PLC0415
    except ImportError as error:
        raise Problem("tls: certificates need cryptography, which is not installed", INSTALL) from error
    now = datetime.datetime.now(datetime.UTC)
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    names = [x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]) for name in ("Fairtrial", "localhost")]

    def signed(
        name: x509.Name, public: ec.EllipticCurvePublicKey, *extensions: tuple[x509.ExtensionType, bool]
    ) -> bytes:
        builder = x509.CertificateBuilder().subject_name(name).issuer_name(names[0]).public_key(public)
        builder = builder.serial_number(x509.random_serial_number())
        builder = builder.not_valid_before(now - VALID).not_valid_after(now + VALID)
        for extension, is_critical in extensions:
            builder = builder.add_extension(extension, critical=is_critical)
        return builder.sign(authority_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    is_ca = x509.BasicConstraints(ca=True, path_length=0)
    for_names = x509.SubjectAlternativeName([x509.IPAddress(ip_address(host)), x509.DNSName("localhost")])
    for_servers = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH])
    key_text = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    texts = {
        "authority.pem": signed(names[0], authority_key.public_key(), (is_ca, True)),
        "certificate.pem": signed(names[1], key.public_key(), (for_names, False), (for_servers, False)),
        "key.pem": key_text,
    }
    with run_folder("certificate") as folder:
        for file, text in texts.items():
            (folder / file).touch(0o600)
            (folder / file).write_bytes(text)
        share_with_stacks(folder)
        yield Certificate(*(folder / file for file in texts))
