"""Bad input: an error reply that begins with ERR or WRONGTYPE, and nothing changes."""
import contextlib
import signal

import servers
from reply_checks import FAMILIES, START, commands_of, ok
from resp import Client, Closed, Error

checks = []
BAD_NUMBERS = ("", "x", "nan", "inf", "-inf", "-1", "1e400", "99999999999999999999999", "0x10",
               "1 ", " 1", "١", b"\x00", b"1\x00")


def check(function):
    checks.append(function)
    return function


def refused(client, *words, says="", key=None):
    before = client("DEBUG", "DIGEST") if key is None else client("DEBUG", "DIGEST-VALUE", key)
    reply = client(*words)
    assert isinstance(reply, Error), (words, reply)
    assert reply.startswith(("ERR ", "WRONGTYPE ")), (words, reply)
    assert says in reply, (words, reply)
    after = client("DEBUG", "DIGEST") if key is None else client("DEBUG", "DIGEST-VALUE", key)
    assert before == after, f"{words} changed something"


@check
def wrong_arity(primary, _replica):
    client = primary.client()
    for name in commands_of(client):
        [about] = client("COMMAND", "INFO", name)
        for extra in range(1, abs(about[1])):
            refused(client, name, *["1"] * (extra - 1), says="wrong number of arguments")
        if about[1] > 0:
            refused(client, name, *["1"] * about[1], says="wrong number of arguments")


@check
def wrong_type(primary, _replica):
    client = primary.client()
    client("SET", "text", "x")
    client("RPUSH", "list", "x")
    for family in FAMILIES:
        ok(client(f"{family}.ADD", f"key.{family}", "a"))
    for family in FAMILIES:
        for key in ["text", "list", *(f"key.{f}" for f in FAMILIES if f != family)]:
            for words in (("ADD", key, "a"), ("MADD", key, "a", "b"), ("CARD", key),
                          ("INFO", key), ("RESET", key), ("SCANDUMP", key, 0),
                          ("LOADCHUNK", key, 1, "x"), ("DEBUG", key),
                          ("INSERT", key, "ITEMS", "a"), ("MERGE", key, 1, f"key.{family}"),
                          ("MERGE", f"key.{family}", 1, key)):
                refused(client, f"{family}.{words[0]}", *words[1:], says="WRONGTYPE")
    refused(client, "GET", "key.HEAT", says="WRONGTYPE")


@check
def bad_numbers(primary, _replica):
    client = primary.client()
    client("RECENCY.ADD", "r", "a")
    client("HEAT.ADD", "h", "a")
    client("HISTORY.ADD", "y", "a")
    client("TALLY.ADD", "t", "a")
    for bad in BAD_NUMBERS:
        for words in (("RECENCY.ADD", "r", "a", "TIMESTAMP", bad),
                      ("RECENCY.ADD", "new", "a", "WINDOW", bad),
                      ("RECENCY.ADD", "new", "a", "LAST", bad),
                      ("RECENCY.EXISTS", "r", "a", "AT", bad),
                      ("RECENCY.RESERVE", "new", bad, 1000, "WINDOW", 1000),
                      ("RECENCY.RESERVE", "new", "0.01", bad, "WINDOW", 1000),
                      ("RECENCY.PROB", "r", "PRIOR", bad, "ITEMS", "a"),
                      ("RECENCY.DECIDE", "r", "COSTFP", "x" + str(bad), "COSTFN", 1, "ITEMS", "a"),
                      ("RECENCY.DECIDE", "r", "COSTFP", "nan", "COSTFN", 1, "ITEMS", "a"),
                      ("RECENCY.DECIDE", "r", "COSTFP", "-1", "COSTFN", 1, "ITEMS", "a"),
                      ("RECENCY.SCANDUMP", "r", bad), ("RECENCY.LOADCHUNK", "new", bad, "x"),
                      ("RECENCY.MERGE", "r", bad, "r"),
                      ("TALLY.ADD", "t", "a", "BY", bad), ("TALLY.DEL", "t", "a", "BY", bad),
                      ("TALLY.RESERVE", "new", "0.01", 100, "SEED", bad),
                      ("HEAT.ADD", "h", "a", "BY", bad), ("HEAT.INCRBY", "h", "a", bad),
                      ("HEAT.ADD", "h", "a", "HALFLIFE", bad),
                      ("HEAT.LIST", "h", "COUNT", bad),
                      ("HEAT.MERGE", "new", 1, "h", "WEIGHTS", bad),
                      ("HEAT.ADD", "new", "a", "LIMIT", bad, "WITHIN", 1000),
                      ("HISTORY.EXISTS", "y", "a", bad, "+"),
                      ("HISTORY.MADDAT", "y", bad, "a"), ("HISTORY.TRIM", "y", bad),
                      ("HISTORY.HISTOGRAM", "y", "a", 0, 1, "BUCKET", bad)):
            refused(client, *words)


