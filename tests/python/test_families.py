"""What each family promises, against exact dictionaries, whatever the arrivals."""
import inspect
import math

import bloomtime
import numpy as np
import pytest
from arrivals import EVENTS, ITEMS, START, identity
from bloomtime import published
from hypothesis import given
from hypothesis import strategies as st

AHEAD = 24 * 3600


# -- Bloom ---------------------------------------------------------------------------------------

@given(st.lists(ITEMS, max_size=80), st.lists(ITEMS, max_size=20),
       st.sampled_from(["flat", "line"]))
def test_bloom_never_forgets(items, others, layout):
    bloom = bloomtime.Bloom(items=100, error=0.001, layout=layout)
    exact = set()
    for item in items:
        new = bloom.add(item)
        assert not new or identity(item) not in exact  # True is certain
        exact.add(identity(item))
    assert all(item in bloom for item in items)
    assert bloom.insertions == len(items)
    wrong = sum(item in bloom for item in others if identity(item) not in exact)
    assert wrong <= 3
    assert abs(len(bloom) - len(exact)) <= 3


def test_bloom_keeps_its_error():
    bloom = bloomtime.Bloom(items=20_000, error=0.01)
    bloom.add_many(np.arange(20_000))
    wrong = int(bloom.query_many(np.arange(10**6, 10**6 + 50_000)).sum())
    # 6 standard deviations of a binomial with p = 0.01, one more for the rounding of sizes.
    assert wrong <= 500 + 6 * (50_000 * 0.01 * 0.99) ** 0.5
    assert bloom.current_error() == pytest.approx(0.01, rel=0.1)
    assert bloom.posterior(10**9, membership=0.5) <= 1


# -- Heat ----------------------------------------------------------------------------------------

def decayed(events, item, now, half_life):
    """Sums in whole ticks of a second, as the clock of a Heat has them."""
    return sum(2 ** (-(now // 1 - at // 1) / half_life) for what, at in events
               if identity(what) == identity(item))


@given(EVENTS, st.integers(0, 4000))
def test_heat_bounds_hold(arrivals, later):
    heat = bloomtime.Heat(half_life=100)
    counted, newest = [], None
    for item, offset in arrivals:
        outcome = heat.add(item, at=START + offset)
        late = newest is not None and offset // 1 < newest // 1
        assert outcome == ("late" if late else "added")
        counted.append((item, offset))
        newest = offset if newest is None else max(newest, offset)
    now = (newest or 0) + later
    for item in {identity(i): i for i, _ in arrivals}.values():
        truth = decayed(counted, item, now, 100)
        answer = heat.at(item, START + now)
        assert answer.lower - 1e-6 <= truth <= answer.upper + 1e-6
        assert answer.lower <= answer <= answer.upper
        assert isinstance(answer, float) and answer + 0 == answer.value
    rows = heat.top(200, START + now)
    listed = {identity(row.item): row for row in rows}
    for item in {identity(i): i for i, _ in arrivals}.values():
        truth = decayed(counted, item, now, 100)
        if truth > 1e-3:
            row = listed[identity(item)]
            assert row.heat.lower - 1e-6 <= truth <= row.heat.upper + 1e-6
            assert type(row.item) is type(item) or isinstance(item, bytes)


@given(EVENTS, st.integers(0, 700))
def test_windows_count_every_hit_of_the_window(arrivals, later):
    heat = bloomtime.Heat(window=600, slots=60)
    assert heat.engine == "window_table"
    hits, newest = [], 0
    for item, offset in arrivals:
        if heat.add(item, at=START + offset) in ("added", "late"):
            hits.append((item, offset))
        newest = max(newest, offset) if hits else newest
    now = max([offset for _, offset in hits], default=0) + later
    for item in {identity(i): i for i, _ in arrivals}.values():
        truth = sum(now - 600 < at <= now for what, at in hits
                    if identity(what) == identity(item))
        assert heat.at(item, START + now).upper >= truth
        assert heat.within(item, "5m", START + now).upper >= sum(
            now - 300 < at <= now for what, at in hits if identity(what) == identity(item))


def test_events_of_the_future_are_refused_and_counted():
    heat = bloomtime.Heat(half_life=60, ahead="1h")
    assert heat.add("x", START) == "added"
    assert heat.add("x", START + 7200) == "future"
    assert heat.losses["future"] == 1
    assert heat.at("x", START).value == pytest.approx(1, abs=0.01)
    assert heat.add_many(["x", "y"], at=[START + 7200, START]) == 1


def test_a_window_keeps_no_list():
    with pytest.raises(ValueError, match="make it with top=100"):
        bloomtime.Heat(window=60).top()
    with pytest.raises(ValueError, match="top needs half_life"):
        bloomtime.Heat(window=60, top=10)


@pytest.mark.parametrize("make", [bloomtime.Heat, bloomtime.HotList])
def test_numbers_of_rows(make):
    one = make(half_life=60)
    one.add_many(["x", "y"], at=START)
    assert one.top(0, START) == [] and len(one.top(10**9, START)) == 2
    for rows, kind in ((-1, ValueError), (2**64, ValueError), ("a", TypeError), (1.0, TypeError)):
        with pytest.raises(kind, match="n must be a whole number"):
            one.top(rows)


# -- HotList -------------------------------------------------------------------------------------

@given(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 300)), max_size=120),
       st.integers(1, 8))
