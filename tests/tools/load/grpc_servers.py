"""Servers of one method, `shop.Shop/Look`: an honest one by grpcio, and some that break gRPC, by h2."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import grpc
from h2.config import H2Configuration
from h2.connection import ConnectionState, H2Connection
from h2.events import StreamEnded, StreamReset

PROTO = """
syntax = "proto3";
package shop;
import "google/protobuf/duration.proto";
import "google/protobuf/field_mask.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/wrappers.proto";

service Shop {
  rpc Look(LookRequest) returns (Item);
  rpc Watch(LookRequest) returns (stream Item);
  rpc Count(stream LookRequest) returns (Item);
  rpc Echo(stream LookRequest) returns (stream Item);
}
message LookRequest { int32 id = 1; }
enum State { UNKNOWN = 0; SOLD = 1; }
message Size { sint32 width = 1; double weight = 2; }
message Item {
  int32 id = 1;
  string name = 2;
  repeated uint32 codes = 3;
  Size size = 4;
  map<string, int64> stock = 5;
  State state = 6;
  google.protobuf.Timestamp made = 7;
  bytes picture = 8;
  bool on = 9;
  int64 below = 10;
  google.protobuf.Duration taken = 11;
  google.protobuf.DoubleValue rate = 12;
  map<string, Size> sizes = 13;
  google.protobuf.FieldMask mask = 14;
  google.protobuf.Struct extra = 15;
  google.protobuf.ListValue list = 16;
}
"""
ITEM = bytes.fromhex(
    "0807"  # id 7
    "1206746561706f74"  # name "teapot"
    "1a03 01ac02"  # codes [1, 300]
    "220b 0805 11000000000000f83f"  # size: width -3, weight 1.5
    "2a050a01621002 2a050a01611005"  # stock: b 2, a 5
    "3001"  # state SOLD
    "3a04 08 80a305"  # made 1970-01-02
    "4202ff00"  # picture
    "4801"  # on
    "50ffffffffffffffffff01"  # below -1
    "5a02 0805"  # taken 5 s
    "6209 09000000000000f83f"  # rate 1.5
    "6a07 0a0161 12020805"  # sizes: a has width -3
    "7203 0a0161"  # mask "a"
    "7a09 0a070a0162 12022001"  # extra: b is true
    "820104 0a022001"  # list [true]
)


def numbered(id: int) -> bytes:
    """The item with this id, below 128, which comes last."""
    return ITEM + bytes([8, id])


def frame(message: bytes) -> bytes:
    return struct.pack(">BI", 0, len(message)) + message


@contextmanager
def shop() -> Iterator[str]:
    """An honest server's URL. Ids: 7 is the item, 8 answers late, and others are not found. `Watch` numbers five items
    by their id, and stalls before the fourth; of 9, it ends with an error there. `Count` numbers one by its messages.
    """

    def look(request: bytes, context: grpc.ServicerContext) -> bytes:
        if request == b"\x08\x08":
            time.sleep(0.3)
        elif request != b"\x08\x07":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such item: 100 %, ü")
        return ITEM

    def watch(request: bytes, context: grpc.ServicerContext) -> Iterator[bytes]:
        for place in range(5):
            if place == 3 and request == b"\x08\x09":
                context.abort(grpc.StatusCode.DATA_LOSS, "the shelf fell")
            if place == 3:
                time.sleep(0.2)
            yield numbered(place)

    with serving(
        Look=grpc.unary_unary_rpc_method_handler(look),
        Watch=grpc.unary_stream_rpc_method_handler(watch),
        Count=grpc.stream_unary_rpc_method_handler(lambda requests, _: numbered(len(list(requests)))),
        Echo=grpc.stream_stream_rpc_method_handler(lambda requests, _: (ITEM + each for each in requests)),
    ) as url:
        yield url


@contextmanager
def serving(**handlers: grpc.RpcMethodHandler) -> Iterator[str]:
    """The URL of a server with these methods of the shop."""
    server = grpc.server(ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("shop.Shop", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(0).wait()


Answer = Callable[[H2Connection, int], None]
"""Sends what it likes on a stream whose request is complete."""
GoesOn = Callable[[H2Connection, int, int], bytes]
"""Frames that follow on a stream that the client has reset with this code."""
HEAD = [(":status", "200"), ("content-type", "application/grpc")]
DONE = [("grpc-status", "0")]


def answer_with(head: Sequence[tuple[str, str]], body: bytes, trailer: Sequence[tuple[str, str]] | None) -> Answer:
    def answer(http2: H2Connection, stream: int) -> None:
        http2.send_headers(stream, head)
        http2.send_data(stream, body, end_stream=trailer is None)
        if trailer is not None:
            http2.send_headers(stream, trailer, end_stream=True)

    return answer


def only_head(head: Sequence[tuple[str, str]]) -> Answer:
    return lambda http2, stream: http2.send_headers(stream, head, end_stream=True)


@contextmanager
def peer(answer: Answer, goes_on: GoesOn | None = None) -> Iterator[str]:
    """The URL of a server that answers each call so."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        ends = threading.Event()
        threads = [threading.Thread(target=_accept, args=(listener, answer, goes_on, ends), daemon=True)]
        threads[0].start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        ends.set()
        listener.shutdown(socket.SHUT_RDWR)
        threads[0].join()


def _accept(listener: socket.socket, answer: Answer, goes_on: GoesOn | None, ends: threading.Event) -> None:
    while not ends.is_set():
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(connection, answer, goes_on), daemon=True).start()


def _serve(connection: socket.socket, answer: Answer, goes_on: GoesOn | None) -> None:
    config = H2Configuration(
        client_side=False, validate_outbound_headers=False, normalize_outbound_headers=False, header_encoding=None
    )
    with connection, suppress(OSError):
        http2 = H2Connection(config)
        http2.initiate_connection()
        connection.sendall(http2.data_to_send())
        while data := connection.recv(65536):
            for event in http2.receive_data(data):
                if isinstance(event, StreamEnded):
                    answer(http2, event.stream_id)
                elif isinstance(event, StreamReset) and goes_on is not None:
                    connection.sendall(goes_on(http2, event.stream_id, int(event.error_code)))
            connection.sendall(http2.data_to_send())
            if http2.state_machine.state is ConnectionState.CLOSED:
                return
