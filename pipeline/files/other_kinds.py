"""Text files that are plainly no print reports, told by their content: JSON, HTML, XML, YAML, CSV and Markdown.

What is said here is only a look: whether pages of a report are in such a file, the reader decides. Pages in Markdown are quotations: of
a folder such a file is never read. A bug report of Ironlake holds pages with scrambled names and is never read at all.
"""

from __future__ import annotations

import csv
import json
import re
from contextlib import suppress

# A longer sample shows that the file goes on behind what is looked at.
KIND_SAMPLE_BYTES = (1 << 16) + 1
_LINES = 50
_MARKUP = re.compile(r"\s*(?:<!--.*?-->\s*)*<(?:(\?xml)|!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_JSON_BEGINS = re.compile(r'\s*(?:\{\s*(?:"|\})|\[\s*(?:[\[{"\d\]-]|true|false|null))')
# Names of keys, and whose answers or records have them.
_JSON_KINDS = (
    (r'"columnhead"\s*:', "Zebra's"),
    (r'"(?:columnHeaders|timeData)"\s*:', "of the Distributed Data Server of RMF"),
    (r'"applid"\s*:', "of CICS Performance Analyzer or Transaction Analysis Workbench"),
)
_YAML_LINE = re.compile(r"""(?:---|\.\.\.|%YAML).*|-(?:\s.*)?|[\]}],?|(?:[A-Za-z_][\w.-]*|"[^"]*"|'[^']*'):(?:\s.*)?""")
_YAML_KEY = re.compile(r"""(?:-\s+)?(?:[A-Za-z_][\w.-]*|"[^"]*"|'[^']*'):(?:\s|$)""")
_TITLE = re.compile(r"[A-Za-z_][\w .%/()-]*")
MARKDOWN = "a Markdown file"
JSON = "a JSON file"
BUG_REPORT = "a bug report of Ironlake"
BUG_REPORT_TITLE = "# Ironlake could not read this"
# Marks of Markdown: a title with a blank line below (a comment of a log has a colon), and a heading below it between blank lines.
_MARKDOWN_TITLE = re.compile(r"\s*# [^\n:]*\n[ \t\r]*(?:\n|\Z)")
_MARKDOWN_HEADING = re.compile(r"^[ \t\r]*\n#{2,6} [^\n]*\n[ \t\r]*(?:\n|\Z)", re.MULTILINE)
# The rule of a table with several columns.
_TABLE_RULE = re.compile(r"\|?(?: *:?-{3,}:? *\|)+ *:?-{3,}:? *\|?")
_FENCE = re.compile(r"^ {0,3}(```|~~~)", re.MULTILINE)


def kind_of(sample: bytes) -> str:
    """What kind of file one with these first KIND_SAMPLE_BYTES looks like, with its article; nothing for any other text."""
    most = KIND_SAMPLE_BYTES - 1
    return kind_of_text(sample[:most].decode("utf-8-sig", "replace"), len(sample) <= most)


def kind_of_text(text: str, is_whole: bool) -> str:
    """As `kind_of`, of the begin of a file, or of the whole.

    >>> [kind_of_text(text, True) for text in ('{"a": 1}', "<html>", "study: x\\nruns: 2", "a,b\\n1,2", "1 C P U", "# A\\n\\nb")]
    ['a JSON file', 'an HTML file', 'a YAML file', 'a CSV file', '', 'a Markdown file']
    """
    if text.startswith(BUG_REPORT_TITLE):
        return BUG_REPORT
    if found := _MARKUP.match(text):
        return "an XML file" if found[1] else "an HTML file"
    if _is_json(text, is_whole):
        of = next((of for keys, of in _JSON_KINDS if re.search(keys, text)), "")
        return f"{JSON} ({of} by its keys)" if of else JSON
    begin = "\n".join(text.split("\n", _LINES)[:_LINES])
    lines = [line.rstrip() for line in begin.splitlines()[:_LINES] if line.strip()]
    if _is_yaml(lines):
        return "a YAML file"
    if _is_csv(lines):
        return "a CSV file"
    return MARKDOWN if _is_markdown(text) else ""


def _is_json(text: str, is_whole: bool) -> bool:
    if not _JSON_BEGINS.match(text):
        return False
    # A whole one, the first line of many, or the begin of one.
    for one in (text, text.lstrip().partition("\n")[0]):
        with suppress(ValueError, RecursionError):
            json.loads(one)
            return True
    return not is_whole


def _is_yaml(lines: list[str]) -> bool:
    """Whether every line that is not indented is a key, an item, or a mark of a document. One line alone may be a note."""
    outer = [line for line in lines if not line[0].isspace() and not line.startswith("#")]
    return len(lines) > 1 and any(map(_YAML_KEY.match, outer)) and all(map(_YAML_LINE.fullmatch, outer))


def _is_markdown(text: str) -> bool:
    if _MARKDOWN_TITLE.match(text) or ("\n##" in text and _MARKDOWN_HEADING.search(text)):
        return True
    if "|" in text and any("---" in line and _TABLE_RULE.fullmatch(line.strip()) for line in text.splitlines()):
        return True
    fences = [fence[1] for fence in _FENCE.finditer(text)]
    return any(fences.count(kind) > 1 for kind in ("```", "~~~"))


def _is_csv(lines: list[str]) -> bool:
    """Whether all lines have the same number of cells, more than one, and the first has titles in them."""
    # A quoted title may go on in the next line.
    for delimiter in (c for c in ",;\t" if lines and (c in lines[0] or '"' in lines[0])):
        with suppress(csv.Error):
            # The last line may be cut.
            rows = list(csv.reader(lines[: max(2, len(lines) - 1)], delimiter=delimiter))
            if len(rows) > 1 and len(rows[0]) > 1 and len(set(map(len, rows))) == 1:
                return all(map(_TITLE.fullmatch, rows[0]))
    return False
