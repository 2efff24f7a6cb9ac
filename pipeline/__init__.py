"""The engine: it reads pages, keeps the lake and answers SQL. No module here names a report, but for the SQL of views."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .sql.open_lake import open_lake

__all__ = ["open_lake"]


def __getattr__(name: str):
    """Load `open_lake` on first use: its libraries take longer to import than `ironlake --help` may take."""
    if name == "open_lake":
        from .sql.open_lake import open_lake

        return open_lake
    raise AttributeError(name)
