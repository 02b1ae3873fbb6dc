"""The examples of docs/redis.md and of the recipes: `> command`, then its reply, flat; `...` is any part of it."""
import re
import shlex

import servers
from reply_checks import FAMILIES
from resp import Error

checks = []
# Commands that all families have, alike.
SHARED = ("INFO", "CARD", "SHARD", "RESET", "MERGE", "SCANDUMP", "LOADCHUNK", "DEBUG")


def check(function):
    checks.append(function)
    return function


def blocks():
    pages = [servers.ROOT / "docs/redis.md", *(servers.ROOT / "docs/recipes").iterdir()]
    return [block for page in pages
            for block in re.findall(r"```redis\n(.*?)```", page.read_text(), re.DOTALL)]


def flat(reply):
    if isinstance(reply, list):
        return " ".join(map(flat, reply))
    if reply is None:
        return "nil"
    return reply.decode("latin-1") if isinstance(reply, bytes) else str(reply)


@check
def documented_examples_are_true(primary, _replica):
    client = primary.client()
    assert len(blocks()) >= 5
    for block in blocks():
        client("FLUSHALL")
        for line, expected in re.findall(r"> (.*)\n(.*)\n", block):
            reply = client(*shlex.split(line))
            assert isinstance(reply, Error) == expected.startswith("ERR "), (line, reply)
            pattern = ".*".join(map(re.escape, expected.split("...")))
            assert re.fullmatch(pattern, flat(reply), re.DOTALL), (line, flat(reply), expected)


@check
def every_command_has_an_example(primary, _replica):
    examples = {line.split()[1] for block in blocks() for line in block.splitlines()
                if line.startswith("> ")}
    for name in primary.client()("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomtime"):
        family, verb = name.decode().upper().split(".")
        known = {f"{family}.{verb}"} | {f"{f}.{verb}" for f in FAMILIES if verb in SHARED}
        assert known & examples, name


@check
def every_command_is_documented(primary, _replica):
    text = (servers.ROOT / "docs/redis.md").read_text()
    for name in primary.client()("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomtime"):
        family, verb = name.decode().upper().split(".")
        assert f"{family}.{verb}" in text or f"X.{verb}" in text, name
