# What dedupe keeps from one run to the next. Read by ./run, with what dedupe_checks.py has at hand.


@check
def dedupe_keeps_its_state_across_restarts():
    made = spread(4000, 7)
    data = tsv(made)
    lines = data.splitlines(keepends=True)
    for more in ([], ["--no-refresh"], ["--count"]):
        whole, err = deduped(data, *DEDUPE, *more, "--json")
        with folder() as where:
            state = os.path.join(where, "state")
            pieces = b""
            for first in range(0, len(lines), 333):
                out, last = deduped(b"".join(lines[first:first + 333]), *DEDUPE, *more, "--json",
                                    "--state", state)
                pieces += out
            assert pieces == whole
            assert told(last)["dropped"] == told(err)["dropped"]
            before = read(state)
            deduped(b"", *DEDUPE, *more, "--state", state)
            assert read(state) == before
            for other, says in ((["--window", "601s"], "window of 10 min, and"),
                                (["--seed", "1"], "--seed 0, and 1"),
                                (["--error", "1%"], "error of 1e-06"),
                                (["--expect", "5"], "--expect 100,000,000"),
                                (["--item", "1"], "the key 2, and 2,1")):
                arguments = [a for a in DEDUPE
                             if a not in ("--window", "600s", "--seed", "0") or
                             other[0] not in ("--window", "--seed") or
                             (a in ("--window", "600s")) != (other[0] == "--window")]
                _, err2 = deduped(b"1\t2\n", *arguments, *more, *other, "--state", state, status=2)
                assert says in err2 and state in err2, err2
            refresh, other = ("--no-refresh", "--refresh")[::-1 if "--no-refresh" not in more else 1]
            _, err2 = deduped(b"1\t2\n", *DEDUPE, *(m for m in more if m != refresh), other,
                              "--state", state, status=2)
            assert f"made with the option {refresh}, and {other} was asked for" in err2, err2
            assert read(state) == before
            assert rows_of(ok("verify", state).out)[0]["ok"] == "true"
            about = rows_of(ok("info", state).out)[0]
            assert about["family"] == "dedupe" and int(about["passed"]) > 0, about
            write(state, before[:-1] + bytes([before[-1] ^ 1]))
            assert run("verify", state).status == 2
            for bad in (b"no state", b"", before[:-1],
                        before[:200] + bytes([before[200] ^ 1]) + before[201:]):
                write(state, bad)
                out, err2 = deduped(b"1\t2\n", *DEDUPE, "--state", state, status=2)
                assert out == b"" and state in err2.splitlines()[-1], err2
            assert os.listdir(where) == ["state"]


STATED = ["dedupe", "--last", "5000", "--state"]


