"""What `--master` names, and whether anybody answers there: Spark itself would try for minutes, and then say little."""

from __future__ import annotations

import contextlib
import os
import re
import socket
import ssl
import urllib.request
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import SplitResult, urlsplit
from xml.etree import ElementTree

from ..errors import IronlakeError, UsageError

_MASTER = re.compile(
    r"local(\[([1-9]\d{0,4}|\*)(, ?[1-9]\d{0,4})?\])?|local-cluster\[[1-9]\d{0,4}, ?[1-9]\d{0,4}, ?[1-9]\d{0,8}\]"
    r"|spark://[^\s:,]+:\d+(,[^\s:,]+:\d+)*|yarn|k8s://\S+"
)
_ADDRESS = re.compile(r"[/,]([^\s:/,]+):(\d+)")
_MASTERS = "local[4], spark://host:7077, yarn or k8s://…"
_HADOOP_FOLDERS = ("HADOOP_CONF_DIR", "YARN_CONF_DIR")
_YARN_PORT = 8032
# Hadoop's servers answer it at their ports of remote calls, too: that these are other ports.
_HELLO = b"GET / HTTP/1.0\r\n\r\n"
# In whole seconds.
_ANSWERS_IN_S = 10


def checked_master(master: str | None) -> str:
    """Raises UsageError for a master that is none or is missing, IronlakeError for one that does not answer."""
    if master is None:
        raise UsageError(
            "--engine spark is given without a master", f"--master {_MASTERS}", "spark-submit has one of its own"
        )
    if not _MASTER.fullmatch(master):
        raise UsageError(f"{master!r} is not a Spark master", _MASTERS)
    if master == "yarn":
        _require_yarn()
    elif master.startswith("k8s://"):
        _require_kubernetes(master)
    elif master.startswith("spark://") and not any(_listens(host, port) for host, port in _ADDRESS.findall(master)):
        raise IronlakeError(f"no Spark master answers at {master}", hint="start-master.sh prints its address")
    return master


def _listens(host: str, port: str, said: bytes = b"") -> bool:
    """Whether somebody listens, and does not keep silent to what is said."""
    try:
        connection = socket.create_connection((host, int(port)), _ANSWERS_IN_S)
    except (OSError, OverflowError, ValueError):
        return False
    with connection:
        try:
            if said:
                connection.sendall(said)
                connection.recv(1)
        except TimeoutError:
            return False
        except OSError:
            # It has hung up.
            pass
    return True


def _require_kubernetes(master: str) -> None:
    """Spark takes https where the master names neither https nor http."""
    url = master.removeprefix("k8s://")
    try:
        at = urlsplit(url if "://" in url else f"https://{url}")
        is_address = at.scheme in ("https", "http") and at.hostname and at.port != 0
    except ValueError:
        at, is_address = SplitResult("", "", "", "", ""), False
    if not is_address:
        raise UsageError(f"{master!r} is not a Spark master", "k8s://https://host:port")
    if urllib.request.getproxies().keys() & {at.scheme, "all"}:
        # Java may reach it by the proxy alone.
        return
    if why := _silence(at):
        hint = "kubectl cluster-info prints its address"
        raise IronlakeError(f"no Kubernetes API answers at {at.scheme}://{at.netloc}: {why}", hint=hint)


def _silence(at: SplitResult) -> str:
    """Why a server does not answer; empty if it does, whatever it says."""
    # Nothing is sent that is secret, and Java looks at the certificate.
    anybody = ssl.create_default_context()
    anybody.check_hostname, anybody.verify_mode = False, ssl.CERT_NONE
    host = str(at.hostname)
    connection = (
        HTTPSConnection(host, at.port, timeout=_ANSWERS_IN_S, context=anybody)
        if at.scheme == "https"
        else HTTPConnection(host, at.port, timeout=_ANSWERS_IN_S)
    )
    with contextlib.closing(connection):
        try:
            connection.request("GET", "/version")
            connection.getresponse()
        except TimeoutError:
            return f"no answer within {_ANSWERS_IN_S} s"
        except (ssl.SSLError, HTTPException):
            return ""
        except (OSError, UnicodeError) as error:
            return getattr(error, "strerror", None) or str(error)
    return ""


def _require_yarn() -> None:
    """Raise for a configuration that is missing, and where no ResourceManager that it names listens."""
    folders = [Path(os.environ[name]) for name in _HADOOP_FOLDERS if os.environ.get(name)]
    if not folders:
        raise UsageError(
            "--master yarn needs the configuration of Hadoop: neither HADOOP_CONF_DIR nor YARN_CONF_DIR is set",
            "one of them, with the folder that yarn-site.xml is in",
        )
    if not any(folder.is_dir() for folder in folders):
        raise UsageError(f"{folders[0]}, the configuration of Hadoop, is not a folder", "the folder of yarn-site.xml")
    properties: dict[str, str] = {}
    for folder in folders:
        for name in ("core-site.xml", "yarn-site.xml"):
            properties |= _properties(folder / name)
    if "hadoop.rpc.socket.factory.class.default" in properties:
        # Java may reach it by a proxy alone.
        return
    addresses = list(_resource_managers(properties))
    # What is not written out here is for Java to find out.
    if addresses and not any("$" in host or _listens(host, port, _HELLO) for host, port in addresses):
        where = " or ".join(f"{host}:{port}" for host, port in addresses)
        hint = f"yarn.resourcemanager.hostname in yarn-site.xml says where; folder: {' '.join(map(str, folders))}"
        raise IronlakeError(f"no ResourceManager of YARN answers at {where}", hint=hint)


def _properties(file: Path) -> dict[str, str]:
    """The properties of a configuration of Hadoop; none where there is no file."""
    try:
        root = ElementTree.fromstring(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, ElementTree.ParseError, ValueError, LookupError) as error:
        raise UsageError(f"{file} cannot be read: {error}", "a configuration of Hadoop in XML") from None
    said = [(each.findtext("name"), each.findtext("value")) for each in root.iter("property")]
    return {name.strip(): (value or "").strip() for name, value in said if name}


def _resource_managers(properties: dict[str, str]) -> Iterator[tuple[str, str]]:
    names = [name.strip() for name in properties.get("yarn.resourcemanager.ha.rm-ids", "").split(",")]
    for name in names:
        at = f".{name}" if name else ""
        host = properties.get(f"yarn.resourcemanager.hostname{at}", "" if at else "0.0.0.0")
        address = properties.get(f"yarn.resourcemanager.address{at}") or host
        address = address.replace("${yarn.resourcemanager.hostname}", host)
        host, colon, port = address.rpartition(":")
        if address:
            yield (host, port) if colon else (address, str(_YARN_PORT))
