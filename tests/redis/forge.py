"""Golden filters with other numbers in them and right checksums, so that they pass the first check."""
import ctypes
import ctypes.util
import random
import struct
import time

import servers
from fuzz import probe
from reply_checks import START
from resp import Error

MAGIC = bytes.fromhex("89424c4d540d0a1a")
FAMILIES = {2: "HEAT", 3: "HISTORY", 4: "RECENCY", 5: "TALLY"}
ODD = (0, 1, 2, 2**31, 2**32, 2**53, 2**62, 2**63 - 1, 2**63, 2**64 - 1)
QUESTIONS = {
    "HEAT": [("COUNT", "a"), ("COUNT", "a", "WITHIN", 1000), ("RATE", "a"), ("LIST", "WITHCOUNT"),
             ("QUERY", "WITHBOUNDS", "ITEMS", "a"), ("INCRBY", "a", 5, "b", 2**32),
             ("ADD", "ip", "LIMIT", 3, "WITHIN", 1000), ("MERGE", 1, "forged", "WEIGHTS", "0.3")],
    "HISTORY": [("RANGES", "a", 0, 10**7), ("LAST", "a", 0, 10**7), ("TRIM", START),
                ("HISTOGRAM", "a", 0, 10**7, "BUCKET", "1h"), ("MEXISTS", 0, 10**7, "a", "b"),
                ("MADDAT", START, "a", START + 86_400_000, "b", 1000, "c"),
                ("MERGE", 1, "forged")],
    "RECENCY": [("AGE", "a", "AT", 0), ("MEXISTS", "a", "b"), ("PROB", "ITEMS", "a"),
                ("PROB", "PRIOR", "0.01", "WITHIN", 5, "ITEMS", "a"),
                ("DECIDE", "COSTFP", 1, "COSTFN", 2, "ITEMS", "a"), ("MERGE", 1, "forged")],
    "TALLY": [("MCOUNT", "a", "b"), ("ADD", "a", "BY", 2**63), ("DEL", "a", "BY", 2**62),
              ("MDEL", "a", "b"), ("COMPACT",), ("MERGE", 1, "forged")]}


def hasher():
    """XXH3 with 64 bits, or None where its library is missing."""
    name = ctypes.util.find_library("xxhash")
    if name is None:
        return None
    function = ctypes.CDLL(name).XXH3_64bits
    function.restype, function.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
    return lambda data: function(bytes(data), len(data))


def seal(data, digest):
    """Writes the checksums of a container and of those in it anew; see docs/FORMAT.md."""
    parameter_bytes, sections = struct.unpack_from("<II", data, 40)
    head = (64 + 32 * sections + parameter_bytes + 63) // 64 * 64
    if head > len(data):
        return
    for entry in range(64, 64 + 32 * sections, 32):
        first, size = struct.unpack_from("<QQ", data, entry + 8)
        if first < head or first + size > len(data):
            continue
        at = first
        while at + 64 <= first + size:
            total = struct.unpack_from("<Q", data, at + 48)[0]
            if data[at:at + 8] == MAGIC and 64 <= total <= first + size - at:
                inner = data[at:at + total]
                seal(inner, digest)
                data[at:at + total] = inner
            at += 64
        struct.pack_into("<Q", data, entry + 24, digest(data[first:first + size]))
    data[56:64] = bytes(8)
    struct.pack_into("<Q", data, 56, digest(data[:head]))


def forged(draw, stored, digest):
    data = bytearray(stored)
    parameter_bytes, sections = struct.unpack_from("<II", data, 40)
    first = 64 + 32 * sections
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        kind = draw.random()
        if kind < 0.6:  # a parameter, or the seed or the clock
            at = draw.choice((16, 24, 32, *range(first, first + parameter_bytes - 7, 8)))
            [old] = struct.unpack_from("<Q", data, at)
            value = draw.choice((*ODD, old + 1, old - 1, 2 * old, draw.getrandbits(60)))
            struct.pack_into("<Q", data, at, value % 2**64)
        else:
            at = draw.randrange(first, len(data))
            data[at] = draw.choice((0, 1, 127, 128, 255, data[at] ^ 1 << draw.randrange(8)))
    seal(data, digest)
    return bytes(data)


def filters(client, count, seed):
    """Loads so many of each family, asks those that are accepted and writes to them."""
    digest, draw = hasher(), random.Random(seed)
    stored = {family: [] for family in FAMILIES.values()}
    for path in sorted((servers.ROOT / "tests/format/golden/v1").glob("*.bloomtime")):
        data = path.read_bytes()
        if data[10] in FAMILIES:
            same = bytearray(data)
            seal(same, digest)
            assert bytes(same) == data, path
            stored[FAMILIES[data[10]]].append(data)
    accepted = slowest = 0
    for family, golden in stored.items():
        for _ in range(count):
            client("DEL", "forged")
            reply = client(f"{family}.LOADCHUNK", "forged", 1,
                           forged(draw, draw.choice(golden), digest))
            if isinstance(reply, Error):
                assert reply.startswith("ERR"), reply
                continue
            accepted += 1
            for words in draw.sample(QUESTIONS[family], 4):
                started = time.monotonic()
                client(f"{family}.{words[0]}", "forged", *words[1:])
                slowest = max(slowest, time.monotonic() - started)
            probe(client, family, "forged", draw)
            client(f"{family}.RESET", "forged")
    assert client("PING") == "PONG"
    return accepted, slowest
