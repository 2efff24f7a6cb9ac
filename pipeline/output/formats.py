"""The formats of answers and of exported files; apart from what writes them, which loads Arrow."""

from typing import Literal

Format = Literal["table", "json", "csv", "markdown", "parquet", "xlsx"]
# For programs alone.
BINARY: dict[str, str] = {"parquet": "Parquet", "xlsx": "A workbook"}
FileFormat = Literal["parquet", "csv", "xlsx"]
