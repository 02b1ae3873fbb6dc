# profile, hot and heat on bad input, and in a world that does not help.
# Read by ./run, with what profile_checks.py has at hand.


@check
def profile_refuses_what_cannot_be():
    with folder() as where:
        log, store = write(where + "/e.tsv", tsv(events(10))), where + "/s"
        for more, says in ((["--half-life", "0"], "--half-life must be a time"),
                           (["--half-life", "1y"], "there is no unit y"),
                           (["--half-life", "nan"], "--half-life must be a time"),
                           (["--half-life", "-1h"], "--half-life must be a time"),
                           (["--half-life", "1", "--resolution", "1m"], "at least --resolution (1 min); got 1 s"),
                           (["--half-life", "10^18"], "--half-life can be at most"),
                           (["--resolution", "0"], "--resolution must be a time"),
                           (["--memory", "1023"], "at least 1024 bytes, 1 KiB for each field, "
                                                  "got 1023"),
                           (["--memory", "900PB"], "memory"),
                           (["-n", "0"], "-n must be at least 1, got 0"),
                           (["--item", "2", "--item", "2"], "--item 2 was given twice"),
                           (["--store", log], "a store is a directory"),
                           (["--store", where], "is not a store and not empty"),
                           (["--format", "plain", "--item", "line"], "needs timestamps, and none were found; name the field with --time"),
                           (["--rejects", log], "--rejects would overwrite")):
            fails("profile", log, *(() if "--store" in more else ("--store", store)), *more,
                  says=says)
            assert not os.path.exists(store), more
        refused("profile", where + "/missing", "--store", store, says="No such file")
        refused("hot", says="hot needs one store")
        refused("hot", where, says="is not a store")
        for command in (["hot"], ["heat", "--batch", log]):
            refused(*command, where + "/missing", says=f"there is no store {where}/missing; bloomtime "
                                                       "profile LOG --store ")
            refused(*command, log, says=f"{log} is a file, and a store is a directory")
        refused("heat", says="heat needs a store")
        refused("heat", store, says="heat needs an item")
        assert sorted(os.listdir(where)) == ["e.tsv"]


@check
def damaged_stores_are_refused_with_the_file_and_a_way_out():
    with folder() as where:
        store, _ = profiled(where, events(10))
        manifest = json.loads(read(store + "/manifest.json"))
        past = ["seen", store, "x", "--from", "0", "--to", "1"], ["timeline", store, "x"]
        heat = ["hot", store], ["heat", store, "x"]
        for part in [*manifest["containers"], {**manifest["totals"], "role": "totals"}]:
            path = f"{store}/{part['file']}"
            role = part["role"].split(".")[0]
            heats = role in ("heat", "hot", "largest") or part["role"].startswith("totals.")
            asking = past if role == "history" else heat if heats else past + heat
            sound = read(path)
            for bad in (sound[:-1] + bytes([sound[-1] ^ 1]), sound[:20] + b"?" + sound[21:],
                        sound[:-1], b"", None):
                os.remove(path) if bad is None else write(path, bad)
                for command in (*asking, contract(where + "/e.tsv", store)):
                    result = refused(*command, says=f"bloomtime verify {store} checks every file")
                    assert result.err.count(path) == 1, result.err
                result = run("verify", store)
                assert result.status == 2 and "bloomtime verify" not in result.out, result.out
                write(path, sound)
        ok("verify", store)


@check
def a_half_life_below_the_resolution_is_answered_with_what_works():
    with folder() as where:
        log = write(where + "/e.tsv", tsv(events(10)))
        for number, asked in enumerate((["--resolution", "2h"],
                                        ["--half-life", "5m", "--resolution", "1d"])):
            base = ["profile", log, "--store", f"{where}/s{number}"]
            result = refused(*base, *asked, says="must be at least --resolution")
            assert "tick" not in result.err
            tried = re.findall(r"(--half-life|--resolution) (\w+) or", result.err)
            assert [option for option, _ in tried] == ["--half-life", "--resolution"], result.err
            for option, value in tried:
                words = dict(zip(asked[::2], asked[1::2])) | {option: value}
                done(*base, *[word for pair in words.items() for word in pair])
                shutil.rmtree(f"{where}/s{number}")


# -- a world that does not help ------------------------------------------------------------------


def killed_after(seconds, *arguments, number=signal.SIGKILL):
    child = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, env=environment())
    time.sleep(seconds)
    child.send_signal(number)
    return child.wait(timeout=60)


@check
def killed_at_any_moment_the_store_answers_as_before_or_after():
    with folder() as where:
        first = write(where + "/1.tsv", tsv(events(3000, seed=5)))
        second = write(where + "/2.tsv", tsv(events(20000, seed=6)))
        done(*contract(first, where + "/old", *SMALL))
        answer = lambda: json.loads(ok("hot", where + "/s", "-n", "1000", "--json").out)
        def restore():
            shutil.rmtree(where + "/s", ignore_errors=True)
            shutil.copytree(where + "/old", where + "/s")
        restore()
        before = answer()
        began = time.monotonic()
        done(*contract(second, where + "/s", *SMALL))
        lasts = time.monotonic() - began
        after = answer()
        assert before["items"] != after["items"]
        seen = set()
        for number in (signal.SIGKILL, signal.SIGINT):
            for i in range(12):
                restore()
                killed_after(lasts * i / 10, *contract(second, where + "/s", *SMALL), number=number)
                found = answer()
                assert found in (before, after), (number, i)
                seen.add(found == after)
                ok("verify", where + "/s")
        assert False in seen, "never killed before the end"


@check
def a_profile_that_cannot_be_saved_leaves_the_old_store():
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    with folder() as where:
        store, _ = profiled(where, events(100))
        before = containers(store)
        log = write(where + "/more.tsv", tsv(events(1000)))
        result = run(*contract(log, store), before=limit)
        assert result.status == 2 and "File too large" in result.err, result.err
        assert containers(store) == before
        result = run(*contract(log, where + "/new"), before=limit)
        assert result.status == 2 and not os.path.exists(where + "/new")


@check
def what_is_read_is_kept_even_if_nobody_reads_the_tables():
    with folder() as where:
        log = write(where + "/e.tsv", tsv(events(100)))
        reader, writer = os.pipe()
        os.close(reader)
        assert run(*contract(log, where + "/s"), stdout=writer).status == -signal.SIGPIPE
        os.close(writer)
        with open("/dev/full", "wb") as full:
            result = run(*contract(log, where + "/t"), stdout=full)
        assert result.status == 2 and "No space left on device" in result.err
        assert containers(where + "/s") == containers(where + "/t")


@check
def one_profile_at_a_time():
    with folder() as where:
        store, _ = profiled(where, events(10))
        child = subprocess.Popen([COMMAND, *contract("-", store)], stdin=subprocess.PIPE,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                 env=environment())
        assert b"continued" in child.stderr.readline()
        refused(*contract(where + "/e.tsv", store), says=str(child.pid))
        ok("hot", store)
        child.communicate(tsv(events(5)))
        assert child.returncode == 0


@check
def who_writes_is_known_even_before_it_has_signed():
    with folder() as where:
        store, _ = profiled(where, events(10))
        assert read(store + "/lock") == b""  # nobody
        with open(store + "/lock", "r+b", buffering=0) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            child = subprocess.Popen([COMMAND, *contract(where + "/e.tsv", store)],
                                     stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     env=environment())
            time.sleep(0.3)
            lock.write(b"12345")
            assert b"process 12345 is writing" in child.communicate()[1]
            assert child.returncode == 2
