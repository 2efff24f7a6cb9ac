"""A lake at a glance: what is in it, what is missing, and what to do about it. Reads the ledger, and of parts only places and times."""
