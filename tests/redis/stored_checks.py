"""The same filter after replication, a restart, RDB, AOF, COPY, DUMP and chunks."""
import base64
import random
import threading
import time
import zlib

import servers
from refusal_checks import refused
from reply_checks import FAMILIES, START, ok
from resp import Error

checks = []


def check(function):
    checks.append(function)
    return function


def digest(client, *keys):
    return client("DEBUG", "DIGEST-VALUE", *keys)


def fill(client, seed=1, writes=60, begin=START):
    """Keys of every family, by every kind of write, with and without a time."""
    draw = random.Random(seed)

    def item():
        return f"item {draw.randrange(300)}"

    for i in range(writes):
        at = begin + i * 700
        for words in (("RECENCY.ADD", "recency", item(), "WINDOW", "10m"),
                      ("RECENCY.MADD", "recency", item(), item()),
                      ("RECENCY.INSERT", "recency.last", "LAST", 100, "ITEMS", item(), item()),
                      ("RECENCY.INSERT", "recency.old", "WINDOW", "20s", "TIMESTAMP", at, "ITEMS",
                       item(), item()),
                      ("HEAT.ADD", "heat", item(), "BY", draw.randrange(1, 9)),
                      ("HEAT.MADD", "heat", item(), item()),
                      ("HEAT.INCRBY", "heat", item(), 3, item(), 4),
                      ("HEAT.INSERT", "heat.old", "HALFLIFE", "5s", "TIMESTAMP", at, "ITEMS",
                       item()),
                      ("HEAT.ADD", "heat.limit", item(), "LIMIT", 3, "WITHIN", "1m"),
                      ("HISTORY.ADD", "history", item()),
                      ("HISTORY.MADD", "history", item(), item()),
                      ("HISTORY.MADDAT", "history.old", at, item(), at + 500, item()),
                      ("TALLY.ADD", "tally", item(), "BY", draw.randrange(1, 9)),
                      ("TALLY.MADD", "tally", item(), item()),
                      ("TALLY.ADDNX", "tally", item()),
                      ("TALLY.DEL", "tally", item())):
            ok(client(*words))
    return ["recency", "recency.last", "recency.old", "heat", "heat.old", "heat.limit", "history",
            "history.old", "tally"]


@check
def replicas_have_the_same_bytes(primary, replica):
    client, copy = primary.client(), replica.client()
    keys = fill(client)
    servers.caught_up(client, copy)
    assert digest(client, *keys) == digest(copy, *keys)
    for name in FAMILIES:
        ok(client(f"{name}.RESET", name.lower()))
    fill(client, seed=2, writes=5, begin=START + 1_000_000)
    servers.caught_up(client, copy)
    assert digest(client, *keys) == digest(copy, *keys)
    assert isinstance(copy("RECENCY.ADD", "recency", "x"), Error), "a replica is read-only"


@check
def a_stalled_replica_has_the_same_bytes(primary, replica):
    client, copy = primary.client(), replica.client()
    copy.send("DEBUG", "SLEEP", "1.5")
    time.sleep(0.2)
    keys = fill(client, seed=3, writes=20)
    assert copy.receive() == "OK"
    servers.caught_up(client, copy)
    assert digest(client, *keys) == digest(copy, *keys)


@check
def reads_change_nothing(primary, _replica):
    client = primary.client()
    keys = fill(client, seed=4, writes=10)
    before = digest(client, *keys)
    for ahead in (0, 10_000, 10_000_000):
        at = int(time.time() * 1000) + ahead
        ok(client("RECENCY.EXISTS", "recency", "item 1", "AT", at))
        ok(client("RECENCY.AGE", "recency", "item 1", "AT", at))
        ok(client("HEAT.COUNT", "heat", "item 1", "AT", at))
        ok(client("HEAT.LIST", "heat", "AT", at))
        ok(client("HISTORY.EXISTS", "history", "item 1", "-", "+"))
    assert digest(client, *keys) == before


