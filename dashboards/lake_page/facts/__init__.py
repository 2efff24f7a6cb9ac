"""The sections of the page of a lake: a file for each, which declares it by its own name (question.py)."""