def test_hot_lists_bound_what_they_list_and_what_they_do_not(arrivals, entries):
    hot = bloomtime.HotList(entries=entries, half_life=60)
    for item, offset in arrivals:
        hot.add(item, at=START + offset)
    now = max([offset for _, offset in arrivals], default=0)
    rows = {row.item: row for row in hot.top(entries, START + now)}
    assert len(rows) == len(hot) <= entries
    for item in range(31):
        truth = decayed(arrivals, item, now, 60)
        if item in rows:
            heat = rows[item].heat
            assert heat.lower - 1e-6 <= truth <= heat.upper + 1e-6
        else:
            assert truth <= hot.unlisted(START + now) + 1e-6


def test_items_of_a_list_come_back_as_they_were():
    hot = bloomtime.HotList(half_life=60)
    items = ["str", 7, -7, 2**64 - 1, "7", b"\xff\xfe", "\u00e9", ""]
    for item in items:
        hot.add(item, START)
    back = [row.item for row in hot.top(20, START)]
    assert {(type(item), item if item != -7 else -7) for item in back} == \
        {(type(item), item) for item in items}


# -- History -------------------------------------------------------------------------------------

@given(EVENTS, st.integers(-4000, 8000), st.integers(0, 4000), st.sampled_from([1, 7, 60]))
def test_a_history_never_denies_a_sighting(arrivals, start, length, resolution):
    history = bloomtime.History(resolution=resolution)
    for item, offset in arrivals:
        assert history.add(item, at=START + offset) in ("added", "late")
    start, end = START + start, START + start + length
    items = list({identity(i): i for i, _ in arrivals}.values())
    truth = [any(start <= START + at <= end for what, at in arrivals
                 if identity(what) == identity(item)) for item in items]
    many = history.query_many(items, start, end)
    for item, seen, answer in zip(items, truth, many):
        assert history.seen(item, start, end) is bool(answer)
        assert answer or not seen
        times = sorted(at for what, at in arrivals if identity(what) == identity(item))
        intervals = history.intervals(item)
        assert history.first(item) == intervals[0].start
        for at in times:
            assert any(i.start.timestamp() <= START + at < i.end.timestamp() for i in intervals)
        counts, edges = history.histogram(item, bins=10)
        ticks = {(START + at) // resolution for at in times}
        assert counts.sum() == len(ticks) and len(edges) == len(counts) + 1
    assert history.seen("never seen", start, end) is False


def test_time_that_was_dropped_is_not_denied():
    history = bloomtime.History(partition="1h", retention=2)
    history.add("x", START)
    for hour in range(10, 14):
        history.add("y", START + hour * 3600)
    assert history.seen("x", START, START) is None
    assert history.seen("y", START + 13 * 3600, START + 13 * 3600) is True
    assert history.query_many(["x", "y"]).tolist() == [False, True]
    assert history.kept_from.timestamp() > START
    history.trim(START + 30 * 3600)
    assert history.seen("y") is None


@pytest.mark.parametrize("make", [published.single_history, published.tree_history,
                                  published.level_history])
def test_published_histories_never_deny_either(make):
    sizes = {"items": 20} if make is not published.single_history else {}
    history = make(ticks=256, pairs=200, error=0.01, origin=START, **sizes)
    events = [(f"i{n % 20}", n % 256) for n in range(0, 2000, 7)]
    for item, tick in events:
        assert history.add(item, START + tick) in ("added", "late")
    for item, tick in events:
        assert history.seen(item, START + tick, START + tick)
        assert history.seen(item, START + max(tick - 9, 0), START + tick)
    with pytest.raises(ValueError, match="cannot"):
        history.intervals("i1")


# -- Recency -------------------------------------------------------------------------------------

@given(EVENTS, st.booleans(), st.integers(0, 900))
def test_recency_never_denies_what_is_in_the_window(arrivals, refresh, later):
    recency = bloomtime.Recency(window=600, refresh=refresh)
    newest, started = None, {}
    for item, offset in arrivals:
        newest = offset if newest is None else max(newest, offset)
        new = recency.add(item, at=START + offset)
        key = identity(item)
        begun = started.get(key)
        # The events of the window before the newest event count.
        if begun is not None and newest - 600 < begun:
            assert not new
        if begun is None or refresh or new:
            started[key] = max(offset, started.get(key, offset)) if refresh or begun is None \
                else offset
    now = (newest or 0) + later
    for item, _ in arrivals:
        begun = started[identity(item)]
        if refresh and now - 600 < begun:
            assert recency.seen(item, START + now)
            youngest, oldest = recency.age(item, START + now)
            assert youngest.total_seconds() - 1e-6 <= now - begun + 1e-6
    assert not recency.seen("never seen", START + now)
    assert recency.age("never seen", START + now) is None


@given(st.lists(ITEMS, max_size=100), st.integers(1, 30))
def test_windows_of_insertions(items, last):
    recency = bloomtime.Recency(last=last)
    for number, item in enumerate(items):
        recent = {identity(i) for i in items[max(0, number - last):number]}
        new = recency.add(item)
        assert not (new and identity(item) in recent)
    for item in items[-last:]:
        assert item in recency
        youngest, oldest = recency.age(item)
        truth = next(n for n, other in enumerate(reversed(items))
                     if identity(other) == identity(item))
        assert youngest <= truth <= oldest
    assert recency.window == last and recency.insertions <= len(items)


def test_a_posterior_is_a_probability_and_follows_the_prior():
    timing = published.timing_filter(last=1000, error=0.01)
    timing.add_many(np.arange(1500))
    assert timing.posterior(1400, share=1e-3) > timing.posterior(1400, share=1e-5) > 0
    assert timing.posterior(10**9, share=0.0) == 0
    assert timing.decide(1499, share=0.01)
    assert not timing.decide(1499, share=1e-9, false_positive=1e9)
    table = bloomtime.Recency(window=600)
    table.add("x", START)
    assert table.posterior("x", START, rate=0.1) > 0.9
    with pytest.raises(ValueError, match="give one of share"):
        timing.posterior(1)
    with pytest.raises(ValueError, match="give one of share"):
        timing.posterior(1, share=0.1, rate=0.1)
    for prior in ({"share": math.nan}, {"rate": math.nan}):
        with pytest.raises(ValueError, match="must be a number; got NaN"):
            table.posterior("x", START, **prior)
        with pytest.raises(ValueError, match="must be a number; got NaN"):
            table.decide("x", START, **prior)


# -- Tally ---------------------------------------------------------------------------------------

@given(st.lists(st.tuples(ITEMS, st.integers(-20, 40)), max_size=80),
       st.sampled_from(["tally_table", "tally_filter"]))
def test_counts_are_never_too_low(changes, engine):
    tally = bloomtime.Tally(items=100, error=0.001, engine=engine)
    exact = {}
    for item, amount in changes:
        key, there = identity(item), exact.get(identity(item), 0)
        if amount >= 0:
            assert tally.add(item, amount) == "added"
            exact[key] = there + amount
        elif there >= -amount:
            assert tally.remove(item, -amount) == "removed"
            exact[key] = there + amount
    for item, _ in changes:
        answer = tally[item]
        assert answer.lower <= answer <= answer.upper
        assert answer.upper >= exact.get(identity(item), 0)
        assert (item in tally) or not exact.get(identity(item))
    right = sum(tally[item] == exact.get(identity(item), 0) for item, _ in changes)
    assert right >= len(changes) - 3
    assert tally.total == sum(exact.values())


def test_more_than_there_is_cannot_be_removed():
    tally = bloomtime.Tally()
    tally.add("x", 2)
    before = tally.to_bytes()
    assert tally.remove("x", 3) == "refused"
    assert tally.remove("y") == "refused"
    assert tally.to_bytes() == before and tally.losses["refused"] == 2
    with pytest.raises(ValueError, match="cannot remove|remov"):
        bloomtime.Tally(engine="rising_tally", items=10, error=0.1).remove("x")


def test_large_counts_are_exact():
    tally = bloomtime.Tally()
    tally.add("x", 2**63)
    tally.add("x", 2**63 - 1)
    assert tally["x"] == 2**64 - 1 and type(tally["x"] + 0) is int
    for count in (-1, 2**64, 1.0, "1", None, True):
        with pytest.raises((TypeError, ValueError), match="count must be a whole number"):
            tally.add("x", count)


# -- merging -------------------------------------------------------------------------------------

@given(EVENTS, EVENTS)
def test_a_union_knows_what_both_knew(left, right):
    pairs = [(bloomtime.Bloom(items=100, error=0.01), bloomtime.Bloom(items=100, error=0.01)),
             (bloomtime.History(), bloomtime.History()),
             (bloomtime.Recency(window=86400), bloomtime.Recency(window=86400)),
             (bloomtime.Tally(), bloomtime.Tally())]
    for a, b in pairs:
        timed = isinstance(a, (bloomtime.History, bloomtime.Recency))
        for one, events in ((a, left), (b, right)):
            for item, offset in events:
                one.add(item, START + offset) if timed else one.add(item)
        both = a | b
        a |= b
        assert both.to_bytes() == a.to_bytes()
        for item, _ in [*left, *right]:
            if isinstance(a, bloomtime.History):
                assert a.seen(item)
            elif isinstance(a, bloomtime.Recency):
                assert a.seen(item, START)
            else:
                assert item in a
    heat = [bloomtime.Heat(half_life=60) for _ in range(2)]
    for one, events in zip(heat, (left, right)):
        for item, offset in events:
            one.add(item, START + offset)
    sum_of = heat[0] | heat[1]
    now = max([offset for _, offset in left + right], default=0)
    for item, _ in left + right:
        assert sum_of.at(item, START + now).upper >= decayed(left + right, item, now, 60) - 1e-6


def test_unequal_filters_do_not_merge_and_stay_as_they_were():
    bloom = bloomtime.Bloom(items=100, error=0.01)
    bloom.add("x")
    before = bloom.to_bytes()
    with pytest.raises(ValueError, match="seed|bits"):
        bloom |= bloomtime.Bloom(items=100, error=0.01, seed=1)
    with pytest.raises(TypeError):
        bloom.merge(bloomtime.Tally())
    assert bloom.to_bytes() == before
    bloom |= bloom
    assert "x" in bloom


# -- parameters ----------------------------------------------------------------------------------

@pytest.mark.parametrize("make, problem", [
    (lambda: bloomtime.Bloom(item=10), "Bloom has no parameter item; .* Did you mean items"),
    (lambda: bloomtime.Bloom(10, 0.1), r"by name, as in Bloom\(items="),
    (lambda: bloomtime.Bloom(items=10, error="1%"), "error must be a number"),
    (lambda: bloomtime.Heat(engine=7, half_life=1), "engine must be a str"),
    (lambda: bloomtime.Recency(window=60, refresh=1), "refresh must be True or False"),
    (lambda: bloomtime.Tally(items=1.5), "items must be a whole number")])
def test_wrong_types_of_parameters(make, problem):
    with pytest.raises(TypeError, match=problem):
        make()


@pytest.mark.parametrize("call, problem", [
    (lambda r: r.add(), r"add\(\) needs item"),
    (lambda r: r.add(at=1), r"add\(\) needs item"),
    (lambda r: r.add("x", 1, 2), r"add\(\) takes at most 2 arguments; got 3"),
    (lambda r: r.add("x", item="y"), r"add\(\) got item twice"),
    (lambda r: r.add("x", time=1), r"add\(\) has no argument 'time'; it has item, at"),
    (lambda r: r.add("x", **{"a" + "t\ud800": 1}), "has no argument"),
    (lambda r: bloomtime.Recency.add("x"), "'Recency'|Recency"),
    (lambda r: bloomtime.Recency.add(bloomtime.Tally(), "x"), "Recency"),
    (lambda r: bloomtime.Recency.__new__(bloomtime.Recency).add("x"), "was not called"),
    (lambda r: bloomtime.Recency.__contains__(r), "needs item")])
def test_wrong_arguments_of_single_calls(call, problem):
    recency = bloomtime.Recency(window=60)
    before = recency.to_bytes()
    with pytest.raises(TypeError, match=problem):
        call(recency)
    assert recency.to_bytes() == before


def test_arguments_of_single_calls_by_name():
    tally = bloomtime.Tally()
    name = "".join(["co", "unt"])  # a str that is not interned
    assert tally.add(**{name: 3, "item": "x"}) == tally.add(item="x", count=2) == "added"
    assert tally["x"] == 5
    assert str(inspect.signature(bloomtime.Heat.add)) == "(self, /, item, at=None, weight=1)"


class Named(bloomtime.Tally):
    def __init__(self, name):
        super().__init__()
        self.name = name


def test_classes_may_be_derived():
    named = Named("fruit")
    assert named.add("apple") == "added" and named["apple"] == 1 and "apple" in named


@pytest.mark.parametrize("make, problem", [
    (lambda: bloomtime.Bloom(items=-1, error=0.1), "items must be a whole number from 0"),
    (lambda: bloomtime.Bloom(items=10**30, error=0.1), "items must be a whole number from 0"),
    (lambda: bloomtime.Bloom(items=10, error=float("nan")), "NaN"),
    (lambda: bloomtime.Bloom(items=10, error=2.0), "error"),
    (lambda: bloomtime.Bloom(), "error|memory"),
    (lambda: bloomtime.Bloom(items=10, memory="10 apples"), "memory"),
    (lambda: bloomtime.Heat(), "half_life|half-life"),
    (lambda: bloomtime.Heat(half_life=1, engine="oven"), "there is no engine 'oven'"),
    (lambda: bloomtime.Heat(half_life=1, window=2), "window"),
    (lambda: bloomtime.Recency(), "window"),
    (lambda: bloomtime.Tally(engine="counting_filter", items=9, error=0.1, total=5), "total")])
def test_wrong_values_of_parameters(make, problem):
    with pytest.raises(ValueError, match=problem):
        make()


def test_sizes_may_be_text():
    small = bloomtime.Bloom(items=1000, memory="64KiB")
    assert small.memory == 65536
    assert bloomtime.Bloom(items=1000, memory=65536).memory == small.memory


def test_filters_are_not_iterated_by_number():
    for one in (bloomtime.Heat(half_life=1), bloomtime.Tally(), bloomtime.HotList(half_life=1)):
        with pytest.raises(TypeError):
            iter(one)
    with pytest.raises(TypeError):
        "x" in bloomtime.Heat(half_life=1)
