"""The live page, on a log that grows."""
import json
import pathlib
import signal
import subprocess

from support import (COMMAND, address_of, answer, check, expect_quiet, fetch, look, run, script,
                     serving, until)


def append(lines, seed, name="live.log"):
    with open(name, "a", encoding="utf-8") as log:
        log.write(run("generate", "--records", str(lines), "--seed", str(seed)))


@check(browser=True)
def page_follows_a_log_and_survives_a_restart():
    pathlib.Path("live.log").write_text("")
    append(300, 1)
    number = "return document.querySelector('#figures dd').innerText"
    with serving("live.bloomtime", "--follow", "live.log") as (address, process):
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2]).get("records") == 300)
        b = look(address)
        until(lambda: script(number) == "300")
        append(200, 2)
        until(lambda: script(number) == "500")
        expect_quiet(b)
        refused = subprocess.run([COMMAND, "profile", "live.log", "--store", "live.bloomtime"],
                                 capture_output=True, check=False)
        assert refused.returncode == 2, "a second writer was let in"
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        assert answer("hot", "live.bloomtime")["records"] == 500, "no checkpoint at the end"
        append(100, 3)
        again = subprocess.Popen([COMMAND, "serve", "live.bloomtime", "--follow", "live.log",
                                  "--listen", address.removeprefix("http://")],
                                 stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        try:
            address_of(again)
            until(lambda: script(number) == "600", 30)
        finally:
            again.terminate()
            again.wait(20)
            again.stderr.close()


@check(browser=True)
def a_reader_is_not_disturbed():
    """New events leave the cursor, the focus and an open table where they are."""
    from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
    lines = run("generate", "--records", "500").splitlines(keepends=True)
    pathlib.Path("calm.log").write_text("".join(lines[:300]))
    number = "return document.querySelector('#figures dd').innerText"
    cursor = ("const line = document.querySelector('#traffic .cursor');"
              "return line && document.activeElement.className === 'chart'"
              " && document.querySelector('#traffic .tip b').innerText")
    table = "return document.querySelectorAll('#traffic details[open] tbody tr').length > 1"
    with serving("calm.bloomtime", "--follow", "calm.log") as (address, _):
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2]).get("records") == 300)
        b = look(address)
        until(lambda: script(number) == "300")
        b.find_element("css selector", "#traffic summary").click()
        until(lambda: script(table))
        b.find_element("css selector", "#traffic .chart").send_keys(Keys.HOME)
        begin = script(cursor)[:16]
        assert begin.startswith("2014-01-01 00:"), begin
        with open("calm.log", "a", encoding="utf-8") as log:
            log.write("".join(lines[300:]))
        until(lambda: script(number) == "500")
        assert script(cursor)[:16] == begin
        assert script(table)
        expect_quiet(b)


@check
def followed_logs_are_answered_while_they_grow():
    pathlib.Path("grows.log").write_text("")
    append(2000, 4, "grows.log")
    with serving("--follow", "grows.log") as (address, _):
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2]).get("records") == 2000)
        heat = json.loads(fetch(f"{address}/api/heat?field=path&item=/")[2])
        assert heat["items"][0]["total"] > 0
        for seed in range(5, 8):
            append(500, seed, "grows.log")
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2]).get("records") == 3500)
    assert answer("hot", "grows.bloomtime")["records"] == 3500
