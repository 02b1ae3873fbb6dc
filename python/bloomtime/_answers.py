"""Answers of the filters as Python objects."""
from collections import namedtuple


class Estimate(float):
    """A number with bounds: lower <= truth <= upper. It behaves as the float `value`."""

    __slots__ = ("lower", "upper")

    def __new__(cls, value, lower, upper):
        self = super().__new__(cls, value)
        self.lower = lower
        self.upper = upper
        return self

    @property
    def value(self):
        return float(self)

    def __reduce__(self):
        return Estimate, (float(self), self.lower, self.upper)

    def __repr__(self):
        return f"Estimate({float(self):g}, lower={self.lower:g}, upper={self.upper:g})"

    __str__ = __repr__


class Count(int):
    """A count with bounds: lower <= truth <= upper. It behaves as the int `value`."""

    def __new__(cls, value, lower, upper, saturated=False):
        self = super().__new__(cls, value)
        self.lower = lower
        self.upper = upper
        self.saturated = saturated
        return self

    @property
    def value(self):
        return int(self)

    def __reduce__(self):
        return Count, (int(self), self.lower, self.upper, self.saturated)

    def __repr__(self):
        return f"Count({int(self)}, lower={self.lower}, upper={self.upper})"

    __str__ = __repr__


Interval = namedtuple("Interval", "start end")
Interval.__doc__ = "A stretch of sightings. `end` is the first moment after it."


class HotItem(namedtuple("HotItem", "item heat guaranteed trend recent cut total first_seen",
                         defaults=(None, None))):
    """A row of a list of hot items.

    item        a str, bytes or int; its first 1024 bytes if `cut` is true
    heat        an Estimate
    guaranteed  whether it is certainly one of the first n
    trend       recent rate over rate: 1 if steady, above 1 if rising
    recent      events per bucket since it was last listed, oldest first
    total       a Count of all its events, in stores that keep totals
    first_seen  a datetime, if the items are ordered by it
    """

    __slots__ = ()


class HotItems(list):
    """Hot items, the hottest first: a list of HotItem."""

    def __init__(self, rows=(), at=None):
        super().__init__(rows)
        self.at = at

    def __getitem__(self, index):
        rows = super().__getitem__(index)
        return HotItems(rows, self.at) if isinstance(index, slice) else rows

    def to_frame(self):
        """The rows as a pandas DataFrame."""
        import pandas

        columns = {"item": [row.item for row in self],
                   "heat": [row.heat.value for row in self],
                   "lower": [row.heat.lower for row in self],
                   "upper": [row.heat.upper for row in self],
                   "guaranteed": [row.guaranteed for row in self],
                   "trend": [row.trend for row in self]}
        if any(row.total is not None for row in self):
            columns["total"] = [row.total for row in self]
        if any(row.first_seen is not None for row in self):
            columns["first_seen"] = [row.first_seen for row in self]
        return pandas.DataFrame(columns)

    def plot(self, ax=None):
        """A bar for each item, with its bounds. Needs matplotlib."""
        from bloomtime import _show

        return _show.plot_hot(self, ax)

    def _repr_html_(self):
        from bloomtime import _show

        return _show.hot_html(self)


class Timeline(namedtuple("Timeline", "item intervals counts edges resolution")):
    """When an item was seen.

    intervals   a list of Interval
    counts      in how many ticks of each bin it was seen, as an array
    edges       the borders of the bins, as an array of datetime64 in UTC, one more
    resolution  the length of a tick, as a timedelta
    """

    __slots__ = ()

    def plot(self, ax=None):
        """The counts over time. Needs matplotlib."""
        from bloomtime import _show

        return _show.plot_timeline(self, ax)

    def _repr_html_(self):
        from bloomtime import _show

        return _show.timeline_html(self)
