"""Files into the lake: joins files, reading, quality and lake."""

import os

# One thread per process: parallel work is done by processes, which must not compete for cores. Freed memory is kept for
# the next batch; by default polars returns it to the system. Here, before any module of the room imports polars.
os.environ.setdefault("POLARS_MAX_THREADS", "1")
os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:3000,muzzy_decay_ms:0")