@check
def bad_options(primary, _replica):
    client = primary.client()
    ok(client("RECENCY.ADD", "r", "a", "WINDOW", "10m"))
    for words, says in ((("RECENCY.ADD", "r", "a", "WINDOW", "5m"), "bad window"),
                        (("RECENCY.ADD", "r", "a", "LAST", 5), "bad last"),
                        (("RECENCY.ADD", "r", "a", "NONSENSE"), "unknown argument"),
                        (("RECENCY.ADD", "r", "a", "TIMESTAMP"), "wrong number"),
                        (("RECENCY.ADD", "new", "a", "WINDOW", 1, "WINDOW", 1), "only once"),
                        (("RECENCY.ADD", "new", "a", "WINDOW", 9, "LAST", 9), "exclude"),
                        (("RECENCY.INSERT", "new", "ITEMS"), "wrong number"),
                        (("RECENCY.INSERT", "new", "NOCREATE", "ITEMS", "a"), "not found"),
                        (("RECENCY.INFO", "new"), "not found"),
                        (("RECENCY.SCANDUMP", "new", 0), "not found"),
                        (("RECENCY.RESET", "new"), "not found"),
                        (("RECENCY.MERGE", "new", 1, "missing"), "not found"),
                        (("RECENCY.MERGE", "new", 3, "r"), "wrong number"),
                        (("RECENCY.RESERVE", "r", "0.01", 10, "WINDOW", 1000), "item exists"),
                        (("RECENCY.RESERVE", "new", "0", 10, "WINDOW", 1000), "range (0, 1)"),
                        (("RECENCY.RESERVE", "new", "1", 10, "WINDOW", 1000), "range (0, 1)"),
                        (("RECENCY.RESERVE", "new", "0.1", 10, "ENGINE", "nonsense"), "ERR"),
                        (("HEAT.COUNT", "new", "a", "WITHIN", 0), "range"),
                        (("HEAT.RESERVE", "new", "0.1", 10, "WINDOW", 9, "HALFLIFE", 9),
                         "exclude"),
                        (("HEAT.INCRBY", "new", "a"), "wrong number"),
                        (("HISTORY.MADDAT", "new", START), "wrong number"),
                        (("HISTORY.HISTOGRAM", "new", "a", 9, 1, "BUCKET", 1), "before start"),
                        (("TALLY.RESERVE", "new", "0.1", 10, "EXPANSION", 2, "NONSCALING"),
                         "exclude")):
        refused(client, *words, says=says)
    ok(client("HEAT.ADD", "h", "a"))
    refused(client, "HEAT.COUNT", "h", "a", "WITHIN", 1000)
    refused(client, "HEAT.ADD", "h", "a", "LIMIT", 3)
    ok(client("RECENCY.ADD", "last", "a", "LAST", 5))
    ok(client("RECENCY.INSERT", "aged", "ENGINE", "age_partitioned_filter", "ITEMS", "a"))
    refused(client, "HEAT.COUNT", "h", "a", "WITHIN", 1000, says="needs a key with WINDOW")
    refused(client, "HEAT.ADD", "h", "a", "LIMIT", 3, "WITHIN", 1000,
            says="needs a key with WINDOW")
    ok(client("HEAT.RESERVE", "w", "0.01", 10, "WINDOW", "1m"))
    refused(client, "HEAT.COUNT", "w", "a", "WITHIN", "61s", says="at most the window")
    refused(client, "HEAT.ADD", "w", "a", "LIMIT", 3, "WITHIN", "61s", says="at most the window")
    refused(client, "TALLY.RESERVE", "new", "0.1", 10, "MAXCOUNT", 9, says="ENGINE tally_filter")
    refused(client, "HISTORY.RESERVE", "new", "0.1", 10, "ENGINE", "timeline_history",
            says="needs RETENTION")
    refused(client, "RECENCY.RESERVE", "new", "0.1", 10, "ENGINE", "recent_buffer",
            says="memory size")
    refused(client, "RECENCY.RESERVE", "new", "0.1", 10, "ENGINE", "timing_filter",
            says="needs LAST")
    for key, within, says in (("r", "601s", "at most the window"), ("last", "1s", "WINDOW"),
                              ("aged", "1s", "ENGINE"), ("r", 0, "range"), ("r", "x", "within")):
        refused(client, "RECENCY.PROB", key, "WITHIN", within, "ITEMS", "a", says=says)
        refused(client, "RECENCY.DECIDE", key, "COSTFP", 1, "COSTFN", 1, "WITHIN", within, "ITEMS",
                "a", says=says)


