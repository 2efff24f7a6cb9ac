"""Files into the lake: joins files, reading, quality and lake."""