@check
def copies_are_equal(primary, _replica):
    client = primary.client()
    keys = fill(client, seed=5, writes=20)
    for key in keys:
        assert client("COPY", key, "copy") == 1
        assert digest(client, key) == digest(client, "copy"), key
        dump = client("DUMP", key)
        client("DEL", "copy")
        assert client("RESTORE", "copy", 0, dump) == "OK"
        assert digest(client, key) == digest(client, "copy"), key
        family = key.split(".")[0].upper()
        chunks, last = [], 0
        while True:
            last, chunk = client(f"{family}.SCANDUMP", key, last)
            if last == 0:
                break
            chunks.append((last, chunk))
        client("DEL", "copy")
        for number, chunk in chunks:
            assert client(f"{family}.LOADCHUNK", "copy", number, chunk) == "OK"
        assert digest(client, key) == digest(client, "copy"), key
        reply = client(f"{family}.LOADCHUNK", "copy", 1, chunks[0][1])
        assert reply == "ERR item exists", reply
        client("DEL", "copy")


@check
def a_key_in_chunks_answers_after_the_last_one(primary, replica):
    client, copy = primary.client(), replica.client()
    client("RECENCY.MADD", "r", *(f"item {i}" for i in range(1000)))
    _, chunk = client("RECENCY.SCANDUMP", "r", 0)
    half = len(chunk) // 2
    assert client("RECENCY.LOADCHUNK", "new", 2, chunk[:half]) == "OK"
    assert client("RECENCY.EXISTS", "new", "item 1").startswith("ERR the key is being loaded")
    assert client("DEBUG", "RELOAD") == "OK"
    assert client("RECENCY.LOADCHUNK", "new", 1, chunk[half:-1] + b"\x55").startswith("ERR")
    assert client("RECENCY.LOADCHUNK", "new", 1, chunk[half:]) == "OK"
    assert digest(client, "r") == digest(client, "new")
    servers.caught_up(client, copy)
    assert digest(copy, "r") == digest(client, "new")


@check
def keys_expire(primary, _replica):
    client = primary.client()
    for family in FAMILIES:
        ok(client(f"{family}.ADD", "k", "a"))
        assert client("PEXPIRE", "k", 1) == 1
        servers.wait_for(lambda: client("EXISTS", "k") == 0, "the key has expired")
        assert client(f"{family}.CARD", "k") == 0
        assert isinstance(client(f"{family}.INFO", "k"), Error)


@check
def a_reload_keeps_everything(primary, _replica):
    client = primary.client()
    keys = fill(client, seed=6, writes=20)
    before = digest(client, *keys)
    assert client("DEBUG", "RELOAD") == "OK"
    assert digest(client, *keys) == before


@check
def append_only_files_keep_everything(_primary, _replica):
    with servers.Server("--appendonly", "yes", "--aof-use-rdb-preamble", "no") as server:
        client = server.client()
        keys = fill(client, seed=7, writes=20)
        before = digest(client, *keys)
        assert client("DEBUG", "LOADAOF") == "OK"  # the commands themselves
        assert digest(client, *keys) == before
        assert not isinstance(client("BGREWRITEAOF"), Error)
        servers.wait_for(lambda: b"aof_rewrite_in_progress:0" in client("INFO", "persistence")
                         and b"aof_rewrite_scheduled:0" in client("INFO", "persistence"),
                         "the AOF is rewritten")
        assert client("DEBUG", "LOADAOF") == "OK"  # LOADCHUNK
        assert digest(client, *keys) == before
        client("HEAT.ADD", "heat", "x")
        before = digest(client, *keys)
        server.kill()
        server.start()
        assert digest(server.client(), *keys) == before


class Writing:
    """Writes to keys that keep each millisecond, all the time, in a thread."""

    def __init__(self, client):
        client("HISTORY.RESERVE", "history", "0.001", 1000, "GRANULARITY", 1)
        client("RECENCY.RESERVE", "recency", "0.001", 1000, "WINDOW", 1000, "SLICES", 500)
        self.client, self.ended, self.written = client, threading.Event(), 0
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.is_set():
            ok(self.client("HISTORY.ADD", "history", f"item {self.written % 500}"))
            ok(self.client("HISTORY.MADD", "history", "a", "b"))
            ok(self.client("RECENCY.ADD", "recency", f"item {self.written % 500}"))
            self.written += 1

    def more(self):
        before = self.written
        servers.wait_for(lambda: self.written > before + 100, "the thread writes")

    def __enter__(self):
        self.thread.start()
        self.more()  # nobody follows so far
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()