@check
def errors_are_short_lines(primary, _replica):
    client = primary.client()
    for word in ("x" * 1_000_000, b"a\r\n-b\0\xff" * 1000):
        for words in (("RESERVE", "new", "0.1", 10, "ENGINE", word), ("ADD", "new", "a", word),
                      ("INSERT", "new", word, "ITEMS", "a"), ("RESERVE", "new", word, word),
                      ("INFO", "new", word), ("MERGE", "new", word, "new")):
            for family in FAMILIES:
                refused(client, f"{family}.{words[0]}", *words[1:])
                assert len(client(f"{family}.{words[0]}", *words[1:])) <= 500, words[0]


@check
def times_out_of_range(primary, _replica):
    client = primary.client()
    for family in ("HEAT", "HISTORY", "RECENCY"):
        refused(client, f"{family}.ADD", "new", "a", "TIMESTAMP", 253_402_300_799_999,
                says="ahead of the server's clock")
        refused(client, f"{family}.ADD", "new", "a", "TIMESTAMP", 253_402_300_800_000)
    ok(client("RECENCY.ADD", "r", "a", "WINDOW", "1s"))
    refused(client, "RECENCY.ADD", "r", "b", "TIMESTAMP", START, says="older than retention")


@check
def option_words_are_keys_and_items(primary, _replica):
    client = primary.client()
    words = ["TIMESTAMP", "ITEMS", "WINDOW", "BY", "AT", "NOCREATE", "LIMIT", "WEIGHTS", "-", "+"]
    for family in FAMILIES:
        for key in words:
            ok(client(f"{family}.ADD", key, "ITEMS"))
            ok(client(f"{family}.MADD", key, *words))
            ok(client(f"{family}.INSERT", key, "ITEMS", "ITEMS", "TIMESTAMP"))
            assert client(f"{family}.CARD", key) == len(words), (family, key)
        client("FLUSHALL")


@check
def any_bytes_are_keys_and_items(primary, replica):
    client = primary.client()
    odd = [b"", b"\x00", b"a\x00b", bytes(range(256)), b"\r\n", b"x" * 1_000_000]
    for family in FAMILIES:
        for key in odd:
            ok(client(f"{family}.MADD", key, *odd))
            assert client(f"{family}.CARD", key) == len(odd), (family, key[:20])
        client("FLUSHALL")


