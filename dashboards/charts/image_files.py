"""Charts of a page as PNG files and pages as PDF, drawn by the installed Chrome or Chromium, offline."""

import base64
import os
import re
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from ...pipeline.errors import IronlakeError, UsageError
from .chart import Chart
from .svg import WIDE, svg

_TEXT, _SIGN = b"tEXt", b"Software\0Ironlake"
# The comment at the end of a PDF that Ironlake wrote.
_PDF_END = b"\n%Ironlake\n"
_FIRST_CHUNK_ENDS = 8 + 4 + 4 + 13 + 4
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SCALE = 2
# Pictures of a page are shown at a smaller size.
_SCREEN = 0.8
_PATIENCE_S = 120


def write_images(pictures: Mapping[str, Chart], folder: Path, force: bool = False) -> None:
    """Write each chart as `folder`/ID.png. Raises IronlakeError if there is no browser or the folder cannot be written, and UsageError
    for a picture there that Ironlake did not write, unless `force`."""
    if not pictures:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{name}.png" for name in pictures]
        if not force and (others := [file for file in files if file.exists() and not _is_own(file)]):
            hint = "choose another --png, or --force to overwrite it"
            raise UsageError(f"{others[0]} is not a picture that Ironlake wrote", "a new file", hint)
        for file, content in zip(
            files, _drawn([svg(chart, WIDE, is_alone=True) for chart in pictures.values()]), strict=True
        ):
            file.write_bytes(_signed(content))
    except OSError as error:
        raise IronlakeError(f"charts cannot be written to {folder}: {error.strerror}", "a writable folder") from None


def write_pdf(page: str, file: Path, force: bool = False) -> None:
    """Write a page (HTML) as PDF, on A4. Raises IronlakeError if there is no browser or the file cannot be written, and UsageError for another
    file there, unless `force`."""
    try:
        if not force and file.exists() and not file.read_bytes().endswith(_PDF_END):
            hint = "choose another --pdf, or --force to overwrite it"
            raise UsageError(f"{file} is not a PDF that Ironlake wrote", "a new file", hint)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
            _run(made, page, f"--print-to-pdf={made}/page.pdf", "--no-pdf-header-footer", option="--pdf")
            if not (printed := Path(made) / "page.pdf").is_file():
                raise IronlakeError("the browser printed no page", "a browser that runs", "omit --pdf")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(printed.read_bytes() + _PDF_END)
    except OSError as error:
        raise IronlakeError(f"{file} cannot be written: {error.strerror}", "a file name in a writable folder") from None


def write_screen(page: str, file: Path, width: int, height: int) -> None:
    """Write the top of a page (HTML) as PNG. Raises IronlakeError if there is no browser."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        looks = (
            f"--screenshot={made}/page.png",
            f"--window-size={width},{height}",
            "--hide-scrollbars",
            f"--force-device-scale-factor={_SCREEN}",
        )
        _run(made, page, *looks, option="")
        file.write_bytes(_signed((Path(made) / "page.png").read_bytes()))


def _run(made: str, page: str, *options: str, option: str) -> bytes:
    """The output of the browser for a page (HTML), with its files in the folder `made`; `option` is the user's option
    that needs the browser."""
    named = os.environ.get("BROWSER_PATH")
    browser = next(filter(None, map(shutil.which, [named] if named else _BROWSERS)), None)
    if not browser:
        hint = f"set BROWSER_PATH, or omit {option}"
        raise IronlakeError(f"no browser found for {option}", "an installed Chrome or Chromium", hint)
    file = Path(made) / "page.html"
    file.write_text(page, "utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={made}/profile"]
    # A browser looks for updates at its start.
    command += ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
    try:
        done = subprocess.run([*command, *options, file.as_uri()], capture_output=True, check=True, timeout=_PATIENCE_S)
    except subprocess.SubprocessError as error:
        raise IronlakeError(f"{browser} failed: {error}", "a browser that runs", f"omit {option}") from None
    return done.stdout


# Once all pictures are loaded, each is drawn on a canvas and written into the page as text; then the browser prints the
# page.
_SCRIPT = """<script>onload = () => { for (const image of [...document.images]) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width * %d, image.height * %d];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  document.body.append(" drawn:" + canvas.toDataURL("image/png"));
} }</script>"""


def _drawn(svgs: Sequence[str]) -> list[bytes]:
    """Each SVG as the content of a PNG file, by one start of the browser."""
    images = "".join(f'<img src="data:image/svg+xml,{quote(text)}">' for text in svgs)
    page = '<!DOCTYPE html><meta charset="utf-8">' + _SCRIPT % (_SCALE, _SCALE) + images
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        said = _run(made, page, "--dump-dom", option="--png")
    found = re.findall(rb" drawn:data:image/png;base64,([\w+/=]+)", said)
    if len(found) != len(svgs):
        raise IronlakeError(f"the browser drew {len(found)} of {len(svgs)} charts", "a browser that runs", "omit --png")
    return [base64.b64decode(content) for content in found]


def _signed(content: bytes) -> bytes:
    """A PNG with the mark of Ironlake: a text chunk after the first chunk, whose data has 13 bytes."""
    chunk = len(_SIGN).to_bytes(4, "big") + _TEXT + _SIGN + zlib.crc32(_TEXT + _SIGN).to_bytes(4, "big")
    return content[:_FIRST_CHUNK_ENDS] + chunk + content[_FIRST_CHUNK_ENDS:]


def _is_own(file: Path) -> bool:
    with file.open("rb") as stream:
        return _TEXT + _SIGN in stream.read(_FIRST_CHUNK_ENDS + 100)
