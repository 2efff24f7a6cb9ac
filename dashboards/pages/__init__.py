"""What each page says: rows of views brought into the order, the words and the tables of the page."""