@check
def many_item_writes_are_all_or_nothing(primary, _replica):
    client = primary.client()
    ok(client("TALLY.RESERVE", "t", "0.01", 50, "NONSCALING"))
    before = client("TALLY.INFO", "t")
    many = [f"item {i}" for i in range(100_000)]
    refused(client, "TALLY.MADD", "t", *many, says="full")
    assert client("TALLY.INFO", "t", "total") == 0, before
    ok(client("HEAT.ADD", "h", "a"))
    refused(client, "HEAT.INCRBY", "h", "a", 1, "b", "x")
    ok(client("HISTORY.ADD", "y", "a"))
    refused(client, "HISTORY.MADDAT", "y", START, "a", "x", "b")


@check
def tables_that_cannot_grow_are_all_or_nothing(primary, replica):
    """Each doubling takes a bit of the fingerprints, so a table that was made too small is full."""
    client, copy = primary.client(), replica.client()
    for family in ("RECENCY", "TALLY"):
        ok(client(f"{family}.RESERVE", family, "0.5", 1))
        for size in (1000, 10, 1):
            for i in range(0, 100_000, size):
                before = client("DEBUG", "DIGEST-VALUE", family)
                reply = client(f"{family}.MADD", family, *(f"{size} {i} {j}" for j in range(size)))
                if isinstance(reply, Error):
                    assert reply.startswith("ERR the filter is full"), reply
                    assert client("DEBUG", "DIGEST-VALUE", family) == before, (family, size)
                    break
            else:
                raise AssertionError(f"{family} is never full")
        assert client(f"{family}.CARD", family) > 5000
        if family == "TALLY":
            assert client("TALLY.DEL", family, "1000 0 0") == 1
    servers.caught_up(client, copy)
    assert (client("DEBUG", "DIGEST-VALUE", "RECENCY", "TALLY")
            == copy("DEBUG", "DIGEST-VALUE", "RECENCY", "TALLY"))


@check
def a_full_table_of_hits_is_all_or_nothing(primary, replica):
    """Large counts are not given up for others, so a table made for few of them is full."""
    client = primary.client()
    for top in (0, 10):
        key = f"h{top}"
        ok(client("HEAT.RESERVE", key, "0.5", 10, "TOPK", top))
        for i in range(60):
            many = [word for j in range(2000) for word in (f"{i} {j}", 1 << 31)]
            before = client("DEBUG", "DIGEST-VALUE", key)
            reply = client("HEAT.INCRBY", key, *many)
            if isinstance(reply, Error):
                assert reply.startswith("ERR the filter is full"), reply
                assert client("DEBUG", "DIGEST-VALUE", key) == before
                break
            assert client("HEAT.INFO", key, "refused_events") == 0, i
        else:
            raise AssertionError("the table is never full")
        same = client("DEBUG", "DIGEST-VALUE", key)
        servers.caught_up(client, replica.client())
        assert replica.client()("DEBUG", "DIGEST-VALUE", key) == same


@check
def memory_is_limited(primary, _replica):
    client = primary.client()
    many = [f"item {i}" for i in range(20_000)]
    try:
        ok(client("CONFIG", "SET", "bloomtime.max-object-bytes", 100_000))
        for family in FAMILIES:
            key = f"key.{family}"
            ok(client(f"{family}.ADD", key, "a"))
            refused(client, f"{family}.MADD", key, *many, says="exceeds memory limit")
            for i in range(0, len(many), 100):
                if isinstance(client(f"{family}.MADD", key, *many[i:i + 100]), Error):
                    break
            else:
                raise AssertionError(f"{family} has no limit")
            assert client(f"{family}.INFO", key, "memory") <= 100_000, family
            refused(client, f"{family}.RESERVE", "new", "0.000001", 1 << 36, "ENGINE",
                    {"HEAT": "heat_filter", "HISTORY": "single_history",
                     "RECENCY": "recency_filter", "TALLY": "tally_filter"}[family])
    finally:
        ok(client("CONFIG", "SET", "bloomtime.max-object-bytes", "128mb"))
    ok(client("TALLY.MADD", "key.TALLY", *many))


