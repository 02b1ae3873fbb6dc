"""The server: answers, who may ask, and limits."""
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import threading
import time
import urllib.parse

from support import COMMAND, ROOT, answer, check, day_store, fetch, run, serving, until


def asked(address, path, **values):
    query = urllib.parse.urlencode(values, doseq=True)
    status, _, body = fetch(f"{address}{path}?{query}")
    return status, json.loads(body)


def raw(address, data, seconds=5.0):
    """What the server sends back until it closes, or for so long."""
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=seconds) as s:
        s.sendall(data)
        found = b""
        try:
            while chunk := s.recv(65536):
                found += chunk
        except (TimeoutError, ConnectionResetError):
            pass
        return found


@check
def answers_equal_the_commands():
    store = day_store()
    with serving(store) as (address, _):
        for path, values, command in (
                ("hot", {"n": 7, "by": "total"}, ["hot", store, "-n", "7", "--by", "total"]),
                ("heat", {"field": "path", "item": ["/", "/nobody"]},
                 ["heat", store, "/", "/nobody", "--field", "path"]),
                ("timeline", {"field": "path", "item": "/"}, ["timeline", store, "/", "--field", "path"]),
                ("seen", {"field": "path", "item": "/", "from": "2014-01-01T09:00",
                          "to": "2014-01-01T10:00"},
                 ["seen", store, "/", "--field", "path", "--from", "2014-01-01T09:00",
                  "--to", "2014-01-01T10:00"])):
            status, found = asked(address, f"/api/{path}", **values)
            assert status == 200, found
            assert found == answer(*command), path
        _, heat = asked(address, "/api/heat", field="path", item="/")
        _, count = asked(address, "/api/count", field="path", item="/")
        assert count["items"][0]["count"] == heat["items"][0]["total"]


@check
def what_is_no_longer_kept_is_not_called_empty():
    lines = [f"{1_400_000_000 + i}\told\n" for i in range(100)]
    lines += [f"{1_400_000_000 + 30 * 86_400 + i}\tnew\n" for i in range(3)]
    pathlib.Path("keep.tsv").write_text("".join(lines))
    run("profile", "keep.tsv", "--format", "tsv", "--time", "1", "--item", "2", "--keep", "1d",
        "--store", "keep.bloomtime")
    expected = answer("timeline", "keep.bloomtime", "new")
    assert expected["asked_ticks"] < 3 * 86_400
    with serving("keep.bloomtime") as (address, _):
        assert asked(address, "/api/timeline", item="new") == (200, expected)
        page = fetch(address)[2].decode()
    data = json.loads(re.search(r'id="document">(.*?)</script>', page, re.DOTALL)[1])
    assert data["lists"][0]["timeline"]["asked_ticks"] == expected["asked_ticks"]


@check
def examples_of_openapi_run():
    document = json.loads((ROOT / "web/page/openapi.json").read_text())
    with serving(day_store(), "--window", "10m") as (address, _):
        assert json.loads(fetch(f"{address}/api/openapi.json")[2]) == document
        for path, methods in document["paths"].items():
            if path == "/api/events":
                continue
            for method, what in methods.items():
                values = {p["name"]: p["example"] for p in what.get("parameters", [])
                          if "example" in p}
                body = None
                if method == "post":
                    body = json.dumps(what["requestBody"]["content"]["application/json"]["example"]).encode()
                query = urllib.parse.urlencode(values, doseq=True)
                status, _, found = fetch(f"{address}{path}?{query}", body,
                                         Content_Type="application/json")
                assert status == 200, (path, found)
                schema = what["responses"]["200"]["content"]["application/json"]["schema"]
                assert set(schema["required"]) <= set(json.loads(found)), path


def judge(address, *keys):
    status, _, body = fetch(f"{address}/api/dedupe", json.dumps({"keys": keys}).encode(),
                            Content_Type="application/json")
    assert status == 200, body
    return [k["duplicate"] for k in json.loads(body)["keys"]]


