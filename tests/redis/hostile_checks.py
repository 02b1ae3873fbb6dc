"""What other commands of the server do to keys and around commands: expiry, scripts, databases."""
import itertools
import re
import time

import servers
from refusal_checks import refused
from reply_checks import FAMILIES, ok
from resp import Error
from stored_checks import digest, fill

checks = []
DURATIONS = (1, 1_000_000_000_000)
EXTREMES = {"max-object-bytes": (1 << 16, 1 << 46), "default-capacity": (1, 1 << 36),
            "default-error-rate": ("5e-324", "1e-300", "0.9999999999999999"),
            "default-window-ms": DURATIONS, "default-halflife-ms": DURATIONS,
            "default-granularity-ms": DURATIONS, "max-future-skew-ms": (0, DURATIONS[1]),
            "random-seed": ("no", "yes"), "defrag-enabled": ("no", "yes")}
READS = {"HEAT": (("COUNT", "a"), ("RATE", "a"), ("LIST",), ("QUERY", "WITHBOUNDS", "ITEMS", "a")),
         "HISTORY": (("EXISTS", "a", "-", "+"), ("RANGES", "a", "-", "+"), ("FIRST", "a")),
         "RECENCY": (("EXISTS", "a"), ("AGE", "a"), ("PROB", "ITEMS", "a"),
                     ("DECIDE", "COSTFP", 1, "COSTFN", 1, "ITEMS", "a")),
         "TALLY": (("COUNT", "a"), ("MEXISTS", "a", "b"))}

ENGINE_OPTIONS = {"window_table": ("WINDOW", "1m"), "decay_ring": ("WINDOW", "1m"),
                  "timing_filter": ("LAST", 100)}


def check(function):
    checks.append(function)
    return function


def same(primary, replica, *keys, database=0):
    ours, theirs = primary.client(), replica.client()
    servers.caught_up(ours, theirs)
    for client in (ours, theirs):
        client("SELECT", database)
    assert digest(ours, *keys) == digest(theirs, *keys), keys


def engines_of(client, family):
    """Those that can be made without a program: the two others need a size in memory."""
    options = ("RETENTION", "1h") if family == "HISTORY" else ()
    said = client(f"{family}.RESERVE", "none", "0.1", 1, *options, "ENGINE", "none")
    return [name for name in re.search("the engines are (.*)", said).group(1).split(", ")
            if name not in ("generalized_filter", "recent_buffer")]


@check
def every_engine_is_kept(primary, replica):
    client = primary.client()
    keys = []
    for family in FAMILIES:
        for engine in engines_of(client, family):
            key = f"{family}.{engine}"
            usual = ("RETENTION", "10m") if family == "HISTORY" else ()
            options = ENGINE_OPTIONS.get(engine, usual)
            ok(client(f"{family}.RESERVE", key, "0.01", 500, *options, "ENGINE", engine))
            for i in range(0, 300, 10):
                ok(client(f"{family}.MADD", key, *(f"item {j}" for j in range(i, i + 10))))
                ok(client(f"{family}.ADD", key, f"item {i}"))
            keys.append(key)
    assert len(keys) >= 15, keys
    before = digest(client, *keys)
    ok(client("DEBUG", "RELOAD"))
    assert digest(client, *keys) == before
    for key in keys:
        ok(client("RESTORE", key, 0, client("DUMP", key), "REPLACE"))
        assert client("COPY", key, f"copy.{key}") == 1
    assert digest(client, *keys) == before == digest(client, *(f"copy.{key}" for key in keys))
    for key in keys:
        family = key.split(".")[0]
        ok(client(f"{family}.ADD", key, "more"))
        reply = client(f"{family}.MERGE", key, 1, f"copy.{key}")
        assert reply == "OK" or reply.startswith("ERR "), (key, reply)
        ok(client(f"{family}.RESET", key))
    same(primary, replica, *keys)


