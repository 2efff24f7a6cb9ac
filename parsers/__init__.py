"""One module per report. Modules with a leading underscore are shared by reports."""
