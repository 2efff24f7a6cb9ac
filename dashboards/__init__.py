"""Charts and pages, made from views only."""