@check
def who_begins_to_follow_gets_the_times(_primary, _replica):
    for diskless in ("yes", "no"):
        with servers.Server("--repl-diskless-sync", diskless) as server, servers.Server() as later:
            client, copy = server.client(), later.client()
            with Writing(server.client()) as writing:
                for _ in range(2):  # the second time the backlog is there
                    assert copy("REPLICAOF", "127.0.0.1", server.port) == "OK"
                    servers.wait_for(
                        lambda: b"master_link_status:up" in copy("INFO", "replication"), "a link")
                    writing.more()
                    assert copy("REPLICAOF", "NO", "ONE") == "OK"
                    writing.more()
                assert copy("REPLICAOF", "127.0.0.1", server.port) == "OK"
                writing.more()
            servers.caught_up(client, copy)
            assert digest(client, "history", "recency") == digest(copy, "history", "recency")


@check
def a_log_that_begins_gets_the_times(_primary, _replica):
    with servers.Server() as server:
        client = server.client()
        with Writing(server.client()) as writing:
            assert client("CONFIG", "SET", "appendonly", "yes") == "OK"
            servers.wait_for(lambda: b"aof_rewrite_in_progress:0" in client("INFO", "persistence"),
                             "the AOF is written")
            writing.more()
        before = digest(client, "history", "recency")
        assert client("DEBUG", "LOADAOF") == "OK"
        assert digest(client, "history", "recency") == before


@check
def transactions_and_scripts_replicate(primary, replica):
    client, copy = primary.client(), replica.client()
    client("MULTI")
    for family in FAMILIES:
        client(f"{family}.ADD", family, "a")
    assert not any(isinstance(r, Error) for r in client("EXEC"))
    script = "return redis.call('RECENCY.ADD', KEYS[1], ARGV[1], 'WINDOW', '5m')"
    assert client("EVAL", script, 1, "scripted", "x") == 1
    assert client("EVAL", script, 1, "scripted", "x") == 0
    servers.caught_up(client, copy)
    keys = [*FAMILIES, "scripted"]
    assert digest(client, *keys) == digest(copy, *keys)


@check
def watched_keys_notice_writes(primary, _replica):
    client, other = primary.client(), primary.client()
    ok(client("RECENCY.ADD", "r", "a"))
    client("WATCH", "r")
    ok(other("RECENCY.ADD", "r", "b"))
    client("MULTI")
    client("RECENCY.EXISTS", "r", "a")
    assert client("EXEC") is None
    client("WATCH", "r")
    ok(other("RECENCY.EXISTS", "r", "b"))
    client("MULTI")
    client("RECENCY.EXISTS", "r", "a")
    assert client("EXEC") == [1]


# History(resolution=1e-6, seed=1) of Python: "a" was seen 1, 12500 and 1999999 us after START.
MICROSECONDS = """
c-rf9^6?Gf<&t7#U}j@rVq|1wKm{<q2M{v>aRW1i&*vX-?%2G%Xht-J5>W2ce@eZFQZm;vLHQ0ag;0UR{lVLwMENT-ESY=_*}n
g104T)5fCaFixsO~h&x9S-946BAcOt@%1z-4O05LO?`3GW5QywqfxSSC^e4yaal*<;Z4Q#qF=QQAuheij(0jRtIl>d}fGJg4{u
Xh+M@?R)(u`$5H8K!>fHMJMqdV+QhINZz3Ffu^0MS=J38TTK1>+^f%xckolh7<#<K%6{-1urARgI7~%9S#5`R7V#"""

