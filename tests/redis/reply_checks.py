"""Every command: its reply in RESP2 and RESP3, its documentation, and its key positions."""
import math
import re
import time

import servers

checks = []
FAMILIES = ("HEAT", "HISTORY", "RECENCY", "TALLY")
START = 1_700_000_000_000


def check(function):
    checks.append(function)
    return function


def ok(reply):
    assert not isinstance(reply, str) or reply == "OK", reply
    return reply


class Typed:
    """A client whose replies are compared with their types: bool, float and dict are RESP3's."""

    def __init__(self, server, protocol):
        self.client, self.resp3 = server.client(protocol), protocol == 3

    def expect(self, expected, *words):
        got = self.client(*words)
        assert self.same(got, expected), (words, got, expected)

    def same(self, got, expected):
        if isinstance(expected, bool):
            return type(got) is (bool if self.resp3 else int) and got == expected
        if isinstance(expected, float):
            if not isinstance(got, float if self.resp3 else bytes):
                return False
            return math.isclose(float(got), expected, rel_tol=1e-2, abs_tol=1e-9)
        if isinstance(expected, list):
            return (isinstance(got, list) and len(got) == len(expected)
                    and all(map(self.same, got, expected)))
        return type(got) is type(expected) and got == expected

    def facts(self, *words):
        got = self.client(*words)
        assert isinstance(got, dict if self.resp3 else list), got
        return got if self.resp3 else dict(zip(got[::2], got[1::2], strict=True))


def both(server):
    for protocol in (2, 3):
        server.client()("FLUSHALL")
        yield Typed(server, protocol)


@check
def recency_replies(primary, _replica):
    for on in both(primary):
        on.expect(True, "RECENCY.ADD", "r", "a", "WINDOW", "10m", "TIMESTAMP", START)
        on.expect(False, "RECENCY.ADD", "r", "a", "TIMESTAMP", START + 1000)
        on.expect(False, "RECENCY.ADD", "r", "a", "window", "600s", "timestamp", START + 2000)
        on.expect([True, False], "RECENCY.INSERT", "r", "NOCREATE", "TIMESTAMP", START + 3000,
                  "ITEMS", "b", "a")
        on.expect(True, "RECENCY.EXISTS", "r", "a", "AT", START + 3000)
        on.expect(False, "RECENCY.EXISTS", "r", "a", "AT", START + 3_600_000)
        on.expect(False, "RECENCY.EXISTS", "r", "other", "AT", START + 3000)
        on.expect(False, "RECENCY.EXISTS", "missing", "a")
        on.expect([False, False], "RECENCY.MEXISTS", "missing", "a", "b")
        on.expect(0, "RECENCY.CARD", "missing")
        on.expect(None, "RECENCY.AGE", "r", "other")
        low, high = on.client("RECENCY.AGE", "r", "a", "AT", START + 60_000)
        assert low <= 57_000 <= high <= 600_000, (low, high)
        on.expect([True, True, False], "RECENCY.MADD", "now", "x", "y", "x")
        on.expect([True, True, False], "RECENCY.MEXISTS", "now", "x", "y", "z")
        ages = on.client("RECENCY.MAGE", "now", "x", "z")
        assert ages[0][0] == 0 and ages[1] is None, ages
        on.expect([1.0, 0.0], "RECENCY.PROB", "now", "ITEMS", "x", "z")
        decided = on.client("RECENCY.DECIDE", "now", "COSTFP", 1, "COSTFN", 1, "PRIOR", "0.5",
                            "ITEMS", "x", "z")
        for decision, expected in zip(decided, ([1, 1.0], [0, 0.0]), strict=True):
            assert on.same(decision[:2], expected), decided
        on.expect(2, "RECENCY.CARD", "now")
        on.expect("OK", "RECENCY.RESERVE", "last", "0.01", 1000, "LAST", 2, "NOREFRESH")
        on.expect([True, True, True, True], "RECENCY.MADD", "last", "a", "b", "c", "a")
        on.expect("OK", "RECENCY.RESET", "now")
        on.expect(False, "RECENCY.EXISTS", "now", "x")


@check
def tally_replies(primary, _replica):
    for on in both(primary):
        on.expect(1, "TALLY.ADD", "t", "a")
        on.expect(6, "TALLY.ADD", "t", "a", "BY", 5)
        on.expect([7, 1], "TALLY.MADD", "t", "a", "b")
        on.expect(False, "TALLY.ADDNX", "t", "a")
        on.expect(True, "TALLY.ADDNX", "t", "n")
        on.expect(True, "TALLY.DEL", "t", "a")
        on.expect(True, "TALLY.DEL", "t", "a", "BY", 2)
        on.expect(False, "TALLY.DEL", "t", "other")
        on.expect([True, False], "TALLY.MDEL", "t", "n", "n")
        on.expect(4, "TALLY.COUNT", "t", "a")
        on.expect([4, 1, 0], "TALLY.MCOUNT", "t", "a", "b", "other")
        on.expect(True, "TALLY.EXISTS", "t", "a")
        on.expect([True, False], "TALLY.MEXISTS", "t", "a", "other")
        # The counts after the whole command.
        on.expect([2, 1, 2], "TALLY.INSERT", "new", "CAPACITY", 100, "ERROR", "0.01", "ITEMS",
                  "x", "y", "x")
        on.expect(0, "TALLY.COUNT", "missing", "x")
        on.expect(0, "TALLY.CARD", "missing")
        on.expect(2, "TALLY.CARD", "t")
        assert isinstance(on.client("TALLY.COMPACT", "t"), int)
        on.expect("OK", "TALLY.RESERVE", "full", "0.01", 10, "NONSCALING")


