"""The first screen of a comparison: what was found, how sure it is, what weakens it, and where the change comes from."""
