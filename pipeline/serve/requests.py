"""Requests and answers of the server, and who may ask: only a browser that was given the printed address."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import parse_qs, parse_qsl, urlencode

from ..errors import UsageError

HTML = "text/html; charset=utf-8"
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_MOST_VALUES = 200
# What an address may have: a query of some pages.
MOST_ADDRESS_BYTES = 200_000


@dataclass(frozen=True)
class Request:
    """What is asked: the path below the server's own, and the values of the address. `is_gone`: whether nobody waits for the answer any more."""

    path: str
    values: dict[str, list[str]] = field(default_factory=dict)
    is_gone: Callable[[], bool] = lambda: False

    def all(self, name: str) -> list[str]:
        return self.values.get(name, [])

    def one(self, name: str, default: str = "") -> str:
        return self.all(name)[-1].strip() if self.all(name) else default

    def number(self, name: str, default: int, most: int = 10**9) -> int:
        """A whole number from 0. Raises UsageError for anything else."""
        text = self.one(name) or str(default)
        if not (text.isascii() and text.isdigit() and len(text) < 11 and int(text) <= most):
            raise UsageError(f"{name}={text[:40]} is not a number that fits", f"0 to {most:,}")
        return int(text)

    def link(self, **changed: Any) -> str:
        """The same question with some values changed; None or [] leaves one out."""
        values = {name: of for name, of in {**self.values, **changed}.items() if of not in (None, [], "")}
        return f"{self.path}?{urlencode(values, doseq=True)}"


@dataclass(frozen=True)
class Answer:
    """`body`: bytes, the path of a file, or an open file that is closed when it is sent."""

    body: bytes | Path | BinaryIO
    kind: str = HTML
    status: str = "200 OK"
    headers: tuple[tuple[str, str], ...] = ()
    policy: str = POLICY


class Refused(Exception):
    """A request that is not answered: why, in a sentence for whoever made it."""

    def __init__(self, status: str, why: str):
        super().__init__(why)
        self.status, self.why = status, why


class Gate:
    """Lets in who has the token, once, and then the cookie that the first visit gave.

    Cookies are the same for all ports of a machine: that of this server is for a folder of its own, whose name nobody else knows."""

    def __init__(self, port: int):
        self.token, self._folder, self._cookie = (secrets.token_urlsafe(24) for _ in range(3))
        self._hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self._hosts |= {"127.0.0.1", "localhost"}
        self.address = f"http://127.0.0.1:{port}/?token={self.token}"
        self._name = f"ironlake-{port}"

    def enter(self, environ: dict[str, Any]) -> Request | Answer:
        """The request, or for a first visit the answer that leads to the pages. Raises Refused."""
        method, host = environ["REQUEST_METHOD"], environ.get("HTTP_HOST", "")
        if host not in self._hosts:
            raise Refused("403 Forbidden", "This server answers to 127.0.0.1 and localhost, with its port, alone.")
        if method not in ("GET", "POST"):
            raise Refused("405 Method Not Allowed", "This server answers GET and POST alone.")
        if environ.get("HTTP_ORIGIN", "" if method == "GET" else "none") not in ("", f"http://{host}"):
            raise Refused("403 Forbidden", "The request comes from a page of another server.")
        try:
            path = environ["PATH_INFO"].encode("latin-1").decode()
            text = environ.get("QUERY_STRING", "")
            if len(text) > MOST_ADDRESS_BYTES:
                raise Refused("414 URI Too Long", f"An address has {MOST_ADDRESS_BYTES:,} bytes at most.")
            if method == "POST":
                text = "&".join(
                    filter(None, (text, environ["wsgi.input"].read(MOST_ADDRESS_BYTES + 1).decode("ascii")))
                )
            values = parse_qs(text, errors="strict", max_num_fields=_MOST_VALUES, keep_blank_values=True)
        except ValueError:
            raise Refused("400 Bad Request", "The address is not one of this server.") from None
        if path == "/" and _same(values.get("token", [""])[-1], self.token):
            cookie = f"{self._name}={self._cookie}; Path=/{self._folder}/; HttpOnly; SameSite=Strict"
            rest = urlencode([pair for pair in parse_qsl(text) if pair[0] != "token"])
            to = f"/{self._folder}/" + (f"?{rest}" if rest else "")
            return Answer(b"", status="303 See Other", headers=(("Location", to), ("Set-Cookie", cookie)))
        _, folder, *names = path.split("/")
        if not (_same(folder, self._folder) and _same(self._cookie_of(environ), self._cookie)):
            raise Refused(
                "403 Forbidden", "Open the address that ironlake serve printed when it began: it has the token."
            )
        return Request("/".join(names), values, environ.get("waitress.client_disconnected", lambda: False))

    def _cookie_of(self, environ: dict[str, Any]) -> str:
        try:
            found = SimpleCookie(environ.get("HTTP_COOKIE", "")).get(self._name)
        except CookieError:
            return ""
        return found.value if found else ""


def _same(given: str, wanted: str) -> bool:
    """Compared in a time that reveals nothing."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), wanted.encode())


def sent(answer: Answer, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Hand an answer to the server library."""
    headers = [
        ("Content-Type", answer.kind),
        ("Content-Security-Policy", answer.policy),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cache-Control", "no-store"),
        *answer.headers,
    ]
    if isinstance(answer.body, bytes):
        start(answer.status, [*headers, ("Content-Length", str(len(answer.body)))])
        return [answer.body]
    start(answer.status, headers)
    # Sent by the library's own loop: a slow reader keeps no thread.
    return environ["wsgi.file_wrapper"](answer.body)
