"""What rows of CICS share: a region, and five minutes of it."""

import datetime as dt

from views_lake import START

END = START + dt.timedelta(minutes=5)
COLLECTED = {"applid": "CICSA", "collection": "interval", "collected_at": END, "interval_s": 300.0}
SPAN = {"applid": "CICSA", "begin_at": START, "end_at": END, "interval_s": 300.0, "transaction": "ORDR"}
