"""The page of a lake: what happened in its last days, question by question."""
