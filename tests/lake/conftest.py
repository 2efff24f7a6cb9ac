"""The object storage of the tests of lakes in it."""

from collections.abc import Iterator

import pytest
from object_server import BUCKET, ObjectServer, object_server


@pytest.fixture(scope="module")
def server() -> Iterator[ObjectServer]:
    with object_server() as started:
        yield started


@pytest.fixture
def lake(server: ObjectServer, request: pytest.FixtureRequest) -> str:
    return f"s3://{BUCKET}/{request.node.name}"
