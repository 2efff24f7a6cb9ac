"""The server: waitress on the loopback address, until Ctrl-C."""

from __future__ import annotations

import errno
import logging
import signal
import webbrowser
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..errors import IronlakeError, UsageError, without_extra
from .questions import AT_ONCE, Questions
from .requests import MOST_ADDRESS_BYTES, Gate
from .site import Site

# A stranger on this machine may open connections, and keep them so long.
_MOST_CONNECTIONS, _IDLE_S = 400, 30


class Server:
    """A lake that is served on 127.0.0.1; `port` 0 takes one that is free. Raises UsageError for a port that is in use."""

    def __init__(self, lake: Path, port: int, memory: str | None = None, seconds: float = 60.0):
        try:
            import waitress  # noqa: F401 - a module that is loaded already does not look for the package
            from waitress.server import create_server
        except ImportError:
            raise without_extra("ironlake serve", "waitress", "serve") from None
        self.questions = Questions(lake, memory, seconds)
        # Its warnings about odd requests of strangers help no one.
        logging.getLogger("waitress").setLevel(logging.ERROR)
        try:
            self._server: Any = create_server(
                self._answer,
                host="127.0.0.1",
                port=port,
                threads=AT_ONCE,
                connection_limit=_MOST_CONNECTIONS,
                channel_timeout=_IDLE_S,
                cleanup_interval=5,
                # So that it is seen when a reader goes away.
                channel_request_lookahead=1,
                max_request_header_size=MOST_ADDRESS_BYTES + 16_000,
                max_request_body_size=MOST_ADDRESS_BYTES,
                ident=None,
            )
        except OSError as error:
            self.questions.close()
            raise _not_listening(error, port) from None
        self.gate = Gate(self._server.effective_port)
        self._site = Site(self.questions, self.gate)

    def _answer(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        return self._site(environ, start)

    def run(self) -> None:
        """Answer until `stop`, or a KeyboardInterrupt."""
        self._server.run()

    def stop(self) -> None:
        self.questions.end()
        self._server.close()
        self._server.task_dispatcher.shutdown(timeout=2)
        self.questions.close()


def _not_listening(error: OSError, port: int) -> IronlakeError:
    if error.errno == errno.EADDRINUSE:
        return UsageError(f"port {port} is in use", "another --port", "--port 0 takes one that is free")
    if error.errno == errno.EACCES:
        return UsageError(f"port {port} is not for everybody", "a --port from 1024")
    return IronlakeError(f"cannot listen on port {port}: {error.strerror or error}")


def serve(lake: Path, port: int, opens: bool, memory: str | None, seconds: float) -> None:
    """Serve a lake until Ctrl-C."""
    server = Server(lake, port, memory, seconds)

    def interrupted(number: int, frame: object) -> None:
        # First, or what is under way would be waited for.
        server.questions.end()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(signal.SIGTERM, interrupted)
    print(f"{lake} in a browser: {server.gate.address}", flush=True)
    print("The address is yours alone: who has it sees the lake. Ctrl-C ends.", flush=True)
    if opens:
        webbrowser.open(server.gate.address)
    try:
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.stop()
