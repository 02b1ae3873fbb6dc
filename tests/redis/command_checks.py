"""bloomtime push and pull."""
import os
import pathlib
import re
import subprocess
import tempfile

import servers

checks = []


def check(function):
    checks.append(function)
    return function


def run(*words, env=None, text=None):
    return subprocess.run([servers.COMMAND, *map(str, words)], input=text, capture_output=True,
                          text=True, timeout=120, check=False, env={**os.environ, **(env or {})})


def ok(*words, **more):
    done = run(*words, **more)
    assert done.returncode == 0, (words, done.returncode, done.stderr)
    return done.stdout


def refused(*words, says, **more):
    done = run(*words, **more)
    assert done.returncode == 2 and done.stdout == "", (words, done)
    assert re.fullmatch(r"bloomtime: [^\n]+\n", done.stderr), done.stderr
    assert says in done.stderr, done.stderr


def address(server, database=0):
    return f"redis://127.0.0.1:{server.port}/{database}"


def filled(folder):
    """A store of profile, one of tally, and a state of dedupe."""
    log = os.path.join(folder, "log")
    pathlib.Path(log).write_text(ok("generate", "--records", 5000, "--items", 500))
    profile, stock = os.path.join(folder, "profile"), os.path.join(folder, "stock")
    state = os.path.join(folder, "state")
    ok("profile", log, "--store", profile)
    sales = os.path.join(folder, "sales")
    pathlib.Path(sales).write_text("".join(f"add\titem{i % 50}\n" for i in range(1000)))
    ok("tally", sales, "--op", 1, "--item", 2, "--store", stock)
    ok("dedupe", sales, "--item", 2, "--last", 1000, "--state", state)
    return profile, stock, state


@check
def filters_move_byte_for_byte(primary, _replica):
    client = primary.client()
    with tempfile.TemporaryDirectory() as folder:
        profile, stock, state = filled(folder)
        file, back = os.path.join(folder, "pulled"), os.path.join(folder, "again")
        server = address(primary)
        for key, words in (("heat", [profile, "--family", "heat", "--field", "host"]),
                           ("history", [profile, "--family", "history", "--field", "host"]),
                           ("tally", [stock]), ("recency", [state])):
            shown = ok("push", words[0], server, "--key", key, *words[1:], "--json")
            assert f'"family": "{key}"' in shown or f'"family":"{key}"' in shown, shown
            ok("pull", server, file, "--key", key)
            ok("verify", file)
            ok("info", file)
            client("RENAME", key, "old")
            ok("push", file, server, "--key", key)
            assert client("DEBUG", "DIGEST-VALUE", "old") == client("DEBUG", "DIGEST-VALUE", key)
            ok("pull", server, back, "--key", key)
            assert pathlib.Path(file).read_bytes() == pathlib.Path(back).read_bytes(), key
        top = ok("hot", profile, "--field", "host", "-n", 3, "--tsv").splitlines()[1:]
        hottest = [line.split("\t")[2] for line in top]
        newest = client("HEAT.INFO", "heat", "last_timestamp")
        listed = client("HEAT.LIST", "heat", "COUNT", 3, "AT", newest)
        assert [h.decode() for h in listed] == hottest, (listed, hottest)
        assert client("HISTORY.EXISTS", "history", hottest[0], "-", "+") == 1
        assert client("TALLY.COUNT", "tally", "item7") == 20
        assert client("RECENCY.EXISTS", "recency", "item7") == 1


@check
def large_filters_move_in_chunks(primary, _replica):
    client = primary.client()
    assert client("RECENCY.RESERVE", "big", "0.001", 20_000_000, "LAST", 20_000_000, "ENGINE",
                  "age_partitioned_filter") == "OK", "a filter of more than one chunk"
    client("RECENCY.MADD", "big", "a", "b")
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "big")
        ok("pull", address(primary), file, "--key", "big")
        assert os.path.getsize(file) > 17 << 20
        ok("push", file, address(primary), "--key", "copy")
    assert client("DEBUG", "DIGEST-VALUE", "big") == client("DEBUG", "DIGEST-VALUE", "copy")


@check
def databases_users_and_passwords(primary, _replica):
    client = primary.client()
    client("ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all")
    try:
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "file")
            client("SELECT", 3)
            client("TALLY.ADD", "t", "a")
            user = f"redis://app@127.0.0.1:{primary.port}/3"
            ok("pull", user, file, "--key", "t", env={"REDISCLI_AUTH": "secret"})
            refused("pull", user, file, "--key", "t", says="WRONGPASS",
                    env={"REDISCLI_AUTH": "wrong"})
            refused("pull", user, file, "--key", "t", says="REDISCLI_AUTH")
            refused("pull", address(primary, 2), file, "--key", "t", says="has no key t")
            refused("pull", address(primary, 99), file, "--key", "t", says="out of range")
    finally:
        client("ACL", "DELUSER", "app")


@check
def mistakes_are_explained(primary, _replica):
    client = primary.client()
    client("SET", "text", "x")
    server = address(primary)
    with tempfile.TemporaryDirectory() as folder:
        profile, stock, _ = filled(folder)
        file = os.path.join(folder, "file")
        ok("push", stock, server, "--key", "stock")
        refused("push", stock, server, "--key", "stock", says="already")
        refused("push", profile, server, "--key", "k", "--field", "host", says="--family")
        refused("push", profile, server, "--key", "k", "--family", "tally", "--field", "host",
                says="has no tally")
        refused("push", stock, server, says="--key")
        refused("push", stock, "--key", "k", says="a server")
        refused("pull", server, file, "--key", "text", says="string")
        refused("pull", server, file, "--key", "missing", says="no key")
        for bad in ("127.0.0.1:6379", "redis://", "redis://host:0", "redis://host:99999",
                    "redis://host/x", "redis://[::1", "http://host"):
            refused("pull", bad, file, "--key", "k", says="redis://")
        refused("pull", "redis://me:pw@host", file, "--key", "k", says="REDISCLI_AUTH")
        refused("pull", "rediss://host", file, "--key", "k", says="TLS")
        refused("pull", f"redis://127.0.0.1:{servers.free_port()}", file, "--key", "k",
                says="refused")
        pathlib.Path(file).write_bytes(b"nonsense")
        refused("push", file, server, "--key", "k", says=file)
        assert client("EXISTS", "k") == 0
        with servers.Server(module=False) as bare:
            refused("push", stock, address(bare), "--key", "k", says="TALLY.LOADCHUNK")
