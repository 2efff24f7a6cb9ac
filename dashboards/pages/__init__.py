"""The contents of each page: rows of views in the order, words and tables of the page."""
