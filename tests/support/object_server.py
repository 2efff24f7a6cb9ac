"""An S3 server on this machine (moto), and one before it that answers as tests want: late, or that it is busy."""

from __future__ import annotations

import http.client
import logging
import os
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ironlake.pipeline.lake.ledger import Ledger
from ironlake.pipeline.storage.address import place_of

BUCKET = "print"
LOST = "lost"
Fault = Callable[[str, str], int | float | str | None]
_KEYS = {"AWS_ACCESS_KEY_ID": "ironlake-test", "AWS_SECRET_ACCESS_KEY": "not-a-secret", "AWS_REGION": "us-east-1"}
_OTHERS = ("AWS_PROFILE", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT", "AWS_SESSION_TOKEN")


class ObjectServer:
    """`requests` counts what came; `fault` is asked of each (method, path): a status to answer, seconds to wait (a float), LOST
    for a request that is done and whose answer does not arrive, or nothing."""

    def __init__(self, port: int):
        self._port = port
        self.requests: list[tuple[str, str]] = []
        self.fault: Fault = lambda method, path: None
        self._front = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._front.daemon_threads = True
        threading.Thread(target=self._front.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._front.server_address[1]}"

    @property
    def environment(self) -> dict[str, str]:
        """For a command that uses it."""
        return {**os.environ, **_KEYS, "AWS_ENDPOINT_URL": self.address}

    @property
    def behind(self) -> str:
        """The server itself, without faults."""
        return f"http://127.0.0.1:{self._port}"

    @contextmanager
    def faulty(self, fault: Fault) -> Iterator[None]:
        self.fault = fault
        try:
            yield
        finally:
            self.fault = lambda method, path: None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Else each answer of a head and a body waits 40 ms for the client to confirm the head.
            disable_nagle_algorithm = True

            def answer(self) -> None:
                content = self.rfile.read(int(self.headers.get("content-length") or 0))
                server.requests.append((self.command, self.path))
                wanted = server.fault(self.command, self.path)
                if isinstance(wanted, float):
                    time.sleep(wanted)
                if isinstance(wanted, int):
                    self._send(wanted, {}, b"")
                    return
                behind = http.client.HTTPConnection("127.0.0.1", server._port)
                behind.request(self.command, self.path, content, dict(self.headers))
                found = behind.getresponse()
                headers = {k: v for k, v in found.getheaders() if k.lower() not in ("connection", "transfer-encoding")}
                body = found.read()
                if wanted == LOST:
                    self._send(500, {}, b"")
                else:
                    self._send(found.status, headers, body)
                behind.close()

            def _send(self, status: int, headers: dict[str, str], content: bytes) -> None:
                self.send_response_only(status)
                for name, value in headers.items():
                    if name.lower() != "content-length" or self.command == "HEAD":
                        self.send_header(name, value)
                if self.command != "HEAD":
                    self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            do_GET = do_PUT = do_HEAD = do_POST = do_DELETE = answer

            def log_message(self, format: str, *args: object) -> None:
                pass

        return Handler


def one_write_at_a_time(application: Callable[..., Any]) -> Callable[..., Any]:
    """moto looks whether a name is free and then takes it, so that two writers at once may both get it; S3 does both in one step."""
    writing = threading.Lock()

    def answer(environment: dict[str, Any], start_response: Callable[..., Any]) -> Any:
        with nullcontext() if environment["REQUEST_METHOD"] in ("GET", "HEAD") else writing:
            return application(environment, start_response)

    return answer


@cache
def _started() -> ObjectServer:
    """One for all tests of a process; it ends with the process."""
    from moto.moto_server.werkzeug_app import create_backend_app
    from werkzeug.serving import WSGIRequestHandler, make_server

    class Handler(WSGIRequestHandler):
        disable_nagle_algorithm = True

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = one_write_at_a_time(create_backend_app("s3"))
    moto = make_server("127.0.0.1", 0, application, threaded=True, request_handler=Handler)
    threading.Thread(target=moto.serve_forever, daemon=True).start()
    bucket = f"http://127.0.0.1:{moto.server_port}/{BUCKET}"
    urllib.request.urlopen(urllib.request.Request(bucket, method="PUT")).close()
    return ObjectServer(moto.server_port)


@contextmanager
def object_server() -> Iterator[ObjectServer]:
    """A server with a bucket, named in the environment of this process."""
    with patch.dict(os.environ, _started().environment):
        for name in _OTHERS:
            os.environ.pop(name, None)
        yield _started()


def in_step(method: str, path: str, number: int) -> bool:
    return method == "PUT" and path.endswith(f"/_ledger/steps/{number:010d}.json")


def actions(lake: str | Path) -> list[tuple[int | None, str, str]]:
    return [(event.step, event.action, event.source_file) for event in Ledger(place_of(lake)).history()]