@check
def heat_replies(primary, _replica):
    for on in both(primary):
        on.expect(1.0, "HEAT.ADD", "h", "a", "HALFLIFE", "1h")
        on.expect(4.0, "HEAT.ADD", "h", "a", "BY", 3)
        on.expect([5.0, 1.0], "HEAT.MADD", "h", "a", "b")
        on.expect([10.0, 3.0], "HEAT.INCRBY", "h", "a", 5, "b", 2)
        on.expect(10.0, "HEAT.COUNT", "h", "a")
        on.expect(5.0, "HEAT.COUNT", "h", "a", "AT", int(time.time() * 1000) + 3_600_000)
        on.expect([10.0, 0.0], "HEAT.MCOUNT", "h", "a", "other")
        on.expect([10.0], "HEAT.QUERY", "h", "ITEMS", "a")
        [[value, lower, upper]] = on.client("HEAT.QUERY", "h", "WITHBOUNDS", "ITEMS", "a")
        assert float(lower) <= 10 <= float(upper) and float(lower) <= float(value) <= float(upper)
        on.expect(10 * math.log(2) / 3600, "HEAT.RATE", "h", "a")
        on.expect([b"a", b"b"], "HEAT.LIST", "h")
        on.expect([b"a", 10.0], "HEAT.LIST", "h", "COUNT", 1, "WITHCOUNT")
        on.expect(0.0, "HEAT.COUNT", "missing", "a")
        on.expect(0, "HEAT.CARD", "missing")
        on.expect("OK", "HEAT.RESERVE", "w", "0.01", 1000, "WINDOW", "1m", "SLOTS", 60)
        on.expect(1.0, "HEAT.ADD", "w", "ip", "LIMIT", 2, "WITHIN", "1m")
        on.expect(2.0, "HEAT.ADD", "w", "ip", "LIMIT", 2, "WITHIN", "1m")
        on.expect(None, "HEAT.ADD", "w", "ip", "LIMIT", 2, "WITHIN", "1m")
        on.expect(2.0, "HEAT.COUNT", "w", "ip", "WITHIN", "1m")
        on.expect(1.0, "HEAT.ADD", "new", "ip", "LIMIT", 2, "WITHIN", "1m")
        for _ in range(2):  # the second one finds the same window
            ok(on.client("HEAT.INSERT", "ring", "CAPACITY", 100, "WINDOW", "1m", "ENGINE",
                         "decay_ring", "ITEMS", "a"))


@check
def numbers_are_the_same_in_both_protocols(primary, _replica):
    """Also those that come again after many others: the module keeps the texts of some."""
    text, number = primary.client(2), primary.client(3)
    items = [f"item {i}" for i in range(400)]
    ok(text("HEAT.RESERVE", "faded", "0.001", 1000, "HALFLIFE", "1h"))
    ok(text("HEAT.RESERVE", "whole", "0.001", 1000, "WINDOW", "1d"))
    weighted = [word for i, item in enumerate(items) for word in (item, 1 + i ** 3)]
    for key in ("faded", "whole"):
        text("HEAT.INSERT", key, "TIMESTAMP", START, "WEIGHTED", "ITEMS", *weighted)
    different = set()
    for later in (0, 7_000, 3_600_000, 86_399_000, 0, 10 ** 11, 7_000):
        for key in ("faded", "whole"):
            words = ("HEAT.QUERY", key, "AT", START + later, "ITEMS", *items)
            numbers = number(*words)
            for said, exact in zip(text(*words), numbers, strict=True):
                assert float(said) == exact and len(said) <= len(repr(exact)), (said, exact)
            different.update(numbers)
    assert len(different) > 1000, len(different)


