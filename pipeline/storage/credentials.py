"""Where credentials for S3 come from: what the environment has for other tools too. The library reads variables, tokens of web identities, and roles
of containers and machines; the files of the AWS command line are read here. They are in no message."""

from __future__ import annotations

import os
import socket
from configparser import ConfigParser, Error
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .address import Address
from .object_errors import no_credentials

# Any of these is for the library to read.
_GIVEN = (
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_SKIP_SIGNATURE",
)
_KEYS = ("aws_access_key_id", "aws_secret_access_key", "aws_session_token")
_MACHINE = "http://169.254.169.254"
_LOOK_S = 1.0


def options_of(root: Address) -> dict[str, Any]:
    """What the library does not find itself. Raises IronlakeError where there are no credentials: it would ask for a minute."""
    if not root.parts[0].startswith("s3"):
        return {}
    options = {}
    endpoint = next(
        filter(None, map(os.environ.get, ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT"))), None
    )
    if endpoint:
        options["endpoint"] = endpoint
    if any(map(os.environ.get, _GIVEN)):
        return options
    profile = _profile()
    if not profile.get("access_key_id") and not _is_machine_with_role():
        raise no_credentials(root)
    return options | profile


def _profile() -> dict[str, str]:
    """The keys and the region of the profile in use."""
    name = os.environ.get("AWS_PROFILE") or "default"
    found: dict[str, str] = {}
    home = Path(os.path.expanduser("~/.aws"))
    for variable, file, section in (
        ("AWS_CONFIG_FILE", "config", name if name == "default" else f"profile {name}"),
        ("AWS_SHARED_CREDENTIALS_FILE", "credentials", name),
    ):
        parser = ConfigParser(interpolation=None)
        with suppress(OSError, Error, UnicodeDecodeError):
            parser.read_string(Path(os.environ.get(variable) or home / file).read_text("utf-8"))
            if parser.has_section(section):
                values = parser[section]
                found |= {key.removeprefix("aws_"): values[key] for key in _KEYS if key in values}
                if "region" in values and not os.environ.get("AWS_REGION") and not os.environ.get("AWS_DEFAULT_REGION"):
                    found["region"] = values["region"]
    if "session_token" in found:
        found["token"] = found.pop("session_token")
    return found


def _is_machine_with_role() -> bool:
    """Whether this machine has the service that gives a role's credentials."""
    if os.environ.get("AWS_EC2_METADATA_DISABLED", "").lower() == "true":
        return False
    place = urlsplit(os.environ.get("AWS_METADATA_ENDPOINT") or _MACHINE)
    with suppress(OSError), socket.create_connection((place.hostname or "", place.port or 80), _LOOK_S):
        return True
    return False
