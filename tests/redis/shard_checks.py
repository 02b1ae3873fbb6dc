"""Filters in several keys: push, pull, heat, seen and count with --shards, and X.SHARD."""
import json
import os
import tempfile

import cluster
from command_checks import address, filled, ok, refused, run
from refusal_checks import refused as refused_by

checks = []


def check(function):
    checks.append(function)
    return function


def answers(command, store, items, *options):
    """What the command says about items, as (item, answers...)."""
    rows = json.loads(ok(command, store, *options, "--json", *items))
    keys = ("hits", "rate_per_minute") if command == "heat" else ("count",)
    return [(row["item"], *(round(row[key], 9) for key in keys)) for row in rows["items"]]


def compare_with_whole(server, profile, stock, shards):
    """Items have the answers of the whole filter, which is in a key of its own."""
    hosts = [line.split("\t")[2] for line in
             ok("hot", profile, "--field", "host", "-n", 50).splitlines()[1:]]
    hosts += [f"unknown{i}" for i in range(20)]
    things = [f"item{i}" for i in range(60)]
    times = [("2014-01-01", "2014-01-02"), ("2014-01-01T09:00", "2014-01-01T09:01")]
    for command, store, options, items in (
            ("heat", profile, ("--family", "heat", "--field", "host"), hosts),
            ("seen", profile, ("--family", "history", "--field", "host"), hosts[::7]),
            ("count", stock, (), things)):
        whole = ("--key", f"whole.{command}")
        parts = ("--key", command, "--shards", shards)
        ok("push", store, server, *whole, *options)
        ok("push", store, server, *parts, *options)
        if command != "seen":
            said = answers(command, server, items, *whole)
            assert any(answer for _, answer, *_ in said), said
            assert answers(command, server, items, *parts) == said
            continue
        for host in items:
            for first, last in times:
                asked = (host, "--from", first, "--to", last, "--json")
                said = [json.loads(either("seen", server, *key, *asked))["questions"][0]["answer"]
                        for key in (whole, parts)]
                assert said[0] == said[1], (host, first, said)


def either(*words):
    """The output of a command that says yes or no."""
    done = run(*words)
    assert done.returncode in (0, 1), done
    return done.stdout


@check
def shards_answer_as_the_whole_filter(primary, _replica):
    with tempfile.TemporaryDirectory() as folder:
        profile, stock, _ = filled(folder)
        client, back = primary.client(), os.path.join(folder, "back")
        compare_with_whole(address(primary), profile, stock, 4)
        assert client("EXISTS", *(f"count:{{{i}}}" for i in range(4))) == 4
        ok("pull", address(primary), back, "--key", "count", "--shards", 4)
        ok("push", back, address(primary), "--key", "joined")
        for i in range(60):
            assert client("TALLY.COUNT", "joined", f"item{i}") == (20 if i < 50 else 0)


@check
def a_push_in_shards_leaves_nothing_behind(primary, _replica):
    with tempfile.TemporaryDirectory() as folder:
        _, stock, state = filled(folder)
        client, server = primary.client(), address(primary)
        client("SET", "stock:{2}", "in the way")
        refused("push", stock, server, "--key", "stock", "--shards", 4, says="stock:{2}")
        assert client("DBSIZE") == 1
        for bad in (0, 3, 128, "x", -2):
            refused("push", stock, server, "--key", "k", f"--shards={bad}", says="power of two")
        refused("push", state, server, "--key", "k", "--shards", 4, says="window of insertions")
        refused("count", server, "apples", says="--key")
        refused("count", server, "apples", "--key", "none", says="has no key none")
        refused("count", stock, "apples", "--key", "k", says="redis://")
        client("RECENCY.ADD", "r", "a")
        refused("count", server, "apples", "--key", "r", says="recency")
        assert client("DBSIZE") == 2


@check
def shard_tells_where_an_item_belongs(primary, _replica):
    client = primary.client()
    for family in ("RECENCY", "HEAT", "HISTORY", "TALLY"):
        client(f"{family}.ADD", family, "a")
        numbers = client(f"{family}.SHARD", family, 8, *(f"i{i}" for i in range(400)))
        assert len(numbers) == 400 and set(numbers) == set(range(8)), (family, numbers)
        assert client(f"{family}.SHARD", family, 1, "a", "b") == [0, 0]
        halves = client(f"{family}.SHARD", family, 16, *(f"i{i}" for i in range(400)))
        assert numbers != halves
        for bad in (0, 3, 128, "x"):
            refused_by(client, f"{family}.SHARD", family, bad, "a", says="shards")
        refused_by(client, f"{family}.SHARD", "missing", 2, "a", says="not found")
    client("TALLY.RESERVE", "cells", 0.01, 100, "ENGINE", "tally_filter")
    refused_by(client, "TALLY.SHARD", "cells", 2, "a", says="cannot be divided")


@check
def shards_are_spread_over_a_cluster(_primary, _replica):
    if not cluster.TOOL:
        return "redis-cli is missing"
    with tempfile.TemporaryDirectory() as folder, cluster.Cluster() as nodes:
        profile, stock, _ = filled(folder)
        compare_with_whole(address(nodes.nodes[0]), profile, stock, 16)
        sizes = [n.client()("DBSIZE") for n in nodes.nodes]
        assert sum(sizes) == 3 * 17 and all(sizes), sizes
    return None