@check
def settings_at_their_ends(primary, replica):
    """Whatever is configured, a command succeeds or is refused, and at once."""
    client = primary.client()
    usual = {name: client("CONFIG", "GET", f"bloomtime.{name}")[1] for name in EXTREMES}
    names = list(EXTREMES)
    numbers = itertools.count()
    made = []

    def use(values):
        for name, value in values.items():
            ok(client("CONFIG", "SET", f"bloomtime.{name}", value))
        for family in FAMILIES:
            key = f"{family}{next(numbers)}"
            reply = client(f"{family}.MADD", key, "a", "b", "a")
            if isinstance(reply, Error):
                assert reply.startswith("ERR "), (values, reply)
                assert client("EXISTS", key) == 0, (values, reply)
                continue
            made.append(key)
            for words in READS[family]:
                reply = client(f"{family}.{words[0]}", key, *words[1:])
                assert not isinstance(reply, Error), (values, words, reply)
            assert isinstance(client(f"{family}.INFO", key), list)
            assert isinstance(client(f"{family}.CARD", key), int), (values, key)

    try:
        for name in names:
            for value in EXTREMES[name]:
                use({**usual, name: value})
        for pick in range(3):
            use({name: values[min(pick, len(values) - 1)] for name, values in EXTREMES.items()})
            use({name: values[-1 - min(pick, len(values) - 1)]
                 for name, values in EXTREMES.items()})
        assert len(made) > 40, made
        same(primary, replica, *made)
    finally:
        for name, value in usual.items():
            client("CONFIG", "SET", f"bloomtime.{name}", value)


@check
def writes_keep_the_time_to_live(primary, replica):
    client = primary.client()
    for family in FAMILIES:
        ok(client(f"{family}.INSERT", "source", "SEED", 1, "ITEMS", "a"))
        ok(client(f"{family}.INSERT", "k", "SEED", 1, "ITEMS", "b"))
        assert client("PEXPIRE", "k", 10_000_000) == 1
        for words in (("ADD", "k", "a"), ("MADD", "k", "a", "b"), ("INSERT", "k", "ITEMS", "a"),
                      ("MERGE", "k", 1, "source"), ("RESET", "k")):
            ok(client(f"{family}.{words[0]}", *words[1:]))
            assert client("PTTL", "k") > 0, (family, words)
        _, chunk = client(f"{family}.SCANDUMP", "source", 0)
        ok(client(f"{family}.LOADCHUNK", "new", 2, chunk[:100]))
        assert client("PEXPIRE", "new", 10_000_000) == 1
        ok(client(f"{family}.LOADCHUNK", "new", 1, chunk[100:]))
        assert client("PTTL", "new") > 0, family
        same(primary, replica, "k", "new", "source")
        client("DEL", "k", "new", "source")


@check
def keys_that_expire_within_a_transaction(primary, replica):
    client, copy = primary.client(), replica.client()
    for family in FAMILIES:
        ok(client(f"{family}.ADD", family, "old"))
    client("MULTI")
    for family in FAMILIES:
        client("PEXPIRE", family, 20)
    client("DEBUG", "SLEEP", "0.05")
    for family in FAMILIES:
        client(f"{family}.ADD", family, "new")
        client(f"{family}.CARD", family)
    replies = client("EXEC")
    assert not any(isinstance(r, Error) for r in replies), replies
    servers.wait_for(lambda: client("EXISTS", *FAMILIES) == 0, "the keys have expired")
    servers.wait_for(lambda: copy("DBSIZE") == 0, "those of the replica, too")
    for family in FAMILIES:  # a key that has expired is made anew, with parameters of its own
        ok(client(f"{family}.ADD", family, "a"))
        assert client("PEXPIRE", family, 1) == 1
    time.sleep(0.01)
    for family in FAMILIES:
        ok(client(f"{family}.MADD", family, "b", "c"))
        assert client(f"{family}.CARD", family) == 2
    same(primary, replica, *FAMILIES)


@check
def keys_move_between_names_and_databases(primary, replica):
    client = primary.client()
    keys = fill(client, seed=31, writes=10)
    before = digest(client, *keys)
    for key in keys:
        assert client("COPY", key, key, "DB", 1) == 1
        assert client("RENAME", key, f"new {key}") == "OK"
        assert client("MOVE", f"new {key}", 2) == 1
    assert client("SWAPDB", 0, 1) == "OK"
    assert digest(client, *keys) == before
    for key in keys:
        ok(client(f"{key.split('.')[0].upper()}.MADD", key, "more", "items"))
    same(primary, replica, *keys)
    same(primary, replica, *(f"new {key}" for key in keys), database=2)
    assert primary.client()("DBSIZE") == len(keys)


