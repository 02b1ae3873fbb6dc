"""Time-aware Bloom filters: what is hot, what was seen when, what is a duplicate, how many.

    Bloom    was it added?                 Heat, HotList  how hot is it, and what is hot?
    Recency  was it seen lately?           History        was it seen then, and when?
    Tally    how many are there?           open, profile  stores that the command writes

Times are epoch seconds, datetimes with a time zone, numpy.datetime64 or pandas Timestamps; durations
are timedeltas, seconds or text such as "10m". docs/python.md has examples.
"""
from bloomtime._answers import Count, Estimate, HotItem, HotItems, Interval, Timeline
from bloomtime._bloomtime import (Bloom, Heat, History, HotList, Recency, Tally, __version__,
                                  digest)
from bloomtime._stores import Field, Store, load, open, profile

__all__ = ["Bloom", "Count", "Estimate", "Field", "Heat", "History", "HotItem", "HotItems",
           "HotList", "Interval", "Recency", "Store", "Tally", "Timeline", "__version__", "digest",
           "load", "open", "profile"]