@check
def keys_are_judged_once_and_kept():
    with serving("--window", "1h", "--state", "keys.state", listen="localhost:0") as (address, _):
        assert judge(address, "a", "b", "a") == [False, False, True]
        status, _, _ = fetch(f"{address}/api/dedupe", b'{"keys":["a"]}')
        assert status == 415
        for wrong in (b"", b"[]", b'{"keys":[1]}', b'{"keys":["a"],"x":1}', b"\xff",
                      b'{"keys":["a"],"at":18446744073709551615}'):
            assert fetch(f"{address}/api/dedupe", wrong, Content_Type="application/json")[0] == 400
    with serving("--state", "keys.state") as (address, _):
        assert judge(address, "a", "c") == [True, False]


@check
def other_sites_are_refused():
    with serving(day_store()) as (address, _):
        port = address.rsplit(":", 1)[1]
        for headers, status in (
                ({}, 200), ({"Origin": address}, 200), ({"Host": f"localhost:{port}"}, 200),
                ({"Host": "evil.example"}, 403), ({"Host": f"evil.example:{port}"}, 403),
                ({"Origin": "https://evil.example"}, 403), ({"Origin": "null"}, 403),
                ({"Sec-Fetch-Site": "cross-site"}, 403)):
            for path in ("/", "/api/hot", "/metrics"):
                found, answered, _ = fetch(address + path, **headers)
                assert found == status, (headers, path, found)
                assert answered["Access-Control-Allow-Origin"] is None
        policy = fetch(address)[1]["Content-Security-Policy"]
        assert "unsafe" not in policy and "default-src 'none'" in policy
        assert fetch(address)[1]["Content-Security-Policy"] != policy, "a nonce was used twice"
    with serving(day_store(), "--host", "stats.example") as (address, _):
        assert fetch(address, Host="stats.example")[0] == 200


@check
def tokens_are_needed():
    token = "0123456789abcdef"
    run("serve", day_store(), "--listen", "0.0.0.0:0", status=2)
    run("serve", day_store(), "--listen", "0.0.0.0:0", "--token", "short", status=2)
    pathlib.Path("token").write_text(token + "\n")
    with serving(day_store(), "--token-file", "token") as (address, _):
        for path in ("/", "/api/hot", "/metrics", "/api/events", "/?token=wrong"):
            assert fetch(address + path)[0] == 401, path
        assert fetch(f"{address}/metrics", Authorization=f"Bearer {token}")[0] == 200
        assert fetch(f"{address}/metrics", Authorization=f"Bearer {token}x")[0] == 401
        status, headers, _ = fetch(f"{address}/?token={token}")
        assert status == 303 and headers["Location"] == "/"
        assert "HttpOnly" in headers["Set-Cookie"] and "SameSite=Strict" in headers["Set-Cookie"]
        assert fetch(address, Cookie=headers["Set-Cookie"].split(";")[0])[0] == 200


@check
def wrong_questions_get_sentences():
    with serving(day_store()) as (address, _):
        for path, status in (("/api/heat?item=x", 400), ("/api/heat?field=path", 400),
                             ("/api/heat?field=nope&item=x", 400), ("/api/hot?n=0", 400),
                             ("/api/hot?x=1", 400), ("/api/hot?by=x", 400),
                             ("/api/seen?field=path&item=/&from=x&to=y", 400),
                             ("/api/hot?at=2013-01-01", 400), ("/api/nothing", 404),
                             ("/nothing", 404), ("/api/dedupe", 404), ("/../etc/passwd", 404)):
            found, _, body = fetch(address + path)
            assert found == status, (path, found)
            assert len(json.loads(body)["error"]) > 10
            assert status != 400 or "--" not in json.loads(body)["error"], body


@check
def metrics_are_readable():
    with serving(day_store(), "--window", "1m") as (address, _):
        text = fetch(f"{address}/metrics")[2].decode()
        values = {}
        for line in text.splitlines():
            if not line.startswith("#"):
                name, _, number = line.rpartition(" ")
                values[name] = float(number)
        assert values["bloomtime_events_total"] == answer("hot", day_store())["records"]
        assert values['bloomtime_dedupe_keys_total{answer="new"}'] == 0
        assert values["bloomtime_http_connections"] >= 1


