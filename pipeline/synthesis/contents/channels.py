"""Content of RMF Channel Path Activity of a system: channel paths to disks, to networks and to coupling facilities.

Source of the names: IBM z/OS RMF Report Analysis, "Channel Path Activity report".
"""

from dataclasses import dataclass

from .common import Intervals, Numbers


@dataclass(frozen=True)
class Use:
    """How much of a channel path somebody uses: busy, and megabytes per second read and written."""

    busy_pct: Numbers = 0
    read_mb_per_s: Numbers = 0
    write_mb_per_s: Numbers = 0


@dataclass(frozen=True)
class ChannelPath:
    """A channel path: `partition` is what the printing system uses of it, `machine` what all systems do. `kind`: FC_S (FICON), OSD, CS5.
    Of FICON: operations of the machine per second, and at the same time; those of zHPF apart."""

    number: str
    kind: str
    partition: Use = Use()
    machine: Use = Use()
    bus_pct: Numbers = 0
    generation: int | None = None
    speed: str = ""
    shared: bool = True
    ficon_per_s: Numbers = 0
    ficon_active: Numbers = 0
    zhpf_per_s: Numbers = 0
    zhpf_active: Numbers = 0

    @property
    def family(self) -> str:
        """Channel paths with the same heading: FC, OS, or CF for those to coupling facilities."""
        return self.kind[:2] if self.kind.startswith(("FC", "OS")) else "CF"


@dataclass(frozen=True)
class ChannelActivity:
    """The Channel Path Activity report of a system."""

    system: str
    release: str
    intervals: Intervals
    paths: tuple[ChannelPath, ...]
