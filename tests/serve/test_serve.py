"""The server over a real socket: what its pages answer, to whom, and what it refuses."""

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

import pyarrow.parquet as pq
import pytest
from command_line import PATIENCE_S, Command
from ironlake.pipeline.declaration.reading_options import Options
from ironlake.pipeline.errors import UsageError
from ironlake.pipeline.ingest.ingest import ingest
from sample_pages import SAMPLES, sample

pytest.importorskip("waitress")
from ironlake.pipeline.serve.server import Server

DEMO = SAMPLES / "demo"
ENDLESS = "SELECT count(*) FROM range(10000000000) AS a, range(1000) AS b WHERE a.range % 7 = b.range"


class Client:
    """A browser that came by the printed address."""

    def __init__(self, address: str):
        self.host = urlsplit(address).netloc
        status, headers, _ = self.raw(address.partition(self.host)[2])
        assert status == 303
        self.base, self.cookie = headers["Location"], headers["Set-Cookie"].partition(";")[0]
        self.attributes = headers["Set-Cookie"]

    def raw(
        self, path: str, method: str = "GET", body: str = "", **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection(self.host, timeout=60)
        connection.request(method, path, body or None, {k.replace("_", "-"): v for k, v in headers.items()})
        answer = connection.getresponse()
        found = answer.status, answer.headers, answer.read()
        connection.close()
        return found

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        status, _, body = self.raw(self.base + path, method, **{"Cookie": self.cookie} | headers)
        return status, unescape(body.decode("utf-8", "replace"))

    def sql(self, query: str) -> str:
        status, page = self.get(f"sql?q={quote(query)}")
        assert status == 200
        return page

    def file(self, query: str, name: str) -> bytes:
        return self.raw(f"{self.base}file?{urlencode({'q': query, 'format': name})}", Cookie=self.cookie)[2]


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(DEMO, tmp_path_factory.mktemp("served") / "reports"))


@contextmanager
def running(lake: Path, seconds: float) -> Iterator[Server]:
    server = Server(lake, 0, memory="400MB", seconds=seconds)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    yield server
    server.stop()
    thread.join(10)
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def served(reports: Path) -> Iterator[Server]:
    lake = reports.parent / "lake"
    assert ingest([str(reports)], lake, Options(), jobs=1).exit_code(strict=True) == 0
    with running(lake, 60) as server:
        yield server


@pytest.fixture(scope="module")
def client(served: Server) -> Client:
    return Client(served.gate.address)


def test_tables_are_found_by_topic_and_word(client: Client):
    _, page = client.get("")
    assert '<a href="rows?of=rmf_workload_activity">' in page
    assert '<a href="rows?of=cpu_by_class">' in page
    _, found = client.get("?search=response+bucket")
    assert "rmf_response_time_distribution" in found
    assert "rmf_workload_activity" not in found


def test_rows_are_filtered_sorted_counted_and_paged(client: Client):
    """DDFWL has 30 of the 118 rows (facet of the workload); no row is shown twice over the pages."""
    _, first = client.get("rows?of=rmf_workload_activity&facet=workload")
    assert "Rows 1 to 50 of 118" in first
    assert ">DDFWL</a> 30<" in first
    _, filtered = client.get(
        "rows?of=rmf_workload_activity&column=workload&is=%3D&value=DDFWL&sort=interval_start+down"
    )
    assert "Rows 1 to 30 of 30" in filtered
    assert filtered.index("2021-04-14T") < filtered.index("2021-04-13T")
    assert "No row here" in client.get("rows?of=rmf_workload_activity&page=9")[1]
    for wrong, said in (
        ("of=nothing", "no table or view is called nothing"),
        ("of=cpu_by_class&sort=nothing", "has no column nothing"),
        ("of=cpu_by_class&page=-1", "is not a number"),
        ("of=rmf_workload_activity&column=page&is=%3D&value=x", "Could not convert string 'x'"),
        ("of=rmf_workload_activity&column=page&is=;&value=1", "is not a filter"),
    ):
        status, page = client.get(f"rows?{wrong}")
        assert (status, said in page) == (400, True), page


