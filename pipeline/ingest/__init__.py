"""Files into the lake: joins files, reading, quality and lake."""

import os

# One thread per process: parallel work is done by processes, which must not compete for cores. Memory that polars frees is kept for half a
# second, in which a batch allocates most of it again: kept for three, it would be up to 50 MB more, and save one or two hundredths of the time.
# Here, before any module of the room imports polars.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:500,muzzy_decay_ms:0")
