"""What an operator does: settings, old files, maxmemory, eviction, deletion, events."""
import json
import os
import pathlib
import shutil
import tempfile

import servers
from refusal_checks import refused
from reply_checks import FAMILIES, START, ok
from resp import Error
from stored_checks import digest, fill

checks = []
HERE = pathlib.Path(__file__).parent


def check(function):
    checks.append(function)
    return function


def information(client, section):
    lines = client("INFO", section).decode().splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def memory_of_filters(client):
    return int(information(client, "bloomtime")["bloomtime_memory"])


@check
def settings_at_start_and_later(_primary, _replica):
    options = {"max-object-bytes": "1mb", "default-error-rate": "0.01", "default-capacity": "5000",
               "default-window-ms": "7000", "default-halflife-ms": "9000",
               "default-granularity-ms": "250", "max-future-skew-ms": "1", "random-seed": "no",
               "defrag-enabled": "no"}
    words = [word for name, value in options.items() for word in (f"--bloomtime.{name}", value)]
    with servers.Server(*words) as server:
        client = server.client()
        for name, value in options.items():
            said = client("CONFIG", "GET", f"bloomtime.{name}")[1].decode()
            assert said == value.replace("1mb", "1048576"), (name, said)
        for family in FAMILIES:
            ok(client(f"{family}.ADD", family, "a"))
            assert client(f"{family}.INFO", family, "seed") == 0
        assert client("RECENCY.INFO", "RECENCY", "window_seconds") == b"7"
        assert client("RECENCY.INFO", "RECENCY", "items_per_window") == 5000
        assert client("HEAT.INFO", "HEAT", "half_life_seconds") == b"9"
        assert client("HISTORY.INFO", "HISTORY", "tick_seconds") == b"0.25"
        for number in (1, 2):
            ok(client("CONFIG", "SET", "bloomtime.default-window-ms", number * 1000))
            ok(client("RECENCY.ADD", f"later{number}", "a"))
            assert int(client("RECENCY.INFO", f"later{number}", "window_seconds")) == number
        ok(client("CONFIG", "SET", "bloomtime.max-future-skew-ms", 0, "bloomtime.random-seed",
                  "yes"))
        ok(client("TALLY.ADD", "random", "a"))
        assert client("TALLY.INFO", "random", "seed") != 0


