"""Rows by declared column become print lines, and lines pages: the mirror of reading/."""
