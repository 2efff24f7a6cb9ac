"""The canonical lines of an XML document of RMF (ddsml): one per name, value, heading row, row and message.

    <segment>  CPU Activity
    <resource SYSTEM> SYSA
    <part>     CPU Activity
    <var>      CPC Capacity                             | 365
    <cols>     CPU Number | CPU Type | Time% Online
    <row>      0          | CP       | 100.00
    <row SUM>  TOTAL      | CP       |
    <message ERB103I> PPS: OPTIONS IN EFFECT

A page is a segment, below the lines of its postprocessor element. Cells are padded to the width of their heading, so that they
stand in columns; only the bars between them count. A row of empty cells (a spacer) is an empty line. Nothing here knows a report.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NoReturn
from xml.parsers import expat

from ..errors import IronlakeError
from .xml_format import BAR, row, variable, widths_of
from .xml_format import tag as tagged

DEEPEST = 32
LONGEST_VALUE = 1 << 12
MOST_CELLS = 512
# Lines of a piece, and of these above its segments, which are repeated on each.
MOST_LINES = 500_000
MOST_ABOVE = 256
MALFORMED = "<malformed>"
# A bar within a value must not look like the end of a cell.
_LINE_ENDS = str.maketrans("\n\r\t", "   ")
_WITHIN_LINE = str.maketrans({"\n": " ", "\r": " ", "\t": " ", BAR: "¦"})
_MESSAGES = ("message", "mfpmsg")
# Segments whose values are those of all further segments of their element: their lines are above these, as those of the element are.
_ABOVE_ALL = frozenset(("Policy Activation",))
# Attributes that number, repeat a cell or name a schema.
_NO_FACTS = frozenset(("refno", "percent", "id", "xsi:noNamespaceSchemaLocation", "xmlns:xsi", "type"))
# What the parser calls the end of a document that is cut.
_AT_THE_END = frozenset(
    expat.errors.codes[said]
    for said in (
        *(expat.errors.XML_ERROR_NO_ELEMENTS, expat.errors.XML_ERROR_UNCLOSED_TOKEN),
        *(expat.errors.XML_ERROR_PARTIAL_CHAR, expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION),
    )
)


class _TooMuch(Exception):
    """A document has more of something than any of RMF."""


@dataclass
class XmlLines:
    """Writes the canonical lines of a piece while its elements are read.

    lines, numbers: the lines, and the line of the document (from 0) that each is on. starts: the indexes of lines that begin a page.
    problems: what could not be read, in words.
    """

    lines: list[str] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _at: Callable[[], int] = lambda: 0
    _path: list[str] = field(default_factory=list)
    _text: list[str] = field(default_factory=list)
    # Lines above the segments of a postprocessor element, and lines printed once.
    _head: list[tuple[str, int]] = field(default_factory=list)
    _once: list[tuple[str, int]] = field(default_factory=list)
    # Kinds of resource so far, and the name and kind of the one being read, with the line it is on.
    _resources: set[str] = field(default_factory=set)
    _resource: dict[str, str] = field(default_factory=dict)
    _resource_at: int = 0
    _on_page: bool = False
    _segment: str | None = None
    # The piece goes on in the document; its last end tag is ours.
    _is_cut: bool = False
    _pages_before: int = 0
    _lines_before: int = 0
    _part: str | None = None
    _attributes: dict[str, str] = field(default_factory=dict)
    _name: str = ""
    _value: str = ""
    _message: list[str] = field(default_factory=list)
    _cells: list[str] = field(default_factory=list)
    _begun: int = 0
    # Of the cells below the last heading.
    _widths: list[int] = field(default_factory=list)

    def read(self, document: bytes, first_line: int, is_open: bool) -> int:
        """Read a piece of a document, in UTF-8, as lines behind those so far. `is_open`: it lacks the end of the outer element. Returns
        the number of its bytes that were read: all, unless it is malformed there.

        Raises IronlakeError if it declares a document type."""
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.buffer_size = 1 << 16
        self._at = lambda: parser.CurrentLineNumber - 1 + first_line
        self._path, self._text, self._cells, self._is_cut = [], [], [], False
        self._begun = first_line
        parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = self._handlers()
        parser.StartDoctypeDeclHandler = _refuse
        try:
            parser.Parse(document, not is_open)
            if is_open and len(self._path) < 2:
                self._is_cut = True
                parser.Parse(f"</{self._path[0]}>" if self._path else "", True)
        except (expat.ExpatError, _TooMuch) as error:
            what = f"{expat.ErrorString(error.code) if isinstance(error, expat.ExpatError) else error} in"
            if isinstance(error, expat.ExpatError) and error.code in _AT_THE_END:
                what = "the document ends within"
            self._flush()
            self.malformed(f"{what} <{self._path[-1] if self._path else ''}>")
            return max(parser.CurrentByteIndex, 0)
        if is_open and len(self._path) > 1:
            self._flush()
            self.malformed(f"the document ends within <{self._path[-1]}>")
        return len(document)

    def _handlers(self) -> tuple[Callable, Callable, Callable]:
        """What the parser calls. Most elements are cells: they are handled here, all others in methods."""
        path, text, cells, start_other, end_other = self._path, self._text, self._cells, self._start, self._end

        def start(tag: str, attributes: dict[str, str]) -> None:
            if tag == "col" and not text:
                path.append(tag)
            else:
                start_other(tag, attributes)

        def end(tag: str) -> None:
            if tag != "col":
                end_other(tag)
                return
            path.pop()
            if not text:
                cells.append("")
            elif len(text) == 1 and (cell := text[0]).isprintable() and BAR not in cell and len(cell) <= LONGEST_VALUE:
                # Nearly all are so.
                cells.append(cell.strip())
                text.clear()
            else:
                cells.append(self._taken())
            if len(cells) > MOST_CELLS:
                raise _TooMuch(f"more than {MOST_CELLS} cells in a row")

        def characters(more: str) -> None:
            if text or not more.isspace():
                text.append(more)

        return start, end, characters

    def malformed(self, what: str) -> None:
        """Tell of something that cannot be read, on the page that it is on."""
        self.problems.append(f"line {self._at() + 1:,}: {what}")
        self._put(f"{MALFORMED} {what}")

    def end(self) -> None:
        """End a piece. What stands behind its last segment belongs to that page; without any, it is a page."""
        if not self._on_page and (self._head or self._once):
            self._add_to_page()
        self._head, self._once, self._on_page, self._resources = [], [], False, set()
        self._segment, self._part, self._pages_before = None, None, len(self.starts)
        self._lines_before = len(self.lines)

    def _add_to_page(self) -> None:
        if len(self.starts) == self._pages_before:
            self._begin_page(None)
        else:
            self._on_page = True
            self._put_above([*self._once, *self._head])

    def _end_element(self) -> None:
        """End a postprocessor element: its lines are a page even if it has no segment."""
        if not self._on_page and (self._head or self._once):
            self._begin_page(None)
        self._head, self._on_page, self._segment, self._part = [], False, None, None
        self._resources = set()

    # --- elements -------------------------------------------------------------------------------------------------

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._text:
            self._own_text()
        self._path.append(tag)
        self._stay_within_limits()
        self._attributes = attributes
        if tag in ("row", "column-headers"):
            self._cells.clear()
            self._begun = self._at()
        elif tag == "segment":
            self._on_page, self._segment, self._part = False, None, None
        elif tag == "part":
            self._part = None
        elif tag == "var":
            self._name = self._value = ""
            self._begun = self._at()
        elif tag in _MESSAGES:
            self._message, self._begun = [attributes.get("id", "")], self._at()

    def _stay_within_limits(self) -> None:
        if len(self._path) > DEEPEST:
            raise _TooMuch(f"more than {DEEPEST} elements within each other")
        if len(self.lines) > self._lines_before + MOST_LINES:
            raise _TooMuch(f"more than {MOST_LINES:,} lines")
        if len(self._head) > MOST_ABOVE or len(self._once) > MOST_ABOVE:
            raise _TooMuch(f"more than {MOST_ABOVE} values above the segments")

    def _end(self, tag: str) -> None:
        text = self._taken() if self._text else ""
        self._path.pop()
        parent = self._path[-1] if self._path else ""
        match tag:
            case "row":
                kind = self._attributes.get("type", "")
                self._row(self._cells, f"row {kind}" if kind else "row")
            case "column-headers":
                self._heading(self._cells)
            case "name" if parent == "var":
                self._name = f"{self._name} {text}".strip()
            case "value" if parent == "var":
                self._value = f"{self._value} {text}".strip()
            case "var":
                self._begin_part()
                self._put(variable(self._name, self._value), self._begun)
            case "name" if parent == "segment" and text in _ABOVE_ALL:
                self._segment = text
            case "name" if parent == "segment":
                self._begin_page(text)
            case "name" if parent == "part":
                self._begin_part(text)
            case "description" if parent in _MESSAGES:
                self._message.append(text)
            case "severity" if parent in _MESSAGES:
                self._message.append(f"(severity {text})")
            case "message" | "mfpmsg":
                number, *words = [*self._message, *([text] if text else [])]
                self._put(f"<message {number}> {' '.join(words)}", self._begun)
            case "postprocessor" | "report":
                self._end_element()
            case "resource":
                self._end_resource()
            case "ddsml" if not self._is_cut:
                self.end()
            case _ if text:
                self._leaf(parent, tag, text)

    def _taken(self) -> str:
        """The text since the last tag."""
        text = (self._text[0] if len(self._text) == 1 else "".join(self._text)).strip()
        self._text.clear()
        if len(text) > LONGEST_VALUE:
            self.malformed(f"a value of {len(text):,} characters; at most {LONGEST_VALUE:,} are read")
            # No number can be read from it, and no name is taken for another.
            text = f"{text[:40]}…"
        if "\n" in text and self._path[-1:] in (["row"], ["value"]):
            # The value may go on in the next line, or be two: nobody knows.
            self.malformed(f"a line end within a value, left out: {' ⏎ '.join(text.split())[:80]}")
            text = ""
        if BAR in text or not text.isprintable():
            text = text.translate(_WITHIN_LINE)
        return text

    def _own_text(self) -> None:
        """Text of an element in front of its first child."""
        text = self._taken()
        if text:
            self._leaf(self._path[-2] if len(self._path) > 1 else "", self._path[-1], text)

    def _leaf(self, parent: str, tag: str, text: str) -> None:
        facts = [value for name, value in self._attributes.items() if name not in _NO_FACTS]
        if parent == "resource" and tag in ("resname", "restype") and tag not in self._resource:
            if not self._resource:
                self._resource_at = self._at()
            self._resource[tag] = text
            return
        line = f"<{' '.join([parent, tag, *facts])}> {text}"
        if self._on_page:
            self._put(line)
        elif parent == "server":
            self._once.append((line, self._at()))
        else:
            self._head.append((line, self._at()))

    def _end_resource(self) -> None:
        """One line per resource. Of several of a kind, nobody knows whose the values are: no report takes the later ones."""
        if not self._resource:
            return
        kind, name = self._resource.get("restype", ""), self._resource.get("resname", "")
        tag = "resource again" if kind in self._resources or self._on_page else "resource"
        self._resources.add(kind)
        self._put(f"<{f'{tag} {kind}'.strip()}> {name}", self._resource_at)
        self._resource = {}

    # --- lines ----------------------------------------------------------------------------------------------------

    def _heading(self, titles: list[str]) -> None:
        self._widths = widths_of(titles)
        self._line("cols", titles)

    def _row(self, cells: list[str], tag: str) -> None:
        if any(cells):
            self._line(tag, cells)
        else:
            self._put("", self._begun)
            cells.clear()

    def _line(self, tag: str, cells: list[str]) -> None:
        self._begin_part()
        self._put(row(tag, cells, self._widths), self._begun)
        cells.clear()

    def _flush(self) -> None:
        """Keep what is read of a resource or a row that is broken off."""
        self._end_resource()
        if any(self._cells):
            self._put(f"{MALFORMED} row: {' | '.join(self._cells)}", self._begun)
            self._cells.clear()

    def _begin_page(self, title: str | None) -> None:
        """The title of a segment, and the lines above it; without a title, those of a postprocessor element without segments."""
        self._on_page, self._segment, self._part = True, title, None
        self.starts.append(len(self.lines))
        above = [*self._once, *self._head]
        if title is not None:
            self._put(f"{tagged('segment')} {title}")
        else:
            # What an element without a segment says, it says by its messages.
            above.sort(key=lambda each: not each[0].startswith("<message"))
        self._put_above(above)
        self._once = []

    def _begin_part(self, title: str | None = None, number: int | None = None) -> None:
        """The title of a part; a part without one has that of its segment. `number`: the line that it is on."""
        if title is not None or self._part is None:
            self._part = title if title is not None else self._segment or ""
            self._put(f"{tagged('part')} {self._part}", number)

    def _put(self, line: str, number: int | None = None) -> None:
        at = self._at() if number is None else number
        if not line.isprintable():
            # An attribute may hold a line end.
            line = line.translate(_LINE_ENDS)
        if not self._on_page:
            self._head.append((line, at))
            return
        self.lines.append(line.rstrip())
        self.numbers.append(at)

    def _put_above(self, above: Sequence[tuple[str, int]]) -> None:
        for line, number in above:
            self._put(line, number)


def _refuse(*_: object) -> NoReturn:
    raise IronlakeError(
        "declares a document type (DOCTYPE)",
        "XML as RMF writes it, which has none",
        "entities are not read: they can hold anything; write the document again with RMF",
    )
