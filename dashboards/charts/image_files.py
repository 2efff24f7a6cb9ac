"""Charts of a page as PNG files: the SVG of the page, drawn by the installed Chrome or Chromium, offline."""

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
_FIRST_CHUNK_ENDS = 8 + 4 + 4 + 13 + 4
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
_SCALE = 2
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


def _browser() -> str:
    named = os.environ.get("BROWSER_PATH")
    found = next(filter(None, map(shutil.which, [named] if named else _BROWSERS)), None)
    if not found:
        raise IronlakeError(
            "no browser found to draw the charts", "an installed Chrome or Chromium", "set BROWSER_PATH, or omit --png"
        )
    return found


# When all pictures are loaded, each is drawn on a canvas and written into the page as text; then the browser prints the page.
_SCRIPT = """<script>onload = () => { for (const image of [...document.images]) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [image.width * %d, image.height * %d];
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  document.body.append(" drawn:" + canvas.toDataURL("image/png"));
} }</script>"""


def _drawn(svgs: Sequence[str]) -> list[bytes]:
    """Each SVG as the content of a PNG file, by one start of the browser."""
    browser = _browser()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as made:
        page = Path(made) / "charts.html"
        images = "".join(f'<img src="data:image/svg+xml,{quote(text)}">' for text in svgs)
        page.write_text('<!DOCTYPE html><meta charset="utf-8">' + _SCRIPT % (_SCALE, _SCALE) + images, "utf-8")
        options = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={made}/profile"]
        # A browser looks for news of its own at its start.
        options += ["--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
        options += ["--dump-dom", page.as_uri()]
        try:
            done = subprocess.run([browser, *options], capture_output=True, check=True, timeout=_PATIENCE_S)
        except subprocess.SubprocessError as error:
            raise IronlakeError(
                f"{browser} did not draw the charts: {error}", "a browser that runs", "omit --png"
            ) from None
    found = re.findall(rb" drawn:data:image/png;base64,([\w+/=]+)", done.stdout)
    if len(found) != len(svgs):
        raise IronlakeError(f"{browser} drew {len(found)} of {len(svgs)} charts", "a browser that runs", "omit --png")
    return [base64.b64decode(content) for content in found]


def _signed(content: bytes) -> bytes:
    """A PNG that says that it is ours, as PNG has it: by a chunk behind the first, which has 13 bytes."""
    chunk = len(_SIGN).to_bytes(4, "big") + _TEXT + _SIGN + zlib.crc32(_TEXT + _SIGN).to_bytes(4, "big")
    return content[:_FIRST_CHUNK_ENDS] + chunk + content[_FIRST_CHUNK_ENDS:]


def _is_own(file: Path) -> bool:
    with file.open("rb") as stream:
        return _TEXT + _SIGN in stream.read(_FIRST_CHUNK_ENDS + 100)