@check
def history_replies(primary, _replica):
    for on in both(primary):
        on.expect(True, "HISTORY.ADD", "y", "a", "GRANULARITY", "1s", "TIMESTAMP", START)
        on.expect(False, "HISTORY.ADD", "y", "a", "TIMESTAMP", START + 999)
        on.expect([True, True], "HISTORY.MADDAT", "y", START + 5000, "a", START + 9000, "b")
        on.expect([True, False], "HISTORY.INSERT", "y", "TIMESTAMP", START + 9500, "ITEMS", "a",
                  "b")
        on.expect(True, "HISTORY.EXISTS", "y", "a", START, START + 500)
        on.expect(False, "HISTORY.EXISTS", "y", "a", START + 1000, START + 4999)
        on.expect(False, "HISTORY.EXISTS", "y", "other", "-", "+")
        on.expect([True, True, False], "HISTORY.MEXISTS", "y", "-", "+", "a", "b", "other")
        on.expect([[START, START + 999], [START + 5000, START + 5999],
                   [START + 9000, START + 9999]], "HISTORY.RANGES", "y", "a", "-", "+")
        on.expect([[START, START + 999]], "HISTORY.RANGES", "y", "a", "-", "+", "LIMIT", 1)
        on.expect(START, "HISTORY.FIRST", "y", "a")
        on.expect(START + 5000, "HISTORY.FIRST", "y", "a", START + 1000, "+")
        on.expect(START + 9000, "HISTORY.LAST", "y", "b")
        on.expect(None, "HISTORY.FIRST", "y", "other")
        on.expect([1, 0, 0, 0, 0, 1, 0, 0, 0, 1], "HISTORY.HISTOGRAM", "y", "a", START,
                  START + 9999, "BUCKET", 1000)
        on.expect(2, "HISTORY.CARD", "y")
        on.expect([True, False, True, True, False], "HISTORY.MADDAT", "z", START, "a", START + 999,
                  "a", START + 1000, "a", START, "b", START + 1999, "a")
        on.expect([True, False, True, False], "HISTORY.INSERT", "z", "TIMESTAMP", START + 3000,
                  "ITEMS", "a", "a", "b", "a")
        # One span of time, which begins now.
        on.expect("OK", "HISTORY.RESERVE", "tree", "0.01", 100, "RETENTION", "1h", "ENGINE",
                  "tree_history")
        on.expect(True, "HISTORY.ADD", "tree", "a")
        assert isinstance(on.client("HISTORY.TRIM", "y", START), int)
        assert isinstance(on.client("HISTORY.MADD", "y", "a", "b"), list)
        on.expect(False, "HISTORY.EXISTS", "missing", "a", "-", "+")


@check
def info_says_what_a_key_is(primary, _replica):
    for on in both(primary):
        for family in FAMILIES:
            ok(on.client(f"{family}.ADD", family, "a"))
            facts = on.facts(f"{family}.INFO", family)
            assert facts[b"family"] == family.lower().encode(), facts
            assert facts[b"encoding_version"] == 1 and facts[b"memory"] > 0, facts
            assert on.client(f"{family}.INFO", family, "memory") == facts[b"memory"]
            assert on.facts(f"{family}.DEBUG", family)[b"stored_bytes"] > 0
            usage = on.client("MEMORY", "USAGE", family)
            assert facts[b"memory"] <= usage < 65536, (family, usage, facts)
        on.expect("bt-heat-1", "TYPE", "HEAT")
        on.expect("bt-hist-1", "TYPE", "HISTORY")
        on.expect("bt-recn-1", "TYPE", "RECENCY")
        on.expect("bt-taly-1", "TYPE", "TALLY")
        info = on.client("INFO", "everything").decode()
        assert "recency_keys:1" in info, [x for x in info.splitlines() if "keys" in x]


def commands_of(client):
    return [c.decode() for c in client("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomtime")]


@check
def commands_are_documented(primary, _replica):
    client = primary.client(3)
    names = commands_of(client)
    assert len(names) >= 60, names
    for name in names:
        [(said, docs)] = client("COMMAND", "DOCS", name).items()
        assert said.decode().lower() == name.lower()
        assert docs[b"summary"] and docs[b"complexity"].startswith(b"O("), (name, docs)
        assert docs[b"arguments"], name
        [about] = client("COMMAND", "INFO", name)
        flags, tips = about[2], about[7]
        assert ("write" in flags) != ("readonly" in flags), (name, flags)
        if "readonly" in flags and name.upper().split(".")[1] not in ("SCANDUMP",):
            assert b"nondeterministic_output" in tips and b"dont_cache" in tips, (name, tips)


@check
def the_module_has_the_version_of_the_library(primary, _replica):
    header = (servers.ROOT / "include/bloomtime/version.hpp").read_text()
    major, minor, patch = map(int, re.search(r'version = "(\d+)\.(\d+)\.(\d+)"', header).groups())
    [module] = primary.client(3)("MODULE", "LIST")
    assert module[b"name"] == b"bloomtime", module
    assert module[b"ver"] == 10_000 * major + 100 * minor + patch, module


@check
def keys_are_found(primary, _replica):
    client = primary.client()
    for family in FAMILIES:
        assert client("COMMAND", "GETKEYS", f"{family}.MERGE", "d", 2, "s", "t") == [b"d", b"s",
                                                                                    b"t"]
        assert client("COMMAND", "GETKEYS", f"{family}.ADD", "ITEMS", "k") == [b"ITEMS"]


@check
def merging_adds_up(primary, _replica):
    for on in both(primary):
        for family in FAMILIES:
            for name, item in (("x", "a"), ("y", "b")):
                ok(on.client(f"{family}.INSERT", name, "SEED", 7, "ITEMS", item))
            on.expect("OK", f"{family}.MERGE", "x", 1, "y")
            on.expect("OK", f"{family}.MERGE", "new", 2, "x", "y")
            for key in ("x", "new"):
                facts = on.client(f"{family}.CARD", key)
                assert facts == 2, (family, key, facts)
            on.client("DEL", "x", "y", "new")
