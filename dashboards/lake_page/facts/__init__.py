"""The facts of the page of a lake: one question of the morning per module, answered in SQL."""
