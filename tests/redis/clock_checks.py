"""A server's clock that is behind the newest event, and items that occur several times."""
import time

from refusal_checks import refused
from reply_checks import START
from servers import caught_up

checks = []
AHEAD_MS = 50000  # within bloomtime.max-future-skew-ms


def check(function):
    checks.append(function)
    return function


def same_on_replica(primary, replica, key):
    ours, theirs = primary.client(), replica.client()
    caught_up(ours, theirs)
    assert ours("DEBUG", "DIGEST-VALUE", key) == theirs("DEBUG", "DIGEST-VALUE", key), key


@check
def adding_with_a_clock_set_back(primary, replica):
    client = primary.client()
    ahead = int(time.time() * 1000) + AHEAD_MS
    for engine in ("recency_table", "recency_filter", "age_partitioned_filter"):
        client("RECENCY.RESERVE", engine, "0.001", 1000, "WINDOW", 1000, "ENGINE", engine)
        assert client("RECENCY.ADD", engine, "a", "TIMESTAMP", ahead) == 1
        assert client("RECENCY.ADD", engine, "b") == 1
        assert client("RECENCY.MADD", engine, "b", "c") == [0, 1]
        assert client("RECENCY.EXISTS", engine, "c") == 1
        refused(client, "RECENCY.ADD", engine, "d", "TIMESTAMP", ahead - AHEAD_MS, key=engine,
                says="older than retention")
        same_on_replica(primary, replica, engine)
    limit = ("LIMIT", 2, "WITHIN", 1000)
    assert client("HEAT.ADD", "w", "a", *limit, "TIMESTAMP", ahead) == b"1"
    assert [client("HEAT.ADD", "w", "b", *limit) for _ in range(3)] == [b"1", b"2", None]
    assert client("HEAT.MADD", "w", "c", "c") == [b"2", b"2"]
    same_on_replica(primary, replica, "w")
    client("HEAT.ADD", "h", "a", "HALFLIFE", 100, "TIMESTAMP", ahead)
    assert float(client("HEAT.ADD", "h", "b")) >= 1
    same_on_replica(primary, replica, "h")


@check
def any_key_may_be_quiet_for_years(primary, replica):
    client = primary.client()
    window = {"window_table": "WINDOW", "decay_ring": "WINDOW"}
    for engine in ("heat_table", "heat_filter", "decaying_filter", "pooled_decaying_filter",
                   "window_table", "decay_ring"):
        client("HEAT.RESERVE", engine, "0.001", 1000, window.get(engine, "HALFLIFE"), 60_000,
               "ENGINE", engine)
        [old] = client("HEAT.INSERT", engine, "TIMESTAMP", START, "ITEMS", "a")
        assert float(old) >= 1, engine
        assert float(client("HEAT.ADD", engine, "b")) >= 1, engine
        assert float(client("HEAT.COUNT", engine, "b")) >= 0.9, engine
        same_on_replica(primary, replica, engine)


@check
def recording_with_a_clock_set_back(primary, replica):
    client = primary.client()
    ahead = int(time.time() * 1000) + AHEAD_MS
    client("HISTORY.RESERVE", "y", "0.001", 1000, "GRANULARITY", 100, "RETENTION", 1000)
    assert client("HISTORY.ADD", "y", "a", "TIMESTAMP", ahead) == 1
    assert client("HISTORY.ADD", "y", "b") == 1
    assert client("HISTORY.EXISTS", "y", "b", ahead - 100, ahead) == 1
    same_on_replica(primary, replica, "y")


@check
def an_item_several_times_in_one_increase(primary, _replica):
    client = primary.client()
    client("HEAT.ADD", "h", "x")
    refused(client, "HEAT.INCRBY", "h", *["x", 1 << 32] * (1 << 14), key="h", says="2^46")


@check
def a_quiet_key_forgets_what_is_older_than_its_retention(primary, replica):
    client = primary.client()
    now = int(time.time() * 1000)
    for number, words in enumerate((("ADD", "b"), ("MADD", "b", "c"),
                                    ("INSERT", "TIMESTAMP", now, "ITEMS", "b"),
                                    ("MADDAT", now - 9000, "b", now, "c"))):
        key = f"y{number}"
        client("HISTORY.RESERVE", key, "0.001", 1000, "RETENTION", "1h")
        assert client("HISTORY.ADD", key, "a", "TIMESTAMP", now - 10 * 86_400_000) == 1
        client(f"HISTORY.{words[0]}", key, *words[1:])
        assert client("HISTORY.RANGES", key, "a", "-", "+") == [], words
        assert client("HISTORY.EXISTS", key, "b", "-", "+") == 1, words
        refused(client, "HISTORY.ADD", key, "a", "TIMESTAMP", now - 10 * 86_400_000, key=key,
                says="older than retention")
        same_on_replica(primary, replica, key)


@check
def times_that_are_not_kept_together(primary, replica):
    client = primary.client()
    now = int(time.time() * 1000)
    client("HISTORY.RESERVE", "t", "0.001", 1000, "GRANULARITY", 100, "RETENTION", 1000)
    client("HISTORY.ADD", "t", "x", "TIMESTAMP", now - 200000)
    refused(client, "HISTORY.MADDAT", "t", now, "a", now - 100000, "b", key="t",
            says="older than retention")
    assert client("HISTORY.MADDAT", "t", now, "a", now - 900, "b") == [1, 1]
    assert client("HISTORY.EXISTS", "t", "b", now - 1000, now) == 1
    same_on_replica(primary, replica, "t")