@check
def requests_have_limits():
    with serving(day_store(), "--window", "1m") as (address, _):
        head = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
        for wrong in (head + b"X: " + b"y" * 200_000 + b"\r\n\r\n",
                      head + b"X: y\r\n" * 20_000 + b"\r\n",
                      b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
                      b"DELETE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
                      b"POST /api/dedupe HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n",
                      b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
                      b"GET / HTTP/9.9\r\nHost: x\r\n\r\n"):
            found = raw(address, wrong, 2)
            assert not found.startswith(b"HTTP/1.1 2"), (wrong[:60], found[:60])
        # A body in chunks has no length to look at.
        chunk = b"10000\r\n" + b"z" * 0x10000 + b"\r\n"
        found = raw(address, b"POST /api/dedupe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 8 + b"0\r\n\r\n", 2)
        assert not found.startswith(b"HTTP/1.1 2"), found[:60]
        assert fetch(address)[0] == 200


@check
def too_many_parameters_are_refused_at_once():
    """libmicrohttpd would leave such a request without an answer."""
    with serving(day_store()) as (address, _):
        for items, status in ((400, b"200"), (401, b"400"), (470, b"414"), (2000, b"414")):
            query = "&item=a" * items
            found = raw(address, f"GET /api/heat?field=path{query} HTTP/1.1\r\nHost: localhost\r\n"
                        "Connection: close\r\n\r\n".encode(), 60)
            assert found.startswith(b"HTTP/1.1 " + status), (items, found[:60])
            assert len(found.partition(b"\r\n\r\n")[2]) > 10


@check
def live_pages_leave_connections_for_others():
    with serving(day_store()) as (address, _):
        host, port = address.removeprefix("http://").split(":")
        peers = []
        for _ in range(150):
            peers.append(socket.create_connection((host, int(port)), timeout=60))
            peers[-1].sendall(b"GET /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answers = [p.recv(12) for p in peers]
        assert answers.count(b"HTTP/1.1 200") == 128, answers
        assert answers.count(b"HTTP/1.1 503") == 22, answers
        assert fetch(address)[0] == 200
        for p in peers:
            p.close()
        assert fetch(f"{address}/api/events", b"")[0] == 405


@check
def half_open_connections_do_not_stop_it():
    with serving(day_store()) as (address, process):
        host, port = address.removeprefix("http://").split(":")
        peers = [socket.create_connection((host, int(port))) for _ in range(100)]
        for p in peers[:50]:
            p.sendall(b"GET / HTTP/1.1\r\nHo")
        begun = time.monotonic()
        assert fetch(address)[0] == 200
        for p in peers:
            p.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0 and time.monotonic() - begun < 60


@check
def a_store_that_others_write_is_shown_anew():
    pathlib.Path("two.log").write_text(run("generate", "--records", "500"))
    run("profile", "two.log", "--store", "two.bloomtime")
    with serving("two.bloomtime") as (address, _):
        assert json.loads(fetch(f"{address}/api/hot")[2])["records"] == 500
        with open("two.log", "a", encoding="utf-8") as log:
            log.write(run("generate", "--records", "100", "--seed", "9"))
        run("profile", "two.log", "--store", "two.bloomtime")
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2])["records"] == 600)


def expect_note(process, text):
    while text not in process.stderr.readline():
        assert process.poll() is None


def records(address):
    return json.loads(fetch(f"{address}/api/hot")[2])["records"]


@check
def a_store_that_is_replaced_is_shown_anew():
    for name, lines in (("first", 300), ("second", 400)):
        pathlib.Path(f"{name}.log").write_text(run("generate", "--records", str(lines)))
        run("profile", f"{name}.log", "--store", f"{name}.bloomtime")
    pathlib.Path("sales.tsv").write_text("+\tapples\n")
    run("tally", "sales.tsv", "--format", "tsv", "--op", "1", "--item", "2", "--store", "stock")
    pathlib.Path("first.bloomtime").rename("shown")
    with serving("shown") as (address, process):
        assert records(address) == 300
        # As many checkpoints as the one before.
        pathlib.Path("shown").rename("away")
        pathlib.Path("second.bloomtime").rename("shown")
        until(lambda: records(address) == 400)
        # What is missing, or of another command, is reported; the page stays as it was.
        pathlib.Path("shown").rename("second.bloomtime")
        expect_note(process, b"there is no store")
        pathlib.Path("stock").rename("shown")
        expect_note(process, b"holds a tally")
        assert records(address) == 400
        pathlib.Path("shown").rename("stock")
        pathlib.Path("away").rename("shown")
        until(lambda: records(address) == 300)
        assert process.poll() is None


