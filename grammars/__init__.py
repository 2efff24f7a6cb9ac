"""One Lark grammar a report: the lines of a page, and in which order."""
