"""Hostile input: changed payloads and random commands. The server must answer PING."""
import random

from reply_checks import commands_of
from resp import Closed, Error
from stored_checks import fill


def mutated(draw, payload, kept_at_end):
    bad = bytearray(payload)
    end = len(bad) - kept_at_end
    for _ in range(draw.choice([1, 1, 2, 8])):
        at = draw.randrange(end) if draw.random() < 0.5 else min(draw.randrange(400), end - 1)
        kind = draw.randrange(5)
        if kind == 0:
            bad[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            bad[at] = draw.choice([0, 1, 127, 128, 255])
        elif kind == 2:
            value = draw.choice([0, 1, 2**31, 2**32 - 1, 2**62, 2**63, 2**64 - 1])
            bad[at:at + 8] = value.to_bytes(8, "little")[:max(0, min(8, end - at))]
        elif kind == 3:
            del bad[at:at + draw.randrange(1, 64)]
        else:
            bad[at:at] = draw.randbytes(draw.randrange(1, 16))
        end = len(bad) - kept_at_end
        if end < 2:
            break
    return bytes(bad)


def probe(client, family, key, draw):
    """Asks an accepted payload what it holds, and writes to it."""
    for words in (("INFO", key), ("CARD", key), ("ADD", key, f"x{draw.randrange(99)}"),
                  ("MADD", key, "a", "b", "c"), ("DEBUG", key), ("SCANDUMP", key, 0)):
        client(f"{family}.{words[0]}", *words[1:])


def payloads(client, each, seed):
    """Changes the payloads of RESTORE and LOADCHUNK of every type."""
    draw = random.Random(seed)
    keys = fill(client, seed=seed, writes=30)
    accepted = refused = 0
    client("DEBUG", "set-skip-checksum-validation", 1)
    for family in ("HEAT", "HISTORY", "RECENCY", "TALLY"):
        mine = [key for key in keys if key.startswith(family.lower())]
        dumps = [client("DUMP", key) for key in mine]
        chunks = [client(f"{family}.SCANDUMP", key, 0)[1] for key in mine]
        for i in range(each):
            client("DEL", "fuzzed")
            if i % 2:
                reply = client("RESTORE", "fuzzed", 0, mutated(draw, draw.choice(dumps), 10))
            else:
                reply = client(f"{family}.LOADCHUNK", "fuzzed", draw.choice([1, 1, 1, 2]),
                               mutated(draw, draw.choice(chunks), 0))
            if isinstance(reply, Error):
                assert reply.startswith("ERR"), reply
                refused += 1
            else:
                accepted += 1
                probe(client, family, "fuzzed", draw)
    client("DEBUG", "set-skip-checksum-validation", 0)
    assert client("PING") == "PONG"
    return accepted, refused


WORDS = ["a", "b", "k1", "k2", "k3", "0", "1", "2", "-1", "1000", "0.01", "0.5", "nan", "inf",
         "1e300", "18446744073709551615", "9223372036854775807", "253402300799999", "-", "+", "",
         "ITEMS", "TIMESTAMP", "WINDOW", "LAST", "HALFLIFE", "TOPK", "SEED", "ENGINE", "ERROR",
         "CAPACITY", "NOCREATE", "AT", "WITHIN", "LIMIT", "BY", "WITHBOUNDS", "WITHCOUNT", "COUNT",
         "WEIGHTS", "GRANULARITY", "RETENTION", "START", "BUCKET", "EXPANSION", "NONSCALING",
         "MAXCOUNT", "SLICES", "SLOTS", "NOREFRESH", "PRIOR", "COSTFP", "COSTFN", "WEIGHTED",
         "10m", "1s", "7d", "heat_table", "heat_filter", "window_table", "decay_ring", "history",
         "timeline_history", "single_history", "tree_history", "level_history", "recency_table",
         "recency_filter", "age_partitioned_filter", "timing_filter", "tally_table",
         "tally_filter", "rising_tally", "counting_filter", "memory", "engine"]


def line(draw, docs):
    """A line that follows the syntax of a command, with some words changed."""
    name = draw.choice(list(docs))
    words = [name]

    def put(arguments):
        for a in arguments:
            flags = a.get(b"flags", [])
            if "optional" in flags and draw.random() < 0.6:
                continue
            if b"token" in a:
                words.append(a[b"token"])
            kind = a[b"type"]
            for _ in range(draw.randrange(1, 4) if "multiple" in flags else 1):
                if kind in (b"oneof", b"block"):
                    inner = a[b"arguments"]
                    put([draw.choice(inner)] if kind == b"oneof" else inner)
                elif kind == b"key":
                    words.append(f"k{draw.randrange(4)}.{name.split('.')[0]}")
                elif kind != b"pure-token":
                    words.append(draw.choice(WORDS) if draw.random() < 0.3 else
                                 {b"double": "0.01", b"integer": str(draw.randrange(1, 50)),
                                  b"unix-time": str(1_700_000_000_000 + draw.randrange(10**9))
                                  }.get(kind, draw.choice(["a", "b", "1000", "10m", "memory"])))

    put(docs[name])
    for _ in range(draw.choice([0, 0, 0, 1, 2])):
        at = draw.randrange(1, len(words) + 1)
        if draw.random() < 0.5:
            words.insert(at, draw.choice(WORDS))
        elif at < len(words):
            del words[at]
    return words


def lines(client, count, seed):
    """Sends random command lines; returns how many were answered without an error."""
    draw = random.Random(seed)
    docs = {name: client("COMMAND", "DOCS", name)[name.encode()][b"arguments"]
            for name in commands_of(client)}
    good = 0
    for i in range(count):
        words = line(draw, docs)
        try:
            reply = client(*words)
        except Closed as closed:
            raise AssertionError(f"the server closed the connection after {words}") from closed
        if isinstance(reply, Error):
            assert reply.startswith(("ERR", "WRONGTYPE", "OOM", "NOPERM")), (words, reply)
        else:
            good += 1
        if i % 5000 == 4999:
            client("FLUSHALL")
    assert client("PING") == "PONG"
    return good
