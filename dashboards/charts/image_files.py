"""Charts of a page as PNG files, drawn by the installed Chrome or Chromium; offline."""

from collections.abc import Mapping
from pathlib import Path

import plotly.graph_objects as go

from ...pipeline.errors import IronlakeError
from .drawing import layout_of

_WIDTH = 1100
_SCALE = 2
_TITLE_PX = 44


def write_images(pictures: Mapping[str, go.Figure], folder: Path) -> None:
    """Write each chart as `folder`/ID.png. Raises IronlakeError if there is no browser or the folder cannot be written."""
    import kaleido
    from kaleido.errors import ChromeNotFoundError

    if not pictures:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
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
    except ChromeNotFoundError:
        raise IronlakeError(
            "no browser found to draw the charts", "an installed Chrome or Chromium", "set BROWSER_PATH, or omit --png"
        ) from None
    except OSError as error:
        raise IronlakeError(f"charts cannot be written to {folder}: {error.strerror}", "a writable folder") from None


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