@check
def large_counts_and_long_texts_are_limited(primary, _replica):
    """Both are kept beside the table: large counts, and the texts of the hottest items."""
    client = primary.client()
    try:
        for key, limit, options, text in (("counts", 600_000, ("TOPK", 0), ""),
                                          ("texts", 1_000_000, ("TOPK", 700), "x" * 900),
                                          ("window", 600_000, ("WINDOW", "1m"), "")):
            ok(client("CONFIG", "SET", "bloomtime.max-object-bytes", limit))
            ok(client("HEAT.RESERVE", key, "0.001", 1000, *options))
            for i in range(0, 1000, 50):
                ok(client("HEAT.MADD", key, *(f"short {j}" for j in range(i, i + 50))))
            for size in (1000, 100, 1):
                for i in range(20 if size > 1 else 1000):
                    words = [w for j in range(size) for w in (f"{size} {i} {j} {text}", 1 << 31)]
                    reply = client("HEAT.INCRBY", key, *words)
                    if isinstance(reply, Error):
                        assert "exceeds memory limit" in reply, reply
                        break
                    assert client("MEMORY", "USAGE", key) <= limit + 8192, (key, size, i)
    finally:
        ok(client("CONFIG", "SET", "bloomtime.max-object-bytes", "128mb"))


@check
def configs_are_checked(primary, _replica):
    client = primary.client()
    for name, bad in (("max-object-bytes", "1"), ("default-error-rate", "2"),
                      ("default-error-rate", "nan"), ("default-capacity", "0"),
                      ("default-window-ms", "-1"), ("random-seed", "maybe")):
        assert isinstance(client("CONFIG", "SET", f"bloomtime.{name}", bad), Error), (name, bad)
    assert client("CONFIG", "GET", "bloomtime.default-error-rate")[1] == b"0.001"


@check
def restricted_users_cannot_read_through_merge(primary, _replica):
    client = primary.client()
    client("ACL", "SETUSER", "narrow", "on", ">pw", "+@all", "~mine*")
    try:
        narrow = primary.client(user=("narrow", "pw"))
        for family in FAMILIES:
            ok(client(f"{family}.INSERT", f"secret.{family}", "SEED", 1, "ITEMS", "a"))
            reply = narrow(f"{family}.MERGE", f"mine.{family}", 1, f"secret.{family}")
            assert isinstance(reply, Error) and reply.startswith("NOPERM"), reply
            reply = narrow(f"{family}.CARD", f"secret.{family}")
            assert isinstance(reply, Error) and reply.startswith("NOPERM"), reply
            ok(narrow(f"{family}.INSERT", f"mine.{family}", "SEED", 1, "ITEMS", "b"))
            assert narrow(f"{family}.MERGE", f"mine.to.{family}", 1, f"mine.{family}") == "OK"
    finally:
        client("ACL", "DELUSER", "narrow")


@check
def unloading_is_refused_while_there_are_keys(primary, _replica):
    client = primary.client()
    ok(client("RECENCY.ADD", "r", "a"))
    assert isinstance(client("MODULE", "UNLOAD", "bloomtime"), Error)
    assert client("RECENCY.EXISTS", "r", "a") == 1


@check
def commands_wait_for_a_server_that_loads(_primary, _replica):
    """A server that reads its file answers LOADING, and has all keys afterwards."""
    with servers.Server("--save", "900 1") as server:
        client = server.client()
        for i in range(40):
            ok(client("TALLY.ADD", f"t{i}", "a"))
        client("SAVE")
        server.end(signal.SIGKILL)
        server.options += ["--key-load-delay", "20000",  # microseconds per key
                           "--loading-process-events-interval-bytes", "1024"]
        replies, answers = [], server._answers

        def probing():
            with contextlib.suppress(OSError, Closed):
                replies.append(Client(server.port)("TALLY.ADD", "t0", "b"))
            return answers()

        server._answers = probing
        server.start()
        errors = [r for r in replies if isinstance(r, Error)]
        assert errors and all(e.startswith("LOADING ") for e in errors), replies
        assert server.client()("TALLY.MCOUNT", "t39", "a", "b") == [1, 0]
