"""Charts of a page as PNG files, drawn by the installed Chrome or Chromium; offline."""

import zlib
from collections.abc import Mapping
from pathlib import Path

import plotly.graph_objects as go

from ...pipeline.errors import IronlakeError, UsageError
from .drawing import layout_of

_WIDTH = 1100
_TEXT, _SIGN = b"tEXt", b"Software\0Ironlake"
_FIRST_CHUNK_ENDS = 8 + 4 + 4 + 13 + 4
_SCALE = 2
_TITLE_PX = 44


def write_images(pictures: Mapping[str, go.Figure], folder: Path, force: bool = False) -> None:
    """Write each chart as `folder`/ID.png. Raises IronlakeError if there is no browser or the folder cannot be written, and UsageError
    for a picture there that Ironlake did not write, unless `force`."""
    import kaleido
    from kaleido.errors import ChromeNotFoundError

    if not pictures:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        files = [folder / f"{name}.png" for name in pictures]
        if not force and (others := [file for file in files if file.exists() and not _is_own(file)]):
            hint = "choose another --png, or --force to overwrite it"
            raise UsageError(f"{others[0]} is not a picture that Ironlake wrote", "a new file", hint)
        orders = [
            {
                "fig": alone(figure).to_dict(),
                "path": folder / f"{name}.png",
                "opts": {
                    "format": "png",
                    "width": _WIDTH,
                    "height": layout_of(figure).height + _TITLE_PX,
                    "scale": _SCALE,
                },
            }
            for name, figure in pictures.items()
        ]
        # mathjax would come from the network.
        kaleido.write_fig_from_object_sync(orders, kopts={"mathjax": False})
        for file in files:
            _sign(file)
    except ChromeNotFoundError:
        raise IronlakeError(
            "no browser found to draw the charts", "an installed Chrome or Chromium", "set BROWSER_PATH, or omit --png"
        ) from None
    except OSError as error:
        raise IronlakeError(f"charts cannot be written to {folder}: {error.strerror}", "a writable folder") from None


def _sign(file: Path) -> None:
    """Say in a PNG file that it is ours, as PNG has it: a chunk behind the first, which has 13 bytes."""
    content = file.read_bytes()
    chunk = len(_SIGN).to_bytes(4, "big") + _TEXT + _SIGN + zlib.crc32(_TEXT + _SIGN).to_bytes(4, "big")
    file.write_bytes(content[:_FIRST_CHUNK_ENDS] + chunk + content[_FIRST_CHUNK_ENDS:])


def _is_own(file: Path) -> bool:
    with file.open("rb") as stream:
        return _TEXT + _SIGN in stream.read(_FIRST_CHUNK_ENDS + 100)


def alone(figure: go.Figure) -> go.Figure:
    """A figure for its own file: white background, with title."""
    out = go.Figure(figure)
    out.update_layout(
        width=_WIDTH,
        height=layout_of(figure).height + _TITLE_PX,
        paper_bgcolor="#ffffff",
        plot_bgcolor="#ffffff",
        margin={"t": layout_of(figure).margin.t + _TITLE_PX, "l": 24},
        title={"x": 0.02, "y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 14}, "font": {"size": 17}},
    )
    return out
