"""An exact model beside the server: what was added is found, whatever happened in between."""
import math
import random

import servers
from reply_checks import START

checks = []


def check(function):
    checks.append(function)
    return function


@check
def recency_has_no_false_negative(primary, _replica):
    client = primary.client()
    draw = random.Random(11)
    for window in (1_000, 60_000, 86_400_000):
        key, now, last, false = f"r{window}", START, {}, 0
        asked = 0
        for _ in range(60):
            # Steps of all sizes: within a tick, exactly a window, and gaps of many windows.
            now += draw.choice([0, 1, window // 100, window // 2, window - 1, window, window + 1,
                                window * 7])
            items = [f"item {draw.randrange(400)}" for _ in range(draw.randrange(1, 30))]
            new = client("RECENCY.INSERT", key, "WINDOW", window, "TIMESTAMP", now, "ITEMS",
                         *items)
            for item, said in zip(items, new, strict=True):
                seen = item in last and now - last[item] < window
                assert not (seen and said), (window, item, now)
                false += not seen and not said
                asked += not seen
                last[item] = now
            at = now + draw.choice([0, window // 3, window - 1])
            names = [f"item {i}" for i in range(400)]
            answers = client.pipeline([("RECENCY.EXISTS", key, n, "AT", at) for n in names])
            for item, said in zip(names, answers, strict=True):
                if item in last and at - last[item] < window:
                    assert said, (window, item, at - last[item])
        # A new item is taken for a seen one by error, or if it left the window a tick ago.
        assert asked > 500 and false < asked / 5, (false, asked)


@check
def history_has_no_false_negative(primary, _replica):
    client = primary.client()
    draw = random.Random(12)
    seen = {}
    now = START
    for _ in range(150):
        now += draw.choice([0, 1, 999, 1000, 60_000, 3_600_000, 90_000_000])
        pairs = []
        for _ in range(draw.randrange(1, 12)):
            item, late = f"item {draw.randrange(60)}", draw.choice([0, 0, 500, 5000])
            seen.setdefault(item, []).append(now - late)
            pairs += [now - late, item]
        client("HISTORY.MADDAT", "y", *pairs)
    wrong = asked = 0
    for _ in range(3000):
        item = f"item {draw.randrange(80)}"
        begin = START + draw.randrange(now - START)
        end = begin + draw.choice([0, 1000, 3_600_000])
        said = client("HISTORY.EXISTS", "y", item, begin, end)
        # In whole granules of a second.
        truth = any(begin // 1000 <= t // 1000 <= end // 1000 for t in seen.get(item, []))
        assert said or not truth, (item, begin, end)
        wrong += said and not truth
        asked += not truth
    assert wrong <= asked // 50, (wrong, asked)
    for item, times in seen.items():
        assert client("HISTORY.FIRST", "y", item) <= min(times)
        assert client("HISTORY.LAST", "y", item) >= max(times) // 1000 * 1000


@check
def replicas_that_reload_have_the_same_intervals(primary, replica):
    """Partitions are joined and compacted at other moments then, which changes bytes only."""
    client, copy = primary.client(), replica.client()
    draw = random.Random(17)
    day, newest = 86_400_000, START
    for i in range(300):
        newest += draw.choice([0, 1000, 3_600_000, day])
        at = newest - draw.choice([0, 0, 5000, 3 * day, 20 * day])
        client("HISTORY.MADDAT", "y", at, f"item {draw.randrange(40)}", newest, "a")
        if i % 50 == 25:
            servers.caught_up(client, copy)
            assert copy("DEBUG", "RELOAD") == "OK"
    servers.caught_up(client, copy)
    for item in ("a", *(f"item {i}" for i in range(40))):
        words = ("HISTORY.RANGES", "y", item, "-", "+")
        assert client(*words) == copy(*words) != [], item


@check
def tallies_are_never_too_low(primary, _replica):
    client = primary.client()
    draw = random.Random(13)
    counts = {}
    for _ in range(3000):
        item, amount = f"item {draw.randrange(500)}", draw.randrange(1, 1000)
        if draw.random() < 0.4 and counts.get(item, 0) >= amount:
            assert client("TALLY.DEL", "t", item, "BY", amount) == 1
            counts[item] -= amount
        else:
            client("TALLY.ADD", "t", item, "BY", amount)
            counts[item] = counts.get(item, 0) + amount
    names = list(counts)
    answers = client("TALLY.MCOUNT", "t", *names)
    exact = 0
    for item, said in zip(names, answers, strict=True):
        assert said >= counts[item], (item, said, counts[item])
        exact += said == counts[item]
    assert exact >= len(names) * 0.98, exact


@check
def heat_stays_within_its_bounds(primary, _replica):
    client = primary.client()
    draw = random.Random(14)
    half_life, now, hits = 600_000, START, {}
    for _ in range(2000):
        now += draw.choice([0, 10, 1000, 30_000])
        item = f"item {int(draw.expovariate(0.03))}"
        client("HEAT.INSERT", "h", "HALFLIFE", half_life, "TIMESTAMP", now, "ITEMS", item)
        hits.setdefault(item, []).append(now)
    # The server counts time in whole seconds.
    truth = {item: sum(math.exp2(-(now // 1000 - t // 1000) * 1000 / half_life) for t in times)
             for item, times in hits.items()}
    names = list(truth)
    low = 0
    answers = client("HEAT.QUERY", "h", "AT", now, "WITHBOUNDS", "ITEMS", *names)
    for item, (_, lower, upper) in zip(names, answers, strict=True):
        assert float(upper) >= truth[item] * (1 - 1e-6), (item, upper, truth[item])
        low += float(lower) <= truth[item] * (1 + 1e-6)
    assert low >= len(names) * 0.95, (low, len(names))
    hottest = sorted(truth, key=truth.get, reverse=True)[:3]
    listed = [name.decode() for name in client("HEAT.LIST", "h", "COUNT", 10, "AT", now)]
    assert set(hottest) <= set(listed), (hottest, listed)


@check
def limits_count_exactly(primary, _replica):
    client = primary.client()
    draw = random.Random(15)
    now, passed = START, []
    for _ in range(500):
        now += draw.choice([0, 100, 1000, 5000])
        said = client("HEAT.ADD", "w", "ip", "LIMIT", 5, "WITHIN", "1m", "TIMESTAMP", now)
        # A window is 60 whole seconds or slightly more, so that it never lets too much through.
        recent = [t for t in passed if now - t < 60_000]
        if said is not None:
            assert len(recent) < 5, (now, recent)
            passed.append(now)
        else:
            assert len([t for t in passed if now - t < 63_000]) >= 5, (now, passed[-6:])


@check
def probabilities_within_a_part_of_the_window(primary, _replica):
    """Sightings of rate r: P(age < w) is known if the age is known to lie in an interval."""
    client = primary.client()
    client("RECENCY.INSERT", "r", "ERROR", 1e-9, "WINDOW", 64_000, "TIMESTAMP", START, "ITEMS", "x")
    for at in (START + 500, START + 20_250, START + 60_000):
        youngest, oldest = client("RECENCY.AGE", "r", "x", "AT", at)
        for prior in (0.1, 0.5, 0.99):
            rate = -math.log1p(-prior) / 64_000
            before = lambda t, r=rate: -math.expm1(-r * t)  # noqa: E731
            for within in (1, 100, 500, 1_000, 20_000, 20_800, 21_000, 60_500, 64_000):
                words = ("PRIOR", prior, "WITHIN", within, "AT", at, "ITEMS", "x", "stranger")
                seen, other = map(float, client("RECENCY.PROB", "r", *words))
                inside = before(min(max(within, youngest), oldest)) - before(youngest)
                share = inside / (before(oldest) - before(youngest))
                assert abs(seen - share) < 2e-3, (at, prior, within, seen, share)
                assert other == 0, other
                decided = client("RECENCY.DECIDE", "r", "COSTFP", 1, "COSTFN", 1, *words)
                assert decided[0][0] == (seen >= 0.5) and float(decided[0][1]) == seen, decided
        assert (client("RECENCY.PROB", "r", "WITHIN", "64s", "AT", at, "ITEMS", "x") ==
                client("RECENCY.PROB", "r", "AT", at, "ITEMS", "x"))
