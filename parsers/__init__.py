"""One module per report. Modules with a leading underscore are shared by reports."""

from ..pipeline.plugins import own

# A report of the user is a module of this package: its imports are those of a report that comes along.
__path__.extend(map(str, own("parsers")))