@check
def dedupe_remembers_what_it_wrote_however_it_ends():
    """What was written is in the state, and what was not is not."""
    lines = [b"line %d %s\n" % (i, b"x" * 90) for i in range(4000)]
    data = b"".join(lines)
    with folder() as where:
        state, out = os.path.join(where, "state"), os.path.join(where, "out")
        packed = subprocess.run(["gzip", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout
        first, err = deduped(packed[:len(packed) // 2], *STATED, state, status=2)
        assert "in the middle" in err and 10 < first.count(b"\n") < 4000, err
        assert first + deduped(data, *STATED, state)[0] == data
        os.remove(state)
        log = [b'{"id":%d,"x":"%s"}\n' % (i, b"x" * 90) for i in range(4000)]
        bad = log[:3000] + [b'{"x":1}\n'] + log[3000:]
        strict = ["dedupe", "--last", "5000", "--item", "id", "--strict", "--state", state]
        first, err = deduped(b"".join(bad), *strict, status=2)
        assert first == b"".join(log[:3000]) and "line 3001 has no field id" in err, err
        assert first + deduped(b"".join(log), *strict)[0] == b"".join(log)
        os.remove(state)
        # A disk that is full from the beginning, and one that becomes full within a line.
        with open("/dev/full", "wb") as full:
            done = subprocess.run([COMMAND, *STATED, state], input=data, stdout=full,
                                  stderr=subprocess.PIPE, env=environment(), check=False)
            assert done.returncode == 2 and b"No space left" in done.stderr
        assert deduped(data, *STATED, state)[0] == data
        os.remove(state)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
        with open(out, "wb") as file:
            done = subprocess.run([COMMAND, *STATED, state], input=data, stdout=file,
                                  stderr=subprocess.PIPE, env=environment(), preexec_fn=limit,
                                  check=False)
            assert done.returncode == 2 and b"standard output" in done.stderr, done.stderr
        whole = read(out).count(b"\n")
        assert read(out) == data[:200000] and whole > 100
        assert deduped(data, *STATED, state)[0] == b"".join(lines[whole:])
        assert sorted(os.listdir(where)) == ["out", "state"]


@check
def dedupe_remembers_what_it_wrote_when_its_reader_goes():
    lines = [b"line %d %s\n" % (i, b"x" * 90) for i in range(4000)]
    with folder() as where:
        state = os.path.join(where, "state")
        source = write(os.path.join(where, "lines"), b"".join(lines))
        with deduping(*STATED, state, source, stdin=None) as child:
            seen = [child.stdout.readline() for _ in range(10)]
            child.stdout.close()
            child.stdout = None
            assert child.wait(timeout=60) == -signal.SIGPIPE
            assert b"bloomtime:" not in child.stderr.read()
        assert seen == lines[:10]
        again = deduped(b"".join(lines), *STATED, state)[0].splitlines(keepends=True)
        assert again == lines[len(lines) - len(again):] and 0 < len(again) <= len(lines) - 10
        assert sorted(os.listdir(where)) == ["lines", "state"]


@check
def dedupe_has_its_state_for_itself():
    with folder() as where:
        state = os.path.join(where, "state")
        with deduping(*STATED, state) as child:
            child.stdin.write(b"a\n")
            child.stdin.flush()
            assert child.stdout.readline() == b"a\n"
            link = os.path.join(where, "link")
            os.symlink("state", link)
            for name in (state, link):
                out, err = deduped(b"b\n", *STATED, name, status=2)
                assert out == b"" and f"process {child.pid}" in err and name in err, err
            out, _ = child.communicate(b"c\n")
            assert out == b"c\n" and child.returncode == 0
        os.remove(link)
        assert os.listdir(where) == ["state"]
        with deduping(*STATED, state) as child:
            child.stdin.write(b"d\n")
            child.stdin.flush()
            assert child.stdout.readline() == b"d\n"
            child.kill()
            child.wait()
        # What a killed process leaves is in nobody's way, and goes.
        write(state + ".tmp.0.3", b"half a state")
        assert deduped(b"a\nb\nc\n", *STATED, state)[0] == b"b\n"
        assert os.listdir(where) == ["state"]


@check
def dedupe_writes_its_state_through_a_link():
    with folder() as where:
        os.mkdir(os.path.join(where, "elsewhere"))
        real, link = (os.path.join(where, n) for n in ("elsewhere/state", "link"))
        os.symlink("elsewhere/state", link)
        assert deduped(b"a\n", *STATED, link)[0] == b"a\n"
        assert deduped(b"a\nb\n", *STATED, link)[0] == b"b\n"
        assert os.path.islink(link) and os.path.isfile(real) and not os.path.islink(real)
        assert os.listdir(os.path.dirname(real)) == ["state"]
        assert sorted(os.listdir(where)) == ["elsewhere", "link"]


@check
def dedupe_looks_whether_its_state_can_be_written_before_it_reads():
    with folder() as where:
        state = os.path.join(where, "state")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
        done = subprocess.run([COMMAND, *STATED, state], input=b"a\n", capture_output=True,
                              env=environment(), preexec_fn=limit, check=False)
        assert done.returncode == 2 and done.stdout == b"", done
        assert state.encode() in done.stderr.splitlines()[-1], done.stderr
        # Nobody has written a line yet.
        with deduping(*STATED, os.path.join(where, "missing", "state")) as child:
            assert child.wait(timeout=60) == 2
        os.mkdir(state)
        out, err = deduped(b"a\n", *STATED, state, status=2)
        assert out == b"" and state in err, err
        out, err = deduped(b"a\n", *STATED, "/dev/null", status=2)
        assert out == b"" and "/dev/null" in err, err
        assert os.listdir(where) == ["state"]


@check
def dedupe_saves_its_state_while_nothing_comes():
    if not os.environ.get("BLOOMTIME_SOAK"):
        return  # takes a minute
    with folder() as where:
        states = [os.path.join(where, name) for name in ("pipe", "file")]
        log = write(os.path.join(where, "log"), b"a\n")
        with deduping("dedupe", "--last", "9", "--state", states[0]) as piped, deduping(
                "dedupe", "--last", "9", "--state", states[1], "--follow", log) as following:
            piped.stdin.write(b"a\n")
            piped.stdin.flush()
            assert [c.stdout.readline() for c in (piped, following)] == [b"a\n", b"a\n"]
            time.sleep(63)
            assert all(map(os.path.exists, states))