@check
def keys_that_were_answered_are_kept():
    """Also those that were answered while the server ended."""
    day_store()
    answered, stop = [], threading.Event()
    with serving("judged.bloomtime", "--follow", "day.log", "--window", "1d", "--state",
                 "judged.state") as (address, process):

        def send():
            while not stop.is_set():
                try:
                    key = f"key {len(answered)}"
                    judge(address, key)
                    answered.append(key)
                except OSError:
                    stop.set()

        sender = threading.Thread(target=send)
        sender.start()
        until(lambda: len(answered) > 100)
        process.send_signal(signal.SIGTERM)
        process.wait(30)
        sender.join()
    with serving("--state", "judged.state") as (address, _):
        assert all(judge(address, *answered))


@check
def a_signal_leaves_nothing_beside_the_state():
    """While it starts, while it serves, and while it follows a log."""
    day_store()
    for arguments in ([], ["left.bloomtime", "--follow", "day.log"]):
        with serving(*arguments, "--window", "1d", "--state", "left.state") as (address, process):
            judge(address, "a")
            assert pathlib.Path("left.state.lock").exists()
            process.send_signal(signal.SIGTERM)
            process.wait(30)
        assert [p.name for p in pathlib.Path().glob("left.state*")] == ["left.state"]
    process = subprocess.Popen([COMMAND, "serve", "--state", "left.state", "--listen",
                                "127.0.0.1:0"], stderr=subprocess.DEVNULL)
    while process.poll() is None and not pathlib.Path("left.state.lock").exists():
        pass
    process.send_signal(signal.SIGTERM)
    process.wait(30)
    assert not pathlib.Path("left.state.lock").exists()


@check
def killed_servers_have_what_they_saved():
    """Each is killed while it answers. The state is always whole, and nothing is left beside it."""
    day_store()
    saved, count = [], 0
    for _ in range(4):
        with serving("--window", "1d", "--state", "killed.state", "--checkpoint",
                     "1s") as (address, process):
            for i in range(0, len(saved), 1000):
                assert all(judge(address, *saved[i:i + 1000]))
            before = pathlib.Path("killed.state")
            marks = {before.stat().st_mtime_ns if before.exists() else 0}
            answered = []
            # Saved twice: what was answered before the first save is in the second at the latest.
            while len(marks) < 3:
                keys = [f"key {count + i}" for i in range(50)]
                count += 50
                judge(address, *keys)
                if len(marks) == 1:
                    answered += keys
                if before.exists():
                    marks.add(before.stat().st_mtime_ns)
            process.kill()
            process.wait(30)
            saved += answered
        rest = {p.name for p in pathlib.Path().glob("killed.state*")}
        assert rest - {f"killed.state.tmp.0.{i}" for i in range(8)} == {"killed.state",
                                                                        "killed.state.lock"}, rest
    with serving("--state", "killed.state") as (address, _):
        for i in range(0, len(saved), 1000):
            assert all(judge(address, *saved[i:i + 1000]))
    assert [p.name for p in pathlib.Path().glob("killed.state*")] == ["killed.state"]


@check
def a_state_that_cannot_be_saved_ends_nothing():
    for arguments in ([], ["saved.bloomtime", "--follow", "day.log"]):
        day_store()
        pathlib.Path("states").mkdir()
        with serving(*arguments, "--window", "1d", "--state", "states/keys.state", "--checkpoint",
                     "1s") as (address, process):
            pathlib.Path("states").rename("elsewhere")
            assert judge(address, "a") == [False]
            expect_note(process, b"states/keys.state")
            assert judge(address, "a") == [True]
            pathlib.Path("elsewhere").rename("states")
            until(lambda: pathlib.Path("states/keys.state").exists())
        shutil.rmtree("states")