@check
def watched_keys_notice_what_replaces_them(primary, _replica):
    client, other = primary.client(), primary.client()
    for family in FAMILIES:
        ok(client(f"{family}.ADD", "k", "a"))
        ok(client(f"{family}.ADD", "l", "a"))
        dump = client("DUMP", "k")
        for words in (("RESTORE", "k", 0, dump, "REPLACE"), ("COPY", "l", "k", "REPLACE"),
                      ("PEXPIRE", "k", 100_000), (f"{family}.RESET", "k"),
                      (f"{family}.MERGE", "k", 1, "k"), ("RENAME", "l", "k"), ("DEL", "k")):
            client("WATCH", "k")
            ok(other(*words))
            client("MULTI")
            client(f"{family}.CARD", "k")
            assert client("EXEC") is None, words


@check
def scripts_and_functions(primary, replica):
    client = primary.client()
    for family in FAMILIES:
        ok(client(f"{family}.ADD", family, "a"))
        add = f"return redis.call('{family}.ADD', KEYS[1], ARGV[1])"
        body = f"function(keys, args) return redis.call('{family}.ADD', keys[1], args[1]) end"
        library = (f"#!lua name={family}\nredis.register_function('add{family}', {body})\n"
                   f"redis.register_function{{function_name='read{family}', callback={body}, "
                   "flags={'no-writes'}}")
        assert client("FUNCTION", "LOAD", "REPLACE", library) == family.encode()
        before = digest(client, family)
        for words in (("EVAL_RO", add, 1, family, "b"),
                      ("FCALL_RO", f"add{family}", 1, family, "b"),
                      ("FCALL", f"read{family}", 1, family, "b")):
            reply = client(*words)
            assert isinstance(reply, Error) and digest(client, family) == before, (words, reply)
        assert not isinstance(client("FCALL", f"add{family}", 1, family, "b"), Error)
        assert client(f"{family}.CARD", family) == 2
        card = f"return redis.call('{family}.CARD', KEYS[1])"
        assert client("EVAL_RO", card, 1, family) == 2
    # A script may choose its own protocol.
    script = "redis.setresp(3); return redis.call('HEAT.COUNT', KEYS[1], 'a')['double'] > 1.9"
    ok(client("HEAT.ADD", "HEAT", "a"))
    assert client("EVAL", script, 1, "HEAT") == 1
    assert client("FUNCTION", "FLUSH") == "OK"
    same(primary, replica, *FAMILIES)


@check
def a_busy_script_refuses_and_is_ended(primary, _replica):
    client, busy = primary.client(), primary.client()
    ok(client("RECENCY.ADD", "r", "a"))
    before = client("DEBUG", "DIGEST-VALUE", "r")
    ok(client("CONFIG", "SET", "busy-reply-threshold", 1))
    try:
        busy.send("EVAL", "while redis.call('RECENCY.EXISTS', KEYS[1], 'a') do end", 1, "r")
        servers.wait_for(lambda: str(client("PING")).startswith("BUSY "), "the script is busy")
        for family in FAMILIES:
            assert client(f"{family}.ADD", "r", "b").startswith("BUSY "), family
    finally:
        servers.wait_for(lambda: client("SCRIPT", "KILL") == "OK", "the script is killed")
        assert isinstance(busy.receive(), Error)
        ok(client("CONFIG", "SET", "busy-reply-threshold", 5000))
    assert client("DEBUG", "DIGEST-VALUE", "r") == before


