"""Errors of object storage in one line, without what the library adds: addresses of requests may have signatures."""

from __future__ import annotations

import errno
import os
import re
from types import ModuleType

from ..errors import IronlakeError, without_extra
from .address import Address

_CODE = re.compile(r"<Code>(\w{1,60})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")
_NO_BUCKET = {"NoSuchBucket", "ContainerNotFound", "InvalidBucketName"}
# What the network says, and how the library has it.
_REASONS = {
    "timed out": "no answer in time",
    "onnection refused": "connection refused",
    "dns error": "unknown host",
    "error sending request": "no connection",
}
_AGAIN = "run the same command again; committed files are safe"


def require_library() -> ModuleType:
    """obstore. Raises UsageError where it is not installed."""
    try:
        import obstore
    except ImportError:
        raise without_extra("object storage", "obstore", "cloud") from None
    return obstore


def explained(error: Exception, root: Address, path: str) -> Exception:
    """What an error of the library means: an OSError for a file that is not there or there already, else an IronlakeError. What is no
    error of the library stays as it is."""
    if not isinstance(error, FileNotFoundError) and type(error).__module__ != "obstore.exceptions":
        return error
    kind, text = type(error).__name__, str(error)
    code = found[1] if (found := _CODE.search(text)) else ""
    status = found[1] if (found := _STATUS.search(text)) else ""
    if code in _NO_BUCKET:
        return IronlakeError(f"there is no bucket {root.bucket} ({root})", "a bucket that exists", "check --lake")
    if isinstance(error, FileNotFoundError):
        return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(root / path))
    if kind in ("AlreadyExistsError", "PreconditionError"):
        return FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(root / path))
    if kind == "InvalidPathError":
        # The library stops at the first of them.
        hint = "give it another name, or give the other files one by one"
        return IronlakeError(f"{root / path} has an object whose name is no path", "names without // and dots", hint)
    told = " ".join(filter(None, (status, code)))
    if kind in ("PermissionDeniedError", "UnauthenticatedError") or status in ("401", "403"):
        hint = "check the credentials in the environment, and what they may do with this bucket"
        return IronlakeError(f"access to {root} is denied ({told or kind})", "rights to list, read and write", hint)
    if "credential" in text.lower():
        return no_credentials(root)
    why = told or next((words for sign, words in _REASONS.items() if sign in text), "the request failed")
    return IronlakeError(f"object storage of {root} does not answer: {why}", hint=_AGAIN)


def refused(root: Address, path: str) -> IronlakeError:
    what = f"object storage of {root} refuses to write {path} again and again"
    return IronlakeError(what, "storage that takes a write when nobody else writes the same object", _AGAIN)


def no_credentials(root: Address) -> IronlakeError:
    ways = {
        "s3": "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile in ~/.aws/credentials, or a role of the machine",
        "gs": "GOOGLE_APPLICATION_CREDENTIALS, or a service account of the machine",
    }
    expected = ways.get(
        root.parts[0][:2], "AZURE_STORAGE_ACCOUNT_NAME with a key or token, or an identity of the machine"
    )
    return IronlakeError(f"no credentials for {root}", expected, "ironlake docs cloud says where they are looked for")
