"""The examples of docs/redis.md: `> command`, then its reply, flat; `...` is any reply."""
import re
import shlex

import servers
from resp import Error

checks = []


def check(function):
    checks.append(function)
    return function


def flat(reply):
    if isinstance(reply, list):
        return " ".join(map(flat, reply))
    if reply is None:
        return "nil"
    return reply.decode() if isinstance(reply, bytes) else str(reply)


@check
def documented_examples_are_true(primary, _replica):
    client = primary.client()
    text = (servers.ROOT / "docs/redis.md").read_text()
    blocks = re.findall(r"```redis\n(.*?)```", text, re.DOTALL)
    assert len(blocks) >= 5
    for block in blocks:
        client("FLUSHALL")
        for line, expected in re.findall(r"> (.*)\n(.*)\n", block):
            reply = client(*shlex.split(line))
            if expected == "...":
                assert not isinstance(reply, Error), (line, reply)
            else:
                assert flat(reply) == expected, (line, flat(reply), expected)


@check
def every_command_is_documented(primary, _replica):
    text = (servers.ROOT / "docs/redis.md").read_text()
    for name in primary.client()("COMMAND", "LIST", "FILTERBY", "MODULE", "bloomtime"):
        family, verb = name.decode().upper().split(".")
        assert f"{family}.{verb}" in text or f"X.{verb}" in text, name