def test_a_query_is_answered_drawn_and_refused_as_by_sql(client: Client):
    page = client.sql("SELECT interval_start, sum(appl_cp_pct) AS cp_pct FROM rmf_workload_activity GROUP BY ALL")
    assert "cp_pct over interval_start" in page
    assert page.count("<svg") == 2
    assert "LINE 2: FROM rmf_workload_activty\n             ^" in client.sql("SELECT *\nFROM rmf_workload_activty")
    assert "near names: rmf_workload_activity" in client.sql("FROM rmf_workload_activty")
    for query in (
        "COPY (SELECT 1) TO 'other'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "FROM '/etc/passwd'",
        "INSTALL httpfs",
        "SET memory_limit = '1TB'",
        "SELECT 1; SELECT 2",
        "ATTACH 'other.db'",
        "SELECT repeat('x', 2000000000)",
    ):
        assert "Not answered" in client.sql(query), query
    raw = client.raw(f"{client.base}sql?q={quote('SELECT $$<script>alert(1)</script>$$')}", Cookie=client.cookie)[2]
    assert b"<script>alert" not in raw


def test_files_are_those_of_sql(client: Client, served: Server, run: Command, reports: Path):
    query = "SELECT service_class, count(*) AS n FROM rmf_workload_activity GROUP BY ALL ORDER BY ALL"
    for name in ("table", "json", "csv", "markdown"):
        _, out, _ = run("sql", query, "--lake", str(reports.parent / "lake"), "--format", name)
        assert client.file(query, name).decode() == out
    assert pq.read_table(BytesIO(client.file(query, "parquet"))).num_rows == len(json.loads(client.file(query, "json")))
    assert client.file(query, "xlsx").startswith(b"PK")
    assert client.get(f"file?q={quote('SELECT error($$no$$)')}&format=csv")[0] == 400


def test_a_number_leads_to_its_printed_line(client: Client, reports: Path):
    """The first row is of line 14 of page 1; its END/S, 39.95, is printed on line 18."""
    query = "SELECT source_id FROM rmf_workload_activity WHERE source_file LIKE '%v2r2%'"
    source = json.loads(client.file(query, "json"))[0]["source_id"]
    _, rows = client.get("rows?of=rmf_workload_activity")
    link = f"printed?source={source}&page=1&line=14&of=rmf_workload_activity&column=transactions_per_s"
    assert f'href="{link}#marked">39.95</a>' in rows
    status, page = client.get(link)
    assert (status, page.count("<mark")) == (200, 1)
    assert "  39.95  </mark>" in page
    assert "line 18, columns 6-16" in page
    # A value that the view computes has its meaning, and the row is marked.
    assert "No cell of the line is that value alone" in client.get(link.replace("of=rmf_workload_activity", "of=cpu_by_class").replace("transactions_per_s", "cpu_pct"))[1]  # fmt: skip
    file = reports / "test_sysplex_v2r2.txt"
    text = file.read_bytes()
    file.write_bytes(text.replace(b"39.95", b"39.96"))
    try:
        assert "is not as it was read: its digest differs" in client.get(link)[1]
        file.unlink()
        assert "is not there any more" in client.get(link)[1]
    finally:
        file.write_bytes(text)
    for odd in ("source=../../etc/passwd&page=1&line=1", f"source={source}&page=x&line=1", "source=&page=1&line=1"):
        assert client.get(f"printed?{odd}")[0] == 400
    assert "has no page 999" in client.get(f"printed?source={source}&page=999&line=1")[1]


@pytest.mark.slow
def test_pages_are_made_from_forms(client: Client):
    status, headers, page = client.raw(f"{client.base}page?days=2", Cookie=client.cookie)
    assert (status, b'<meta name="generator" content="Ironlake">' in page) == (200, True)
    assert "'sha256-" in headers["Content-Security-Policy"]
    windows = urlencode({"before": "2021-04-13T10:00/11:00", "after": "2021-04-14T10:00/11:00"})
    assert "2021-04-14T10:00/11:00 against 2021-04-13T10:00/11:00" in client.get(f"compare?{windows}")[1]
    assert client.get("compare?after=whenever")[0] == 400


