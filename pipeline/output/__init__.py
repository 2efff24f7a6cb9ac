"""Answers to standard output, to files, and for people."""
