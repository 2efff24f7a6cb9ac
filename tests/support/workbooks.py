"""Workbooks, read again."""

import re
import zipfile
from pathlib import Path
from typing import BinaryIO
from xml.etree import ElementTree

_SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def workbook(path: Path | BinaryIO) -> tuple[list[dict[str, str | None]], str]:
    """The text of the cells of each row by column letter, `t:` before texts and `b:` before booleans; and all that the file says."""
    with zipfile.ZipFile(path) as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))
        said = "".join(book.read(name).decode() for name in book.namelist() if name.endswith(".xml"))
    rows = []
    for row in sheet.iter(f"{_SHEET}row"):
        cells = {}
        for cell in row.iter(f"{_SHEET}c"):
            letter = re.sub(r"\d", "", cell.attrib["r"])
            text = "".join(cell.itertext())
            cells[letter] = {"inlineStr": "t:", "b": "b:"}.get(cell.attrib.get("t", ""), "") + text
            assert cell.find(f"{_SHEET}f") is None
        rows.append(cells)
    return rows, said
