"""Descriptors of services: of a `.proto` file, or of a FileDescriptorSet, as protoc and reflection make it.

What reads `.proto` files, grpcio-tools, is an optional part (`fairtrial[grpc]`), imported when a file names one.
"""

import importlib
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from fairtrial.base.printable import printable
from fairtrial.base.problem import Problem
from fairtrial.experiment.workload_file.grpc_call import PROTO_SUFFIX, proto_files, proto_roots

INSTALL = "pip install 'fairtrial[grpc]'; in a checkout: make set-up"
LARGEST_SET_BYTES = 16 << 20
"""Of a FileDescriptorSet. Those of Google's public interfaces, all together, have half of it."""


def descriptors_of(file: Path, where: str) -> Any:
    """The pool of descriptors that a file describes, with what it imports.

    Args:
        where: the key and the file, which messages name.

    Raises:
        Problem: the optional part is not installed, or the file cannot be read.
    """
    return _pool_of(file, tuple(each.stat().st_mtime_ns for each in proto_files(file)), where)


@cache
def _pool_of(file: Path, _modified_ns: tuple[int, ...], where: str) -> Any:
    try:
        descriptor_pb2 = importlib.import_module("google.protobuf.descriptor_pb2")
    except ImportError as error:
        raise Problem(f"{where}: calls by gRPC need protobuf, which is not installed", INSTALL) from error
    content = _compiled(file, where) if file.suffix == PROTO_SUFFIX else _read(file, where)
    pool = importlib.import_module("google.protobuf.descriptor_pool").DescriptorPool()
    try:
        for each in descriptor_pb2.FileDescriptorSet.FromString(content).file:
            pool.Add(each)
    except Exception as error:  # google.protobuf's DecodeError, and TypeError of a file that lacks what it imports
        remedy = "name a .proto file, or what protoc writes with --include_imports and --descriptor_set_out"
        raise Problem(f"{where}: no descriptors: {printable(str(error), 200)}", remedy) from error
    return pool


def _read(file: Path, where: str) -> bytes:
    with file.open("rb") as opened:
        content = opened.read(LARGEST_SET_BYTES + 1)
    if len(content) > LARGEST_SET_BYTES:
        raise Problem(f"{where}: larger than {LARGEST_SET_BYTES:,} bytes", "name a file of this service alone")
    return content


def _compiled(proto: Path, where: str) -> bytes:
    """The FileDescriptorSet of a `.proto` file, and of what it imports: from beside it, or from three folders above."""
    try:
        protoc = importlib.import_module("grpc_tools.protoc")
    except ImportError as error:
        raise Problem(f"{where}: calls by gRPC need grpcio-tools, which is not installed", INSTALL) from error
    well_known = Path(str(protoc.__file__)).parent / "_proto"
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        roots = [f"-I{root}" for root in (*proto_roots(proto), well_known)]
        status, output = _run_protoc([*roots, "--include_imports", f"--descriptor_set_out={out}", str(proto)])
        if status:
            raise Problem(f"{where}: {printable(output, 400)}", "mend it: protoc reads no such file")
        return out.read_bytes()


def _run_protoc(arguments: list[str]) -> tuple[int, str]:
    """protoc's exit status, and its output. It runs in a process of its own, as it writes to the standard streams."""
    command = [sys.executable, "-m", "grpc_tools.protoc", *arguments]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    return process.returncode, (process.stderr.strip() or process.stdout.strip())