# Filters of Python with ahead="1d", seed=1 and, of the history, late=1. "a" was seen at START.
A_DAY_AHEAD = {
    "HISTORY": """
c-rf9^6?Gf<&t7#U}j@rVq|1wKm`s?{9xJxh?#)6ff*wH@L<zD$2y%(xOyl<0?M7ybAN|*fO|0$%p90PsKB*p-9d
(0&zl<pQEfz11_CS$SO5!}dUC;SA2f5ANYmem2tO8l;g<o#%t+?%{89a4q4VodM)dH3f<sd-Td+2;>B5}TfI}V{9
SjGc@(NHsXKj4WpV#s?8+HVxg7rhg8D`AXYicjJ^#tu2(A>*NrEnc8Alah8d-sg{kG=Kzy>i_BXD~9bJ))=m04_T
;e*""",
    "RECENCY": """
c-rf9^6?Gf<&t7#U}0xqVq|1wKm{^>d|)~Qh*^NxK?EW$Vp{OO?)7Fbn0f~oLjXc85)euE3B7xY2`bzm2%$Nk{F`
gq^LJZSA7_U04+x^#duYmK3)TiUT^5*t5L7?Zz{^@?XD*vas4=upW=3`=48Y7~NVqNwa`JyDfcwuuPC|u?jlluR)
nXV0qhJ(_f>AIEM!_f;1w#QmhO?3_3cQ&~)Xgy(fTLg(jDk@x3P!;w7zHE(00pxqM*""",
    "HEAT": """
c-rf9^6?Gf<&t7#VB%t6Vq|1wKm`s?{9t+k5VHVrgAhdgwyE~kWkGY>VCoxS3;_uBrI|6;<II(}Oi<wif)JVm%D=
g$J%6`V^>JpHMM9|d9-4C5g0+E7mj&hy9P)x-z{ns71r31^hrs>uF*p@O-I$@@<%I4z62N~baDejV7)HS;7zLwX6
pVsVFbYP&Py~<RtYnK10VHZx7!AKsFbYP&C>RB!fE)k-Ob04Y""",
}


def unpacked(text):
    return zlib.decompress(base64.b85decode(text.replace("\n", "")))


@check
def filters_that_refuse_times(primary, _replica):
    """Programs make filters that take no time far from their newest event."""
    client = primary.client()
    day = 86_400_000
    for family, text in A_DAY_AHEAD.items():
        ok(client(f"{family}.LOADCHUNK", family, 1, unpacked(text)))
        for words in (("ADD", family, "b"), ("MADD", family, "b", "c"),
                      ("INSERT", family, "TIMESTAMP", START + 3 * day, "ITEMS", "b")):
            refused(client, f"{family}.{words[0]}", *words[1:], key=family, says="further ahead")
        ok(client(f"{family}.INSERT", family, "TIMESTAMP", START + day // 2, "ITEMS", "b"))
    for times in ((START + day, START + 5 * day), (START + day // 2, START - 3 * day)):
        words = [word for at in times for word in (at, "c")]
        refused(client, "HISTORY.MADDAT", "HISTORY", *words, key="HISTORY", says="ERR timestamp")
    ok(client("HISTORY.MADDAT", "HISTORY", START + day, "c", START + 2 * day, "c"))


@check
def histories_of_microseconds(primary, _replica):
    """A granule may be shorter than a millisecond, in filters that programs have made."""
    client = primary.client()
    ok(client("HISTORY.LOADCHUNK", "y", 1, unpacked(MICROSECONDS)))
    assert client("HISTORY.RANGES", "y", "a", "-", "+") == [
        [START, START], [START + 12, START + 12], [START + 1999, START + 1999]]
    for end, seen in ((START, [1]), (START + 12, [1, 1]), (START + 1999, [1, 1] + [0] * 197 + [1])):
        assert client("HISTORY.HISTOGRAM", "y", "a", START, end, "BUCKET", 10) == seen, end
    assert client("HISTORY.HISTOGRAM", "y", "a", START + 1, START + 11, "BUCKET", 1) == [0] * 11
    assert client("HISTORY.FIRST", "y", "a", START + 1, "+") == START + 12


@check
def cut_or_changed_dumps_are_refused(primary, _replica):
    client = primary.client()
    draw = random.Random(8)
    keys = fill(client, seed=8, writes=10)
    client("DEBUG", "set-skip-checksum-validation", 1)
    try:
        for key in keys:
            dump = client("DUMP", key)
            for _ in range(40):
                bad = bytearray(dump)
                bad[draw.randrange(len(bad) - 10)] ^= 1 << draw.randrange(8)
                reply = client("RESTORE", "new", 0, bytes(bad), "REPLACE")
                assert reply == "OK" or reply.startswith("ERR"), reply
            reply = client("RESTORE", "new", 0, dump[:len(dump) // 2] + dump[-10:], "REPLACE")
            assert isinstance(reply, Error), reply
    finally:
        client("DEBUG", "set-skip-checksum-validation", 0)
    assert client("PING") == "PONG"
