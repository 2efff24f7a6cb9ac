"""The first screen of a comparison: the finding, how sure it is, its weaknesses, and where the change comes from."""
