"""One report as the bytes of a file, in every form in which print files come."""

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable, Mapping

import pyarrow as pa
from ironlake.pipeline.files.encodings import one_byte_table
from reading_pages import control_of, page, records, report, text_of, with_asa

REPORT = report()
TEXT = text_of(REPORT)
CONTROL = control_of(REPORT).encode()
LINES = "\n".join(REPORT) + "\n"
LINES_ASA = "\n".join(with_asa(REPORT)) + "\n"


def encoded_1047(text: str) -> bytes:
    table = one_byte_table("cp1047")
    return bytes(0x15 if c == "\n" else table.index(c) for c in text)


def packed(kind: str, content: bytes) -> bytes:
    if kind == "gz":
        return gzip.compress(content)
    if kind == "gz_twice_appended":
        return gzip.compress(content[:1000]) + gzip.compress(content[1000:])
    if kind == "zst":
        return pa.Codec("zstd").compress(content, asbytes=True)
    if kind == "zst_twice_appended":
        return packed("zst", content[:1000]) + packed("zst", content[1000:])
    if kind == "gz_in_gz":
        return gzip.compress(gzip.compress(content, mtime=0), mtime=0)
    raise ValueError(kind)


def zip_of(members: Mapping[str, bytes] | Iterable[tuple[str, bytes]]) -> bytes:
    """An archive; members given one by one may share a name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in dict(members).items() if isinstance(members, Mapping) else [*members]:
            archive.writestr(str(name), content)
    return out.getvalue()


def tar_of(members: dict[str, bytes], **kinds: bytes) -> bytes:
    """A tar archive of files; of `kinds` a member of this type that leads to a.txt."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        for name, content in members.items():
            head = tarfile.TarInfo(name)
            head.size = len(content)
            archive.addfile(head, io.BytesIO(content))
        for name, kind in kinds.items():
            head = tarfile.TarInfo(name)
            head.type, head.linkname = kind, "a.txt"
            archive.addfile(head)
    return made.getvalue()


FORMS_WITHOUT_CONTROL = {
    "lf": LINES.encode(),
    "crlf": LINES.replace("\n", "\r\n").encode(),
    "cr_cr_lf": LINES.replace("\n", "\r\r\n").encode(),
    "cr": LINES.replace("\n", "\r").encode(),
    "crlf_and_lf_mixed": LINES.replace("\n", "\r\n", 20).encode(),
    "next_line_latin_1": LINES.replace("\n", "\x85").encode("latin-1"),
    "next_line_utf_8": LINES.replace("\n", "\x85").encode(),
    "no_final_line_end": LINES.rstrip("\n").encode() + b"\n " * (REPORT[-1] == ""),
    "trailing_blanks": "".join(line.ljust(132) + "\n" for line in REPORT).encode(),
    "trailing_nuls": "".join(line.ljust(132, "\0") + "\n" for line in REPORT).encode(),
    "nuls_for_blanks": LINES.replace(" ", "\0").replace("\0", " ", 3000).encode(),
    "substitute_at_the_end": LINES.encode() + b"\x1a",
    "nuls_and_substitutes_at_the_end": LINES.encode() + b"\x1a" * 5 + b"\0" * 1000,
    "byte_order_mark": LINES.encode("utf-8-sig"),
    "utf_16_le": b"\xff\xfe" + LINES.encode("utf-16-le"),
    "utf_16_be": b"\xfe\xff" + LINES.encode("utf-16-be"),
    "utf_16_le_without_mark": LINES.encode("utf-16-le"),
    "utf_16_be_without_mark": LINES.encode("utf-16-be"),
    "utf_16_crlf": b"\xff\xfe" + LINES.replace("\n", "\r\n").encode("utf-16-le"),
    "ebcdic_037_nl": LINES.replace("\n", "\x85").encode("cp037"),
    "ebcdic_037_lf": LINES.encode("cp037"),
    "ebcdic_037_crlf": LINES.replace("\n", "\r\n").encode("cp037"),
    "ebcdic_1047_nl": encoded_1047(LINES),
    "ebcdic_1140_nl": LINES.replace("\n", "\x85").encode("cp1140"),
    "fixed_133": records(REPORT, 133).encode(),
    "fixed_132": records(REPORT, 132).encode(),
    "fixed_137_ebcdic": records(REPORT, 137).encode("cp037"),
    "fixed_144_ebcdic": records(REPORT, 144).encode("cp037"),
    "fixed_133_nuls": records(REPORT, 133).replace(" " * 40, "\0" * 40).encode(),
    "tabs": "".join(line.replace(" " * 40, "\t" * 5, 1) + "\n" for line in REPORT).encode(),
    "no_break_spaces": LINES.replace("   ", "\xa0\xa0\xa0").encode(),
}

FORMS_WITH_ASA = {
    "lf": LINES_ASA.encode(),
    "lf_blanks_stripped": "".join(line.rstrip() + "\n" for line in with_asa(REPORT)).encode(),
    "crlf": LINES_ASA.replace("\n", "\r\n").encode(),
    "padded": "".join(line.ljust(133) + "\n" for line in with_asa(REPORT)).encode(),
    "byte_order_mark": LINES_ASA.encode("utf-8-sig"),
    "utf_16_le": b"\xff\xfe" + LINES_ASA.encode("utf-16-le"),
    "ebcdic_nl": LINES_ASA.replace("\n", "\x85").encode("cp037"),
    "fixed_133": records(with_asa(REPORT), 133).encode(),
    "fixed_133_ebcdic": records(with_asa(REPORT), 133).encode("cp037"),
    "fixed_121_ebcdic": records(with_asa([line[:120] for line in REPORT]), 121).encode("cp037"),
    "fixed_133_cut": records(with_asa(REPORT), 133).encode("cp037")[:-100],
}

OVERPRINTED = [
    *with_asa(page(1)), "+" + " " * 49 + " W O R K L O A D", " ENDED", "+             4711", "+______",
    *with_asa(page(2)),
]  # fmt: skip

MACHINE_LINES = [
    (0x8B, "ignored"), (0x09, "TITLE"), (0x11, "two down follows"), (0x19, "after two"), (0x01, "after three"),
    (0x09, "            over"), (0x0B, ""), (0x13, ""), (0x89, "last of page"), (0x09, "first of page"),
]  # fmt: skip

ALL_FORMS = {f"plain_{name}": content for name, content in FORMS_WITHOUT_CONTROL.items()}
ALL_FORMS |= {f"asa_{name}": content for name, content in FORMS_WITH_ASA.items()}
ALL_FORMS |= {
    "overprinted": "\n".join(OVERPRINTED).encode(),
    "overprinted_records": records(OVERPRINTED, 133).encode("cp037"),
    "overprinted_utf_16": b"\xff\xfe" + "\n".join(OVERPRINTED).encode("utf-16-le"),
    "machine": b"".join(bytes([code]) + text.encode() + b"\n" for code, text in MACHINE_LINES * 5),
    "machine_records": b"".join(bytes([c]) + t.ljust(132).encode("cp037") for c, t in MACHINE_LINES * 5),
    "form_feeds": ("\f" + LINES.replace("MODE = GOAL\n", "MODE = GOAL\f\n") + "text\ftext\n\f\nend\n").encode(),
    "form_feeds_utf_16": b"\xff\xfe" + ("\f" + LINES + "text\f\ntext\ftext\n\f\nend\n").encode("utf-16-le"),
}
