"""What each family that knows time promises under the worst arrivals, item by item and in bulk."""
import bloomtime
import pytest
from arrivals import START, hostile, identity
from hypothesis import given
from hypothesis import strategies as st

AHEAD = st.sampled_from([None, 3600])


def expected(arrivals, ahead, tick=1):
    """(outcome, newest offset after it) of each arrival; `ahead` counts in ticks of so many seconds."""
    newest = arrivals[0][1]
    for _, offset in arrivals:
        ticks = offset // tick - newest // tick
        if ahead is not None and ticks > ahead // tick:
            yield "future", newest
        else:
            newest = max(newest, offset)
            yield "late" if ticks < 0 else "added", newest


def decayed(counted, item, now, half_life):
    return sum(2.0 ** -min((now - at) / half_life, 1000) for what, at in counted
               if identity(what) == identity(item))


def different(arrivals):
    return {identity(item): item for item, _ in arrivals}.values()


def record(make, arrivals, ahead):
    """Two filters of these arrivals, one filled in bulk; what they counted, and the newest offset."""
    single, bulk = make(), make()
    counted, newest = [], 0
    for (item, offset), (outcome, newest) in zip(arrivals, expected(arrivals, ahead)):
        assert single.add(item, at=START + offset) == outcome
        if outcome != "future":
            counted.append((item, offset))
    recorded = bulk.add_many([item for item, _ in arrivals], at=[START + at for _, at in arrivals])
    assert recorded == len(counted)
    assert single.losses == bulk.losses
    assert single.losses["future"] == len(arrivals) - len(counted)
    return (single, bulk), counted, newest


@given(hostile(), AHEAD)
def test_heat(arrivals, ahead):
    filters, counted, now = record(lambda: bloomtime.Heat(half_life=100, ahead=ahead), arrivals, ahead)
    for heat in filters:
        assert heat.newest.timestamp() == START + now
        listed = {identity(row.item): row.heat for row in heat.top(100, START + now)}
        for item in different(arrivals):
            truth = decayed(counted, item, now, 100)
            for answer in (heat.at(item, START + now), listed.get(identity(item), heat.at(item, START + now))):
                assert answer.lower - 1e-6 <= truth <= answer.upper + 1e-6
            assert identity(item) in listed or truth < 1e-3


@given(hostile(), AHEAD, st.integers(1, 4))
def test_hot_lists(arrivals, ahead, entries):
    filters, counted, now = record(
        lambda: bloomtime.HotList(half_life=100, entries=entries, ahead=ahead), arrivals, ahead)
    for hot in filters:
        rows = {identity(row.item): row.heat for row in hot.top(entries, START + now)}
        for item in different(arrivals):
            truth = decayed(counted, item, now, 100)
            if identity(item) in rows:
                bounds = rows[identity(item)]
                assert bounds.lower - 1e-6 <= truth <= bounds.upper + 1e-6
            else:
                assert truth <= hot.unlisted(START + now) + 1e-6


@given(hostile(), AHEAD)
def test_windows(arrivals, ahead):
    heat, bulk = (bloomtime.Heat(window=600, slots=60, ahead=ahead) for _ in range(2))
    hits, newest = [], 0
    for (item, offset), (outcome, newest) in zip(arrivals, expected(arrivals, ahead, 10)):
        became = heat.add(item, START + offset)
        assert became == outcome or (outcome, became) == ("late", "dropped_late")
        if outcome != "future":
            hits.append((item, offset))
    bulk.add_many([item for item, _ in arrivals], at=[START + at for _, at in arrivals])
    assert heat.losses == bulk.losses
    for item in different(arrivals):
        for one in (heat, bulk):
            for now in (newest, newest + 599, newest + 86_400):
                truth = sum(now - 600 < at <= now for what, at in hits if identity(what) == identity(item))
                assert one.at(item, START + now).upper >= truth
        assert heat.at(item, START + newest + 86_400).upper == 0


@given(hostile(), AHEAD)
def test_recency(arrivals, ahead):
    single, bulk = (bloomtime.Recency(window=600, ahead=ahead) for _ in range(2))
    last, newest, fresh = {}, 0, []
    for (item, offset), (outcome, newest) in zip(arrivals, expected(arrivals, ahead)):
        key = identity(item)
        new = single.add(item, at=START + offset)
        fresh.append(new)
        # A time before the newest event means the newest; the window ends there.
        if key in last and newest - 600 < last[key] and outcome != "future":
            assert not new
        if outcome != "future":
            last[key] = max(offset, last.get(key, offset)) if not new else offset
        for seen, at in last.items():
            shown = next(i for i, _ in arrivals if identity(i) == seen)
            assert single.seen(shown, START + newest) or at <= newest - 600
    assert bulk.add_many([item for item, _ in arrivals],
                         at=[START + at for _, at in arrivals]).tolist() == fresh
    assert single.losses == bulk.losses
    assert single.losses["future"] == sum(o == "future" for o, _ in expected(arrivals, ahead))
    for item in different(arrivals):
        assert not single.seen(item, START + newest + 86_400)


@given(hostile(), st.sampled_from([{}, {"partition": "1h", "retention": 2},
                                   {"partition": "1h", "ahead": "1h"}]))
def test_histories(arrivals, settings):
    single, bulk = (bloomtime.History(**settings) for _ in range(2))
    counted = []
    for item, offset in arrivals:
        outcome = single.add(item, at=START + offset)
        assert outcome in (("added", "late") if not settings
                           else ("added", "late", "dropped_late", "future"))
        if outcome in ("added", "late"):
            counted.append((item, offset))
    assert bulk.add_many([item for item, _ in arrivals],
                         at=[START + at for _, at in arrivals]) == len(counted)
    for history in (single, bulk):
        for item, offset in counted:
            found = history.seen(item, START + offset, START + offset)
            assert found is True or ("retention" in settings and found is None)
        assert history.seen("never seen") is not True


@pytest.mark.parametrize("make", [lambda: bloomtime.Heat(half_life=600),
                                  lambda: bloomtime.Heat(window=600),
                                  lambda: bloomtime.HotList(half_life=600),
                                  lambda: bloomtime.Recency(window=600),
                                  lambda: bloomtime.History()])
def test_a_quiet_month_stops_nothing(make):
    """Without `ahead` any gap is accepted: a filter that is fed by a clock may be quiet for long."""
    one = make()
    for day in (0, 3, 40, 4000):
        assert one.add("x", at=START + day * 86_400) in (True, "added")
    assert one.losses["future"] == 0
