"""Minutes of load, slow clients and malformed requests. BLOOMTIME_WEB_SECONDS shortens the fuzzing."""
import concurrent.futures
import json
import os
import pathlib
import random
import socket
import threading
import time

from http_checks import raw
from support import check, day_store, fetch, run, serving, until

FUZZ_SECONDS = float(os.environ.get("BLOOMTIME_WEB_SECONDS", "600"))
LOAD_SECONDS = min(60.0, FUZZ_SECONDS)


@check(soak=True)
def fifty_readers_and_a_writer():
    pathlib.Path("load.log").write_text(run("generate", "--records", "5000"))
    more = run("generate", "--records", "200", "--seed", "5")
    stop = threading.Event()
    with serving("load.bloomtime", "--follow", "load.log") as (address, _):
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2]).get("records") == 5000)
        host, port = address.removeprefix("http://").split(":")
        written = 5000

        def reader(number):
            paths = ["/api/heat?field=path&item=/", "/api/hot?n=5", "/metrics", "/",
                     "/api/seen?field=path&item=/&from=2014-01-01&to=2014-01-02"]
            count, slowest = 0, 0.0
            while not stop.is_set():
                begun = time.monotonic()
                status, _, body = fetch(address + paths[(number + count) % len(paths)])
                assert status == 200 and body, status
                slowest = max(slowest, time.monotonic() - begun)
                count += 1
            return count, slowest

        slow = [socket.create_connection((host, int(port))) for _ in range(20)]
        for s in slow:  # asks for the whole page, and never reads it
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with concurrent.futures.ThreadPoolExecutor(50) as pool:
            readers = [pool.submit(reader, i) for i in range(50)]
            end = time.monotonic() + LOAD_SECONDS
            while time.monotonic() < end:
                with open("load.log", "a", encoding="utf-8") as log:
                    log.write(more)
                written += 200
                time.sleep(0.2)
            stop.set()
            results = [r.result() for r in readers]
        for s in slow:
            s.close()
        until(lambda: json.loads(fetch(f"{address}/api/hot")[2])["records"] == written)
        print(f"50 readers, {LOAD_SECONDS:.0f} s: {sum(c for c, _ in results)} answers, slowest "
              f"{max(s for _, s in results):.2f} s, {written} lines written")


@check(soak=True)
def slow_requests_are_ended():
    """A byte a second keeps a connection alive for half a minute at most."""
    with serving(day_store()) as (address, _):
        host, port = address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as s:
            begun = time.monotonic()
            try:
                for byte in b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"y" * 200:
                    s.sendall(bytes([byte]))
                    time.sleep(1)
            except (BrokenPipeError, ConnectionResetError):
                pass
            assert time.monotonic() - begun < 45


@check(soak=True)
def malformed_requests():
    seeds = [b"GET /api/heat?field=path&item=/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
             b"POST /api/dedupe HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
             b"Content-Length: 16\r\n\r\n{\"keys\":[\"a\",1]}",
             b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: bloomtime_token=x; y\r\nOrigin: null\r\n\r\n",
             b"POST /api/dedupe HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
             b"5\r\nabcde\r\n0\r\n\r\n"]
    pieces = [b"\r\n", b"\n", b"\0", b"%00", b"%", b":", b" ", b"HTTP/1.1", b"\xff\xfe", b"&item=",
              b"Content-Length: -1\r\n", b"Transfer-Encoding: chunked\r\n", b"Host: \r\n", b"A" * 5000]
    chance = random.Random(7)
    tried = 0
    with serving(day_store(), "--window", "1m") as (address, process):
        end = time.monotonic() + FUZZ_SECONDS
        while time.monotonic() < end:
            data = bytearray(chance.choice(seeds))
            for _ in range(chance.randint(1, 6)):
                at = chance.randrange(len(data) + 1)
                act = chance.randrange(4)
                if act == 0 and at < len(data):
                    data[at] = chance.randrange(256)
                elif act == 1:
                    data[at:at] = chance.choice(pieces)
                elif act == 2:
                    del data[at:at + chance.randrange(1, 20)]
                else:
                    data[at:at] = data[chance.randrange(len(data) + 1):][:40]
            raw(address, bytes(data), 0.02)
            tried += 1
            assert process.poll() is None, bytes(data)
        assert fetch(address)[0] == 200
        print(f"{tried} malformed requests")