def test_nobody_else_is_let_in(client: Client, served: Server):
    mine = client.base
    assert all(word in client.attributes for word in ("HttpOnly", "SameSite=Strict", f"Path={mine}"))
    for path, headers in (
        ("/", {}),
        ("/?token=wrong", {}),
        (mine, {}),
        (mine, {"Cookie": client.cookie + "x"}),
        (mine, {"Cookie": client.cookie.partition("=")[0]}),
        ("/rows?of=cpu_by_class", {"Cookie": client.cookie}),
        (mine, {"Cookie": client.cookie, "Host": "evil.example"}),
        (mine, {"Cookie": client.cookie, "Host": f"evil.example:{client.host.partition(':')[2]}"}),
        (f"/?token={served.gate.token}", {"Host": "evil.example"}),
        (mine, {"Cookie": client.cookie, "Origin": "http://evil.example"}),
    ):
        assert client.raw(path, **headers)[0] == 403, (path, headers)
    own = {"Cookie": client.cookie}
    assert client.raw(f"{mine}sql", "POST", "q=SELECT+41%2B1+AS+a", **own)[0] == 403
    assert client.raw(f"{mine}sql", "POST", "q=SELECT+1", **own, Origin="null")[0] == 403
    assert b">42<" in client.raw(f"{mine}sql", "POST", "q=SELECT+41%2B1+AS+a", **own, Origin=f"http://{client.host}")[2]
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"):
        assert client.raw(mine, method, **own)[0] == 405
    for path in ("../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "page.css/../x", "%00", "%ff", "a" * 5000):
        assert client.raw(mine + path, **own)[0] in (400, 404), path
    assert client.raw(f"{mine}?search={'a' * 300_000}", **own)[0] in (400, 414, 431)
    _, headers, page = client.raw(mine, **own)
    assert headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'; script-src 'self';")
    assert not {b"http://", b"https://"} & {page[at : at + 8].rstrip(b"w") for at in range(len(page))}


def test_a_request_within_another_gets_no_page(client: Client):
    """Bodies that two readers of HTTP might cut at different places, and broken heads: without the cookie nothing is answered but a refusal."""
    inner = f"GET {client.base} HTTP/1.1\r\nHost: {client.host}\r\n\r\n"
    for odd in (
        f"Content-Length: {len(inner) + 5}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}",
        f"Content-Length: 0\r\nContent-Length: {len(inner)}\r\n\r\n{inner}",
        f"Transfer-Encoding: xchunked\r\nContent-Length: 3\r\n\r\nabc{inner}",
        f"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{inner}",
        f"Content-Length: -1\r\n\r\n{inner}",
        "Content-Length: 99999999999999999999\r\n\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        f"X: y\n\n{inner}",
        f"X: a\r\n Host: evil.example\r\n{client.cookie}\r\n\r\n",
        f"Host: evil.example\r\nCookie: {client.cookie}\r\n\r\n",
        "".join(f"X-{n}: y\r\n" for n in range(5000)) + "\r\n",
    ):
        with socket.create_connection(client.host.split(":")) as connection:  # type: ignore[arg-type]
            connection.sendall(
                f"POST {client.base} HTTP/1.1\r\nHost: {client.host}\r\nConnection: close\r\n{odd}".encode()
            )
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(65_536), b""))
        assert {*re.findall(rb"HTTP/1.1 (\d\d\d)", answer)} <= {b"400", b"403", b"413", b"501"}, odd
        assert b"Tables and views" not in answer


@pytest.mark.slow
def test_many_at_once_and_too_long(served: Server, reports: Path):
    """A question that takes too long ends after 5 s and says so; 40 others beside it are all answered rightly."""
    with running(reports.parent / "lake", 5) as bounded:
        _ask_many(Client(bounded.gate.address))


def _ask_many(client: Client):
    with ThreadPoolExecutor(44) as pool:
        slow = [pool.submit(client.get, f"file?q={quote(ENDLESS)}&format=csv") for _ in range(4)]
        quick = [
            pool.submit(client.file, f"SELECT {n} AS n, count(*) AS c FROM cpu_by_class", "json") for n in range(40)
        ]
        counts = {tuple(json.loads(each.result())[0].values()) for each in quick}
        assert len({c for _, c in counts}) == 1
        assert {n for n, _ in counts} == {*range(40)}
        for each in slow:
            status, page = each.result()
            assert (status, "no complete answer within 5 s" in page) == (503, True)
    large = "SELECT list(range) AS l FROM range(30000000)"
    assert "Not answered" in client.sql(large)
    assert client.file("SELECT 1 AS a", "csv") == b"a\n1\n"


@pytest.mark.parametrize("value", ["len(range(400000000))", "repeat('x', 2000000000)", "format('{:>2000000000}', 1)"])
def test_a_value_of_gigabytes_takes_its_own_question_alone(client: Client, served: Server, value: str):
    """2 to 3 GB, where one question may take 96 MB and 0.5 GB beside: it gets a sentence, and others asked meanwhile their answer."""
    with ThreadPoolExecutor(2) as pool:
        large = [pool.submit(client.sql, f"SELECT {value} AS n, {k} AS k") for k in range(2)]
        while not all(each.done() for each in large):
            assert client.file("SELECT 1 AS a", "csv") == b"a\n1\n"
    assert all("Not answered" in each.result() for each in large)
    assert served.questions.running == 0