@check
def permissions_to_read_or_write_keys(primary, _replica):
    client = primary.client()
    client("ACL", "SETUSER", "reader", "on", ">pw", "+@all", "%R~*")
    client("ACL", "SETUSER", "writer", "on", ">pw", "+@all", "%W~*")
    try:
        reader, writer = (primary.client(user=(name, "pw")) for name in ("reader", "writer"))
        for family in FAMILIES:
            ok(client(f"{family}.ADD", family, "a"))
            before = digest(client, family)
            for words in (("ADD", family, "b"), ("MADD", family, "b"), ("RESET", family),
                          ("INSERT", family, "ITEMS", "b"), ("MERGE", family, 1, family)):
                for user in (reader, writer):  # an answer of ADD tells what the key has
                    reply = user(f"{family}.{words[0]}", *words[1:])
                    allowed = user is writer and words[0] == "RESET"
                    assert allowed or str(reply).startswith("NOPERM"), (words, reply)
                if words[0] != "RESET":
                    assert digest(client, family) == before
            assert isinstance(reader(f"{family}.CARD", family), int)
            assert str(writer(f"{family}.CARD", family)).startswith("NOPERM")
    finally:
        client("ACL", "DELUSER", "reader", "writer")


@check
def clients_that_track_keys_hear_of_writes_alone(primary, _replica):
    client, other = primary.client(3), primary.client()
    assert client("CLIENT", "NO-EVICT", "on") == "OK"
    assert client("CLIENT", "TRACKING", "on") == "OK"
    for family in FAMILIES:
        ok(other(f"{family}.ADD", family, "a"))
        for write in (False, True):
            client(f"{family}.CARD", family)
            ok(other(*((f"{family}.ADD", family, "b") if write else (f"{family}.INFO", family))))
            client.send("PING")
            said = client.receive()
            assert said == ([b"invalidate", [family.encode()]] if write else "PONG"), (family, said)
            if write:
                assert client.receive() == "PONG"


@check
def keys_migrate_only_to_servers_with_the_module(primary, _replica):
    client = primary.client()
    keys = fill(client, seed=34, writes=5)
    before = digest(client, *keys)
    with servers.Server(module=False) as bare, servers.Server() as other:
        reply = client("MIGRATE", "127.0.0.1", bare.port, "", 0, 5000, "KEYS", *keys)
        assert isinstance(reply, Error) and digest(client, *keys) == before, reply
        ok(client("MIGRATE", "127.0.0.1", other.port, "", 0, 5000, "KEYS", *keys))
        assert digest(other.client(), *keys) == before and client("DBSIZE") == 0


@check
def the_module_is_loaded_later(_primary, _replica):
    """A load that fails leaves nothing behind. The server keeps modules that have data types."""
    with servers.Server(module=False) as server:
        client = server.client()
        for words in (("LOAD", servers.MODULE, "argument"),
                      ("LOADEX", servers.MODULE, "CONFIG", "bloomtime.default-window-ms", "x")):
            assert isinstance(client("MODULE", *words), Error), words
            assert client("RECENCY.ADD", "r", "a").startswith("ERR unknown command"), words
        ok(client("MODULE", "LOADEX", servers.MODULE, "CONFIG", "bloomtime.default-window-ms",
                  9000))
        ok(client("RECENCY.ADD", "r", "a"))
        assert client("RECENCY.INFO", "r", "window_seconds") == b"9"
        client("DEL", "r")
        assert isinstance(client("MODULE", "UNLOAD", "bloomtime"), Error)
        assert isinstance(client("MODULE", "LOAD", servers.MODULE), Error)
        assert client("RECENCY.ADD", "r", "a") == 1


@check
def a_replica_that_was_a_primary(primary, _replica):
    with servers.Server() as other:
        client, copy = primary.client(), other.client()
        keys = fill(client, seed=32, writes=5)
        copy("REPLICAOF", "127.0.0.1", primary.port)
        servers.wait_for(lambda: b"master_link_status:up" in copy("INFO", "replication"), "a link")
        assert copy("REPLICAOF", "NO", "ONE") == "OK"
        for family in FAMILIES:
            ok(copy(f"{family}.MADD", "own", "x", "y"))
            copy("DEL", "own")
            refused(copy, f"{family}.ADD", "own", "a", "NONSENSE")
        fill(copy, seed=33, writes=5)
        ok(client("RECENCY.ADD", "recency", "z"))
        copy("REPLICAOF", "127.0.0.1", primary.port)
        servers.wait_for(lambda: b"master_link_status:up" in copy("INFO", "replication"), "a link")
        servers.caught_up(client, copy)
        assert client("WAIT", 1, 1000) >= 1
        assert digest(client, *keys) == digest(copy, *keys)
