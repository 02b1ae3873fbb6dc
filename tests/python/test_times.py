import datetime as dt
import math
from decimal import Decimal

import bloomtime
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

UTC = dt.timezone.utc
EPOCH = dt.datetime(1970, 1, 1, tzinfo=UTC)
pandas = pytest.importorskip("pandas")


def seen_at(at, **resolution):
    """The tick in which an event at this time is recorded."""
    history = bloomtime.History(engine="timeline_history", ticks=2**32, origin=-62_135_596_800,
                                resolution=resolution.get("resolution", 100))
    assert history.add("x", at) in ("added", "late")
    return history.first("x")


def micros(at):
    """The time of an event to the microsecond, as a Recency remembers it."""
    one = bloomtime.HotList(half_life="1h", tick=1e-6)
    one.add("x", at)
    return (one.newest - EPOCH) // dt.timedelta(microseconds=1)


@given(st.datetimes(min_value=dt.datetime(1700, 1, 1), max_value=dt.datetime(2200, 1, 1),
                    timezones=st.timezones()))
def test_aware_datetimes_are_exact(at):
    expected = (at - EPOCH) // dt.timedelta(microseconds=1)
    assert micros(at) == expected
    assert micros(pandas.Timestamp(at)) == expected


@given(st.integers(-8 * 10**15, 7 * 10**15))
def test_numbers_of_datetime64_are_exact(number):
    assert micros(np.datetime64(number, "us")) == number
    assert micros(np.datetime64(number // 1000, "ms")) == number // 1000 * 1000


@given(st.integers(-8 * 10**9, 8 * 10**9), st.integers(0, 999_999))
def test_seconds_are_rounded_to_the_nearest_microsecond(whole, part):
    seconds = whole + part / 1e6
    assert abs(micros(seconds) - (whole * 10**6 + part)) <= 1  # a float has 53 bits
    assert micros(whole) == whole * 10**6


def test_none_means_now():
    before = dt.datetime.now(UTC)
    one = bloomtime.HotList(half_life="1h", tick=1e-6)
    one.add("x")
    assert before - dt.timedelta(seconds=1) <= one.newest <= dt.datetime.now(UTC)


def test_a_naive_datetime_is_refused_with_the_reason():
    with pytest.raises(ValueError, match="without a time zone, so the moment is unknown"):
        bloomtime.Recency(window=60).add("x", at=dt.datetime(2020, 1, 1))


def test_pandas_without_a_zone_is_utc_as_in_pandas():
    assert micros(pandas.Timestamp("2020-01-01")) == micros(np.datetime64("2020-01-01"))
    assert micros(pandas.Timestamp("2020-01-01 02:00+02:00")) == micros(np.datetime64("2020-01-01"))


@pytest.mark.parametrize("at", [math.nan, math.inf, -math.inf, 1e300, 10**30, -10**13,
                                np.datetime64("NaT"), pandas.NaT, np.datetime64(2**60, "s")])
def test_impossible_times_are_refused(at):
    one = bloomtime.Recency(window=60)
    before = one.to_bytes()
    with pytest.raises((ValueError, TypeError), match="at.* (must|is NaT|is a datetime)"):
        one.add("x", at=at)
    assert one.to_bytes() == before


@pytest.mark.parametrize("at", [2**62, 213503982334602, -2**62])
@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h"])
def test_times_that_would_wrap_around_are_refused(at, unit):
    for column in (np.datetime64(at, unit), np.array([at], f"M8[{unit}]")):
        with pytest.raises(ValueError, match="at must lie in the years 1 to 9999"):
            bloomtime.Recency(window=60).add_many(["x"], at=column)


@pytest.mark.parametrize("at", ["2020-01-01", b"1", True, np.bool_(True), np.timedelta64(5, "ns"), dt.date(2020, 1, 1), [1], {}, object()])
def test_other_types_are_refused(at):
    with pytest.raises(TypeError, match="at must be"):
        bloomtime.Recency(window=60).add("x", at=at)


@pytest.mark.parametrize("span", [600, 600.0, "10m", "600s", dt.timedelta(minutes=10),
                                  np.int64(600), np.float64(600), np.float32(600), Decimal(600)])
def test_durations(span):
    assert bloomtime.Recency(window=span).window == dt.timedelta(minutes=10)


@pytest.mark.parametrize("span", [math.nan, math.inf, -1, 0, "ten", "", "10x", "\ud800", 1e13, 1e300,
                                  10**400, dt.timedelta.max, dt.timedelta.min])
def test_impossible_durations_are_refused(span):
    with pytest.raises(ValueError, match="window"):
        bloomtime.Recency(window=span)


@pytest.mark.parametrize("span", [None, [1], True, np.bool_(True), np.timedelta64(10, "m"), object(),
                                  b"10m"])
def test_durations_of_other_types_are_refused(span):
    with pytest.raises((TypeError, ValueError), match="window|last"):
        bloomtime.Recency(window=span)


@pytest.mark.parametrize("span", [-1, dt.timedelta(-1), dt.timedelta.max])
def test_no_duration_is_negative(span):
    heat = bloomtime.Heat(window=60)
    recency = bloomtime.Recency(window=60)
    for use in (lambda: bloomtime.Heat(half_life=60, ahead=span), lambda: heat.within("x", span),
                lambda: bloomtime.History(resolution=span),
                lambda: recency.posterior("x", rate=1, within=span)):
        with pytest.raises(ValueError, match="must be from 0 to 100000000 days; got"):
            use()


class Unable:
    def __index__(self):
        raise RuntimeError("no number today")


def test_errors_of_numbers_are_passed_on():
    recency = bloomtime.Recency(window=60)
    for use in (lambda: bloomtime.Recency(window=Unable()), lambda: recency.add("x", Unable()),
                lambda: recency.add(Unable()), lambda: recency.add_many(["x"], at=[Unable()])):
        with pytest.raises(RuntimeError, match="no number today"):
            use()
    assert recency.insertions == 0


COLUMNS = {
    "seconds": lambda s: [float(x) for x in s],
    "integers": lambda s: np.array(s, np.int64),
    "unsigned": lambda s: np.array(s, np.uint32),
    "floats": lambda s: np.array(s, np.float64),
    "halves": lambda s: np.array(s, np.float64)[::-1][::-1],
    "datetime64": lambda s: np.array(s, "datetime64[s]").astype("datetime64[ns]"),
    "big endian": lambda s: np.array(s, ">i8"),
    "datetimes": lambda s: [dt.datetime.fromtimestamp(x, UTC) for x in s],
    "series": lambda s: pandas.Series(pandas.to_datetime(s, unit="s")),
    "zoned series": lambda s: pandas.Series(pandas.to_datetime(s, unit="s", utc=True))
    .dt.tz_convert("Asia/Tokyo"),
    "index": lambda s: pandas.DatetimeIndex(pandas.to_datetime(s, unit="s")),
    "objects": lambda s: np.array([dt.datetime.fromtimestamp(x, UTC) for x in s], object),
}


@pytest.mark.parametrize("form", COLUMNS)
def test_columns_of_times(form):
    seconds = [1_500_000_000 + 60 * i for i in range(50)]
    items = [str(i) for i in range(50)]
    history = bloomtime.History()
    assert history.add_many(items, at=COLUMNS[form](seconds)) == 50
    for item, second in zip(items, seconds):
        assert history.first(item).timestamp() == second


@pytest.mark.parametrize("at, problem", [
    ([1.0, math.nan, 3.0], "NaN"), (np.array([1, math.nan, 3]), "NaN"), ([1.0, 2.0], "for each"),
    (np.zeros((3, 1)), "one dimension"), (np.array(["a", "b", "c"]), "array of times"),
    (np.ma.masked_array([1.0, 2, 3], [False, True, False]), "masked"),
    ({1, 2, 3}, "at must be seconds"), (dt.timedelta(1), "at must be seconds"),
    (np.array([1, 2, 10**18]), "years"), (np.array(["2020", "NaT", "2021"], "M8[s]"), "NaT"),
    ([1.0, None, 3.0], "at\\[1\\]"), (np.array([True, False, True]), "array of times")])
def test_wrong_columns_change_nothing(at, problem):
    history = bloomtime.History()
    before = history.to_bytes()
    with pytest.raises((TypeError, ValueError), match=problem):
        history.add_many(["a", "b", "c"], at=at)
    assert history.to_bytes() == before and history.records == 0
