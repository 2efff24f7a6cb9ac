"""What may leave the site: anonymised pages and bug reports."""
