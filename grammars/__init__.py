"""One Lark grammar a report: which lines a page is made of, and in which order."""
