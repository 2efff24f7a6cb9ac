"""Words for people."""


def counted(number: int, one: str, many: str = "") -> str:
    """A number of things.

    >>> counted(1, "interval"), counted(1200, "interval"), counted(2, "class", "classes")
    ('1 interval', '1,200 intervals', '2 classes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
