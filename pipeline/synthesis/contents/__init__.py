"""The content of each report as plain data: one object per report, in printed units, one number per interval.

A number is an array with one value per interval, or a plain number for all. Only independent numbers are stored; rates, shares and
totals are computed properties, so a page is consistent.
"""

from .cics import CicsDb2, CommandThreads, Db2Entry, Threads
from .common import Intervals, Numbers
from .coupling_facility import CouplingFacility, FromSystem, Links, StorageClassMemory, Structure, Timed
from .db2 import Block, BufferPool, Counter, Db2Statistics, GroupBufferPool, Locking, group_of
from .devices import ControlUnit, DeviceActivity, Volume
from .group_capacity import CapacityGroup, GroupCapacity, GroupMember
from .partitions import Partition, PartitionData
from .processors import CpuActivity, Processor
from .simulator import SimulatorRun
from .work_units import AddressSpaces, BlockedWork, LoadAnalysis, ReadyQueue, Sampled
from .workload import (
    Category,
    Goal,
    OnSystem,
    Period,
    PolicySystem,
    ReportClass,
    ServiceClass,
    ServicePolicy,
    Work,
    WorkloadActivity,
    add,
)
from .xcf import ClassOut, PathIn, PathOut, SystemIn, XcfActivity

__all__ = [
    "AddressSpaces",
    "Block",
    "BlockedWork",
    "BufferPool",
    "CapacityGroup",
    "Category",
    "CicsDb2",
    "ClassOut",
    "CommandThreads",
    "ControlUnit",
    "Counter",
    "CouplingFacility",
    "CpuActivity",
    "Db2Entry",
    "Db2Statistics",
    "DeviceActivity",
    "FromSystem",
    "Goal",
    "GroupBufferPool",
    "GroupCapacity",
    "GroupMember",
    "Intervals",
    "Links",
    "LoadAnalysis",
    "Locking",
    "Numbers",
    "OnSystem",
    "Partition",
    "PartitionData",
    "PathIn",
    "PathOut",
    "Period",
    "PolicySystem",
    "Processor",
    "ReadyQueue",
    "ReportClass",
    "Sampled",
    "ServiceClass",
    "ServicePolicy",
    "SimulatorRun",
    "StorageClassMemory",
    "Structure",
    "SystemIn",
    "Threads",
    "Timed",
    "Volume",
    "Work",
    "WorkloadActivity",
    "XcfActivity",
    "add",
    "group_of",
]