def test_a_reader_that_goes_away_ends_its_question(client: Client, served: Server):
    with socket.create_connection(client.host.split(":")) as gone:  # type: ignore[arg-type]
        gone.sendall(
            f"GET {client.base}sql?q={quote(ENDLESS)} HTTP/1.1\r\nHost: {client.host}\r\nCookie: {client.cookie}\r\n\r\n".encode()
        )
        while not served.questions.running:
            time.sleep(0.05)
    until = time.monotonic() + PATIENCE_S
    while served.questions.running and time.monotonic() < until:
        time.sleep(0.05)
    assert served.questions.running == 0


def test_what_is_ingested_meanwhile_is_seen(client: Client, reports: Path):
    def files() -> int:
        return json.loads(client.file("SELECT count(*) AS n FROM ingest_file", "json"))[0]["n"]

    assert files() == 3
    assert ingest([str(sample("xcf_members"))], reports.parent / "lake", Options(), jobs=1).exit_code(strict=False) == 0
    assert files() == 4


def test_what_cannot_begin_says_why(served: Server, reports: Path, tmp_path: Path):
    port = int(urlsplit(served.gate.address).netloc.partition(":")[2])
    with pytest.raises(UsageError, match=f"port {port} is in use"):
        Server(reports.parent / "lake", port)
    with pytest.raises(UsageError, match=r"is not a lake|no lake"):
        Server(tmp_path, 0)
    assert not [name for name in os.listdir(reports.parent) if name not in ("lake", "reports")]


@pytest.mark.slow
def test_ctrl_c_ends_it_at_once_while_a_question_runs(served: Server, reports: Path):
    command = [sys.executable, "-m", "ironlake.pipeline.cli.main", "serve", "--lake", str(reports.parent / "lake")]
    server = subprocess.Popen([*command, "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout
    client = Client(server.stdout.readline().rpartition(" ")[2].strip())
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.get, f"sql?q={quote(ENDLESS)}")
        time.sleep(1)
        assert not asked.done()
        begin = time.monotonic()
        server.send_signal(signal.SIGINT)
        _, err = server.communicate(timeout=PATIENCE_S)
        assert (server.returncode, err) == (0, "")
        assert time.monotonic() - begin < 10
        asked.exception()


def test_markup_in_names_is_text_and_a_formula_none(tmp_path: Path):
    """A stranger chose the name of the file, of a class and of a system, and the values of the address."""
    page, mark = tmp_path / "<img src=x onerror=alert(1)>.txt", b"<b>XSS</"
    text = (DEMO / "before.txt").read_bytes()
    page.write_bytes(
        text.replace(b"SERVICE CLASS=DDFHI   ", b"SERVICE CLASS=" + mark).replace(b"PLEXD   ", b"P<i>X   ")
    )
    ingest([str(page)], tmp_path / "lake", Options(), jobs=1)
    with running(tmp_path / "lake", 60) as server:
        client = Client(server.gate.address)
        source = client.file("SELECT source_id FROM ingest_file", "csv").decode().split()[1]
        pages = [
            "rows?of=ingest_file", "rows?of=rmf_workload_activity&facet=service_class", f"printed?source={source}&page=1&line=14",
            f"printed?source={source}&page=1&line=14&also={quote('<img src=x:1:1')}", "page?day=2021-04-13",
            f"compare?after={quote('<img src=x>')}", f"?search={quote('<img src=x>')}", f"rows?of={quote('<img src=x>')}",
        ]  # fmt: skip
        raw = [client.raw(client.base + path, Cookie=client.cookie)[2] for path in pages]
        assert [
            path
            for path, body in zip(pages, raw, strict=True)
            if b"<img src=x" in body or b"<b>XSS" in body or b"<i>X" in body
        ] == []
        assert [b"&lt;img src=x" in body for body in raw[:3]] == [True] * 3
        assert b"&lt;b&gt;XSS&lt;/" in raw[1]
        formulas = client.file("""SELECT '=1+1' AS "=a", '@x' AS b, '+1' AS c, chr(9) || '=1' AS d""", "csv")
        assert formulas == b"'=a,b,c,d\n'=1+1,'@x,'+1,'\t=1\n"
