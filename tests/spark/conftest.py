"""One Spark for all its tests: two executors, each a process of its own with one core."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest

MASTER = "local-cluster[2,1,1024]"


def _require(found: object, what: str) -> None:
    if not found and os.environ.get("CI"):
        pytest.fail(f"no {what} on this machine: where CI is set, Spark must be tried")
    if not found:
        pytest.skip(f"no {what} on this machine: Spark is not tried")


@pytest.fixture(scope="session")
def installed() -> None:
    try:
        import pyspark
    except ImportError:
        pyspark = None
    _require(pyspark, "PySpark")
    _require(shutil.which("java"), "Java")


@pytest.fixture(scope="session")
def spark(installed: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[object]:
    """The session that commands of this process find."""
    from ironlake.pipeline.spark.session import spark_context

    with pytest.MonkeyPatch.context() as patch:
        # Its executors write where Spark is installed, if they are not told a folder.
        patch.setenv("SPARK_WORKER_DIR", str(tmp_path_factory.mktemp("executors")))
        with spark_context(MASTER) as context:
            yield context