@check
def files_of_this_version_load_for_ever(_primary, _replica):
    """golden.rdb was written by the first version; tests/redis/golden writes such a file."""
    told = json.loads((HERE / "golden.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE / "golden.rdb", os.path.join(folder, "dump.rdb"))
        with servers.Server(folder=folder) as server:
            client = server.client()
            assert sorted(k.decode() for k in client("KEYS", "*")) == sorted(told["digests"])
            for key, expected in told["digests"].items():
                assert digest(client, key) == [expected], key
            for words, expected in told["answers"]:
                reply = client(*words)
                assert json.loads(json.dumps(reply, default=bytes.decode)) == expected, words
            for key in told["digests"]:
                family = key.split(".")[0]
                if family != "chunks":
                    at = () if family == "tally" else ("TIMESTAMP", START + 2000)
                    ok(client(f"{family}.INSERT", key, *at, "ITEMS", "more"))


@check
def writes_without_memory(_primary, _replica):
    with servers.Server("--maxmemory-policy", "noeviction") as server:
        client = server.client()
        for family in FAMILIES:
            ok(client(f"{family}.MADD", family, "a", "b"))
        ok(client("CONFIG", "SET", "maxmemory", 1))
        before = digest(client, *FAMILIES)
        for family in FAMILIES:
            for words in (("ADD", family, "c"), ("MADD", family, "c"), ("ADD", "new", "c"),
                          ("INSERT", family, "ITEMS", "c"), ("RESERVE", "new", "0.1", 10),
                          ("MERGE", family, 1, family), ("LOADCHUNK", "new", 1, "x")):
                reply = client(f"{family}.{words[0]}", *words[1:])
                assert isinstance(reply, Error) and reply.startswith("OOM "), (words, reply)
            assert client(f"{family}.CARD", family) == 2
        assert digest(client, *FAMILIES) == before
        assert client("TALLY.DEL", "TALLY", "a") == 1
        assert client("TALLY.MDEL", "TALLY", "a", "b") == [0, 1]
        assert isinstance(client("HISTORY.TRIM", "HISTORY", 1), int)
        for family in FAMILIES:
            ok(client(f"{family}.RESET", family))


@check
def eviction_takes_whole_keys(_primary, _replica):
    with servers.Server("--maxmemory-policy", "allkeys-lru") as server:
        client = server.client()
        ok(client("CONFIG", "SET", "maxmemory",
                  int(information(client, "memory")["used_memory"]) + 1_000_000))
        for i in range(1000):
            ok(client("RECENCY.MADD", f"r{i}", "a", "b", "c"))
        left = client("DBSIZE")
        assert 10 < left < 900, left
        for key in client("KEYS", "*"):
            seen = client("RECENCY.MEXISTS", key, "a", "b", "c")
            assert seen in ([1, 1, 1], [0, 0, 0]), seen  # the key may go while we ask


@check
def all_memory_comes_back(_primary, _replica):
    """Of keys that are deleted, moved, overwritten, expired, flushed, or refused half way."""
    with servers.Server("--lazyfree-lazy-user-flush", "yes") as server:
        client = server.client()
        assert memory_of_filters(client) == 0
        keys = fill(client, seed=9, writes=20)
        many = [f"item {i}" for i in range(60_000)]
        for family in FAMILIES:
            ok(client(f"{family}.MADD", f"{family}.large", *many))
        keys += [f"{family}.large" for family in FAMILIES]
        used, filters = int(information(client, "memory")["used_memory"]), memory_of_filters(client)
        assert 500_000 < filters < used, (filters, used)
        named = sum(client("MEMORY", "USAGE", key) for key in keys)
        # The allocator rounds up; its sizes are a quarter apart at most.
        assert named * 0.95 < filters < named * 1.3, (filters, named)
        for key in keys:
            assert client("COPY", key, "copy") == 1
            assert client("RENAME", "copy", "renamed") == "OK"
            dump = client("DUMP", key)
            ok(client("RESTORE", "renamed", 0, dump, "REPLACE"))
            assert isinstance(client("RESTORE", "x", 0, dump[:-12] + b"xx" + dump[-10:]), Error)
            ok(client("SET", "renamed", "x"))
        ok(client("DEBUG", "RELOAD"))
        assert memory_of_filters(client) < filters * 1.1
        before = int(information(client, "memory")["lazyfreed_objects"])
        ok(client("TALLY.RESERVE", "huge", "0.001", 4_000_000, "NONSCALING"))
        assert client("MEMORY", "USAGE", "huge") > 8_000_000
        assert client("UNLINK", "huge") == 1
        servers.wait_for(lambda: int(information(client, "memory")["lazyfreed_objects"]) > before,
                         "large keys are freed in another thread")
        assert client("DEL", keys[0]) == 1 and client("PEXPIRE", keys[1], 1) == 1
        ok(client("FLUSHALL"))
        servers.wait_for(lambda: memory_of_filters(client) == 0, "all memory is free")


@check
def replicas_load_beside_their_old_data(primary, _replica):
    keys = fill(primary.client(), seed=10, writes=20)
    with servers.Server("--repl-diskless-load", "swapdb") as other:
        client = other.client()
        fill(client, seed=11, writes=5)
        client("REPLICAOF", "127.0.0.1", primary.port)
        servers.wait_for(lambda: information(client, "replication")["master_link_status"] == "up",
                         "a link")
        assert digest(client, *keys) == digest(primary.client(), *keys)


@check
def events_are_published(primary, _replica):
    client, listener = primary.client(), primary.client()
    ok(client("CONFIG", "SET", "notify-keyspace-events", "Kd"))
    try:
        listener("PSUBSCRIBE", "__keyspace@0__:*")
        for family in FAMILIES:
            ok(client(f"{family}.RESERVE", "k", "0.01", 100))
            ok(client(f"{family}.ADD", "k", "a"))
            ok(client(f"{family}.EXISTS" if family != "HEAT" else "HEAT.COUNT", "k", "a",
                      *(("-", "+") if family == "HISTORY" else ())))
            refused(client, f"{family}.ADD", "k", "a", "NONSENSE")
            ok(client(f"{family}.RESET", "k"))
            client("DEL", "k")
            for event in ("reserve", "add", "reset"):
                assert listener.receive()[-1].decode() == f"{family.lower()}.{event}"
    finally:
        client("CONFIG", "SET", "notify-keyspace-events", "")
