# profile, hot and heat. Read by ./run, which has everything used here.
import gzip
import math
import random

DAY = 86400
START = 1_400_000_000
SMALL = ["--memory", "40kB"]


def done(*arguments, **more):
    """Exit status 0, whatever is told on standard error."""
    result = run(*arguments, **more)
    assert result.status == 0, f"{arguments}: status {result.status}: {result.err}"
    return result


def fails(*arguments, says):
    """Exit status 2 with a sentence after what was told before."""
    result = run(*arguments)
    shown = f"{arguments}: {result.status}, {result.out!r}, {result.err!r}"
    assert result.status == 2 and result.out == "", shown
    last = result.err.splitlines()[-1]
    assert last.startswith("bloomtime: ") and says in last, f"{shown} lacks {says!r}"


def events(count, items=50, seed=1):
    """(second, item), now and then out of order."""
    draw = random.Random(seed)
    now, made = START, []
    for _ in range(count):
        now += draw.randrange(3)
        late = draw.randrange(100) if draw.random() < 0.1 else 0
        made.append((now - late, f"item{int(items ** draw.random())}"))
    return made


def tsv(some):
    return "".join(f"{second}\t{item}\n" for second, item in some).encode()


def decayed(some, at, half_life=3600):
    sums = {}
    for second, item in some:
        sums[item] = sums.get(item, 0) + 2 ** (-(at - second) / half_life)
    return sums


def contract(log, store, *more):
    return ["profile", log, "--format", "tsv", "--time", "1", "--item", "2", "--half-life", "1h",
            "--resolution", "1s", "--store", store, *more]


def heat_of(store, at, items, *more):
    """item -> (value, lower, upper), by the contract for scripts."""
    path = write(store + ".items", "".join(f"{item}\n" for item in items).encode())
    lines = ok("heat", store, "--at", str(at), "--batch", path, *more).lines()
    rows = [line.split("\t") for line in lines]
    assert [row[0] for row in rows] == list(items), rows
    return {row[0]: tuple(map(float, row[1:])) for row in rows}


def containers(store):
    """Everything but names of files and dates."""
    manifest = json.loads(read(store + "/manifest.json"))
    parts = {part["role"]: read(f"{store}/{part['file']}") for part in manifest["containers"]}
    totals = read(f"{store}/{manifest['totals']['file']}")
    facts = {key: manifest[key] for key in ("records", "bad_lines", "first_event", "last_event",
                                            "zone", "items")}
    return parts, totals, facts


# -- what scripts rely on -----------------------------------------------------------------------


@check
def profile_keeps_its_contract_for_scripts():
    made = events(20_000)
    with folder() as where:
        log, store = write(where + "/events.tsv", tsv(made)), where + "/store"
        done(*contract(log, store))
        last = max(second for second, _ in made)
        for at in (last, last + 1, last + 7200, last + 100 * DAY):
            truth = decayed(made, at)
            found = heat_of(store, at, [*truth, "never seen"])
            for item, exact in truth.items():
                value, lower, upper = found[item]
                assert upper >= exact * (1 - 1e-9), (at, item, exact, found[item])
                assert lower <= exact * (1 + 1e-9) <= value * (1 + 1e-9) + 0.01, (item, found[item])
            assert found["never seen"][1] == 0
        document = json.loads(ok("hot", store, "-n", "20", "--json").out)
        assert document["command"] == "hot" and len(document["items"]) == 20
        truth = decayed(made, last)
        best = sorted(truth, key=truth.get, reverse=True)[:20]
        assert [row["item"] for row in document["items"]][:5] == best[:5]
        for row in document["items"]:
            assert row["lower"] <= truth[row["item"]] * (1 + 1e-9)
            assert row["upper"] >= truth[row["item"]] * (1 - 1e-9)
            rate = 60 * (1 - 2 ** (-1 / 3600)) * row["hits"]
            assert math.isclose(row["rate_per_minute"], rate, rel_tol=1e-6), row
        ok("verify", store)


@check
def profile_hot_and_heat_explain_every_key():
    with folder() as where:
        log, store = write(where + "/e.tsv", tsv(events(200))), where + "/s"
        done(*contract(log, store))
        outputs = {("profile",): done(*contract(log, where + "/other")).out,
                   ("hot",): ok("hot", store).out,
                   ("heat",): ok("heat", store, "item1").out}
        documents = {("profile",): done(*contract(log, where + "/third"), "--json").out,
                     ("hot",): ok("hot", store, "--json").out,
                     ("heat",): ok("heat", store, "item1", "--json").out}
        for command, out in outputs.items():
            explained = ok(*command, "--help").out
            for table in out.split("\n\n"):
                for key in rows_of(table)[0]:
                    assert key in explained, (command, key)
            for key in json.loads(documents[command]):
                assert f'"{key}"' in explained, (command, key)


@check
def batches_are_asked_as_they_are_printed():
    odd = ["a\\tb", "back\\\\slash", "\\x00\\x1f", "", "blank here", "ü"]
    with folder() as where:
        lines = "".join(f"{START + i}\t{item}\n" for i, item in enumerate(odd))
        store = where + "/s"
        done(*contract(write(where + "/e.tsv", lines.encode()), store))
        found = heat_of(store, START + 10, odd)
        assert all(value[0] > 0.9 for value in found.values()), found
        printed = [row["item"] for row in rows_of(ok("hot", store).out)]
        assert sorted(printed) == sorted(odd), printed
        # Through a pipe, compressed, with other line ends and without the last one.
        path = write(where + "/b", gzip.compress("a\\tb\r\nü".encode()))
        with open(path, "rb") as batch:
            out = subprocess.run([COMMAND, "heat", store, "--batch", "-"], stdin=batch,
                                 capture_output=True, check=True, env=environment()).stdout
        assert [line.split(b"\t")[0] for line in out.splitlines()] == [b"a\\tb", "ü".encode()]
        refused("heat", store, "--batch", write(where + "/t", b"one\ntwo\tcolumns\n"),
                says="line 2 has several columns")
        refused("heat", store, "--batch", write(where + "/l", bytes(2 << 20)), says="longer than")
        refused("heat", store, "--batch", where + "/missing", says="No such file")
        refused("heat", store, "x", "--batch", path, says="either items or --batch")
        assert json.loads(ok("heat", store, "--batch", path, "--json").out)["items"][1]["item"] == "ü"


@check
def batches_are_printed_as_they_are_asked():
    with folder() as where:
        paths = [rb"C:\dir", rb"C:\\dir", rb"C:\temp", rb"\x4", rb"\x41", b"A", b"\xff\x01", b" "]
        store, _ = profiled(where, [(START + i, r"C:\dir") for i in range(3)])
        batch = write(where + "/b", b"".join(path + b"\n" for path in paths))
        lines = subprocess.run([COMMAND, "heat", store, "--batch", batch], capture_output=True,
                               check=True, env=environment()).stdout.splitlines()
        rows = [line.split(b"\t") for line in lines]
        assert [row[0] for row in rows] == paths, rows
        assert [float(row[1]) > 2 for row in rows[:3]] == [True, True, False], rows
        for marked in (b"\xef\xbb\xbfC:\\dir\n", b"\xef\xbb\xbfC:\\dir"):
            result = ok("heat", store, "--batch", write(where + "/m", marked))
            assert result.out.startswith("C:\\dir\t2.9"), result.out


@check
def two_dashes_end_the_options_wherever_they_stand():
    with folder() as where:
        store, _ = profiled(where, [(START, "-x"), (START, "--help"), (START, "--")])
        asked = lambda *words: [row["item"] for row in rows_of(ok("heat", *words).out)]
        assert asked("--", store, "-x", "-") == ["-x", "-"]
        assert asked(store, "--", "-x") == ["-x"]
        assert asked(store, "y", "--", "-x", "--help", "--", "--json") == ["y", "-x", "--help", "--",
                                                                         "--json"]
        assert asked("--tsv", store, "--", "--at=") == ["--at="]
        assert "hits now" in ok("heat", store, "--table", "--", "-x").out
        refused("heat", store, "--", says="heat needs an item")
        refused("heat", store, "-x", says="no option -x. See bloomtime heat --help. Put -- before")
        refused("heat", store, "--jsn", says="Did you mean --json? Put -- before what is no option.")
        refused("plan", "heat", "--items", "5", "--", "-x", says="plan heat has no use for -x")
        refused("--", "plan", says="there is no command plan")
        assert ok("heat", store, "--help", "--", "-x").out == ok("heat", "--help").out


@check
def items_that_are_cut_say_so():
    long, fits = "/" + "x" * 2000, "/" + "y" * 1023
    with folder() as where:
        store, result = profiled(where, [(START + i // 2, (long, fits)[i % 2]) for i in range(10)])
        for out in (result.out.split("\n\n")[0], ok("hot", store).out):
            rows = {row["item"]: row["cut"] for row in rows_of(out)}
            assert rows == {long[:1024]: "true", fits: "false"}, rows
        rows = json.loads(ok("hot", store, "--json").out)["items"]
        assert {row["item"]: row["cut"] for row in rows} == {long[:1024]: True, fits: False}
        assert heat_of(store, START + 4, [long])[long][0] > 4
        assert heat_of(store, START + 4, [long[:1024]])[long[:1024]][0] < 1


@check
def several_items_are_told_apart_by_field():
    with folder() as where:
        log = write(where + "/access.log", ok("generate", "--records", "2000").out.encode())
        done("profile", log, *SMALL)
        store = where + "/access.bloomtime"
        fields = {row["field"] for row in rows_of(ok("hot", store).out)}
        assert fields == {"path", "host"}
        assert {row["field"] for row in rows_of(ok("hot", store, "--field", "host").out)} == {"host"}
        refused("heat", store, "/", says="the fields path, host; say with --field")
        refused("heat", store, "/", "--field", "hots", says="Did you mean host?")
        refused("hot", store, "--field", "agent", says="it has path, host")
        assert float(rows_of(ok("heat", store, "/", "--field", "path").out)[0]["hits"]) > 0


@check
def the_store_is_called_after_the_first_log():
    made = tsv(events(10))
    with folder() as where:
        names = {"a.log": "a", "b.log.gz": "b", "c": "c", "d.e.tsv.xz": "d.e", "a.log.1": "a.log.1",
                 "a.log.2.gz": "a.log.2", "a.log-20140131": "a.log-20140131",
                 "b.2014-01-31.log": "b.2014-01-31"}
        for name, store in names.items():
            write(f"{where}/{name}", gzip.compress(made) if name.endswith("gz") else made)
            done("profile", f"{where}/{name}", *SMALL)
            ok("hot", f"{where}/{store}.bloomtime")
        with open(where + "/a.log", "rb") as log:
            found = subprocess.run([COMMAND, "profile", "--table"], stdin=log, capture_output=True,
                                   check=True, env=environment(), cwd=where)
        assert b"Not saved: give --store DIR" in found.stdout
        assert sorted(os.listdir(where)) == sorted(
            [*names, *(store + ".bloomtime" for store in names.values())])


# -- going on -----------------------------------------------------------------------------------


@check
def two_halves_are_the_whole_also_compressed_and_out_of_order():
    made = events(5000, items=2000, seed=3)
    # Around the cut: late lines, a stamp far ahead on either side, a gap.
    made[2490:2490] = [(START + 4000 * DAY, "corrupt")]
    made[2497:2497] = [(START - 900, "late"), (START + 5000 * DAY, "corrupt too")]
    made[2503:2503] = [(START, "late again")]
    made[2600:] = [(second + 9 * DAY, item) for second, item in made[2600:]]
    whole = tsv(made)
    lines = whole.splitlines(keepends=True)
    for cut in (1, 2, 2489, 2491, 2495, 2499, 2502, 2601, 2602, len(lines) - 1):
        with folder() as where:
            done(*contract(write(where + "/all", whole), where + "/one", *SMALL))
            first = gzip.compress(b"".join(lines[:cut]))
            second = gzip.compress(b"".join(lines[cut:]))
            done(*contract(write(where + "/1.gz", first), where + "/two", *SMALL))
            done(*contract(write(where + "/2.gz", second), where + "/two", *SMALL))
            assert containers(where + "/one") == containers(where + "/two"), cut


@check
def a_store_is_continued_with_its_own_settings():
    with folder() as where:
        log, store = write(where + "/e.tsv", tsv(events(100))), where + "/s"
        done("profile", log, "--store", store, "--half-life", "10m", "--memory", "20kB")
        again = done("profile", log, "--store", store)
        assert f"{store}: continued; it has 100 records" in again.err
        for more, says in ((["--half-life", "1h"], "half-life of 10 min, and 1 h was asked for"),
                           (["--resolution", "5s"], "resolution of 1 s, and 5 s was asked for"),
                           (["--memory", "30kB"], "20000 bytes, and 30000 bytes was asked for"),
                           (["--item", "1"], "the items 2, and 1 was asked for")):
            refused("profile", log, "--store", store, *more, says=says)
        done("profile", log, "--store", store, "--half-life", "600", "--item", "2")
        assert json.loads(done("profile", log, "--store", store, "--json").out)["records"] == 400


@check
def files_of_one_run_have_the_same_items():
    with folder() as where:
        log = write(where + "/a.log", ok("generate", "--records", "50").out.encode())
        other = write(where + "/b.csv", b"time,item\n1400000000,x\n")
        fails("profile", log, other, "--store", where + "/s", says="has no field path")
        assert not os.path.exists(where + "/s")


# -- times --------------------------------------------------------------------------------------


def profiled(where, some, *more):
    store = where + "/s"
    shutil.rmtree(store, ignore_errors=True)
    result = done(*contract(write(where + "/e.tsv", tsv(some)), store, *more))
    return store, result


@check
def one_corrupt_stamp_anywhere_wipes_nothing():
    made = events(500)
    last = max(second for second, _ in made)
    truth = decayed(made, last)
    with folder() as where:
        for place in (0, 1, 2, 3, 250, 499, 500):
            for stamp in (last + 2 * DAY, 4_000_000_000, 99_999_999_999, 0):
                bad = [*made[:place], (stamp, "corrupt"), *made[place:]]
                store, result = profiled(where, bad, "--rejects", where + "/rejects")
                found = heat_of(store, last, truth)
                assert all(found[item][2] >= exact * (1 - 1e-9) for item, exact in truth.items())
                assert sum(value[0] for value in found.values()) < 1.1 * sum(truth.values())
                document = json.loads(ok("hot", store, "--json").out)
                wait = stamp > 0 and place > 500 - 8
                assert document["held_back"] == (1 if wait else 0), (place, stamp, document)
                assert document["at"] == last * 1_000_000, (place, stamp)
                rejected = b"" if wait or stamp == 0 else f"{stamp}\tcorrupt\n".encode()
                assert read(where + "/rejects") == rejected, (place, stamp)
                assert ("is stamped more than 24 hours ahead" in result.err) == bool(rejected)
                parts = containers(store)
                assert parts[2]["bad_lines"] == (1 if rejected else 0)


@check
def an_earlier_line_can_be_rejected_by_a_later_run():
    made = events(100)
    with folder() as where:
        store, _ = profiled(where, [*made, (START + 999 * DAY, "corrupt")])
        assert json.loads(ok("hot", store, "--json").out)["held_back"] == 1
        log = write(where + "/more.tsv", tsv([(made[-1][0] + i, "x") for i in range(20)]))
        fails(*contract(log, store, "--strict"), says="24 hours ahead")
        done(*contract(log, store, "--rejects", where + "/r"))
        assert read(where + "/r") == f"{START + 999 * DAY}\tcorrupt\n".encode()
        assert json.loads(ok("hot", store, "--json").out)["held_back"] == 0


HELD = " held back: stamped more than 24 hours ahead of the rest"


@check
def what_is_held_back_is_told_everywhere():
    made = [*events(100), (START + 999 * DAY, "corrupt")]
    with folder() as where:
        log, told = write(where + "/e.tsv", tsv(made)), "1 event" + HELD
        for form in ("--tsv", "--json", "--table"):
            result = done(*contract(log, where + "/s" + form, form))
            assert told in result.err, (form, result.err)
            assert "(1 held back" in result.out or form != "--table", result.out
            if form == "--tsv":
                assert rows_of(result.out.split("\n\n")[1])[0]["held_back"] == "1"
        store = where + "/s--tsv"
        for command in (["hot", store], ["heat", store, "item1"]):
            assert told in " ".join(ok(*command, "--table").out.split())
            assert HELD not in ok(*command, "--table", "--at", "2999-01-01").out
            assert HELD not in ok(*command).out
        two = write(where + "/two.tsv", tsv([(START + 999 * DAY + i, "x") for i in range(1)]))
        assert "2 events" + HELD in done(*contract(two, store)).err
        sound = write(where + "/sound.tsv", tsv(made[:-1]))
        assert HELD not in done(*contract(sound, where + "/sound", "--strict")).err


@check
def strict_takes_no_stamp_that_nothing_confirms():
    far = (START + 999 * DAY, "corrupt")
    with folder() as where:
        for some in ([*events(100), far], [*events(5)[:2], far], [far, (START, "x")]):
            log = write(where + "/e.tsv", tsv(some))
            fails(*contract(log, where + "/s", "--strict"), says="24 hours ahead of the rest: "
                                                                 f"{far[0]}")
            assert not os.path.exists(where + "/s")
        for count in (1, 2, 3):
            log = write(where + "/e.tsv", tsv(events(count)))
            done(*contract(log, f"{where}/s{count}", "--strict"))


@check
def short_logs_are_answered_at_a_time_that_can_be():
    far = (4_000_000_000, "corrupt")
    good = [(START + i, "x") for i in range(2)]
    with folder() as where:
        for some in ([far, good[1]], [good[1], far], [far, *good], [good[0], far, good[1]], [*good, far]):
            store, result = profiled(where, some, "--json")
            assert "1 event" + HELD in result.err, (some, result.err)
            for document in (result.out, ok("hot", store, "--json").out):
                document = json.loads(document)
                assert document["at"] == good[1][0] * 1_000_000, (some, document)
                assert [row["item"] for row in document["items"]] == ["x"], (some, document)
        store, result = profiled(where, [far], "--json")
        assert json.loads(result.out)["at"] == far[0] * 1_000_000 and HELD not in result.err
        shown = profiled(where, good, "--table")[1].out
        assert "2 lines, up to 2014-05-13 16:53:21 +0000" in shown, shown


@check
def gaps_and_rare_events_are_believed():
    with folder() as where:
        before = events(300)
        after = [(second + 30 * DAY, item) for second, item in before]
        store, result = profiled(where, before + after)
        last = max(second for second, _ in after)
        found = heat_of(store, last, decayed(after, last))
        assert all(found[item][2] >= exact * (1 - 1e-9)
                   for item, exact in decayed(after, last).items())
        assert "reject" not in result.err
        weekly = [(START + 7 * DAY * i, "backup") for i in range(10)]
        store, _ = profiled(where, weekly)
        document = json.loads(ok("hot", store, "--json").out)
        assert (document["records"], document["held_back"]) == (8, 2)
        # What waits counts from its time on.
        assert heat_of(store, weekly[-1][0], ["backup"])["backup"][2] >= 1


@check
def very_short_logs_count():
    with folder() as where:
        for count in (1, 2):
            store, _ = profiled(where, [(START + i, "x") for i in range(count)])
            assert heat_of(store, START + 1, ["x"])["x"][0] >= count * 0.999
            assert rows_of(ok("hot", store).out)[0]["item"] == "x"
        empty = write(where + "/empty", b"")
        done(*contract(empty, where + "/none"))
        assert rows_of(ok("hot", where + "/none").out) == []
        fails("profile", empty, says="not one line to read")
        assert heat_of(where + "/none", 0, ["x"])["x"] == (0, 0, 0)


@check
def an_empty_store_has_no_time():
    with folder() as where:
        store = where + "/s"
        empty = write(where + "/empty", b"")
        document = json.loads(done(*contract(empty, store, "--json")).out)
        assert document["at"] is None and document["records"] == 0
        assert "1970" not in done(*contract(empty, store)).err
        for command in (["hot", store], ["heat", store, "x"]):
            assert json.loads(ok(*command, "--json").out)["at"] is None
            shown = ok(*command, "--table").out
            assert shown.startswith(f"{store}: no events yet\n") and "1970" not in shown, shown
            assert json.loads(ok(*command, "--json", "--at", "7").out)["at"] == 7_000_000


@check
def a_log_of_which_nothing_can_be_read_makes_no_store():
    with folder() as where:
        bad = write(where + "/bad", b"7 o'clock\ta\n8 o'clock\tb\n")
        says = ("2 of 2 lines rejected: 2 stamped with a time that cannot be read, so nothing is left "
                "to profile; say with --format, --time and --item how to read them")
        fails(*contract(bad, where + "/new"), says=says)
        assert os.listdir(where) == ["bad"]
        store, _ = profiled(where, events(10))
        before = read(store + "/manifest.json")
        fails(*contract(bad, store, "--rejects", where + "/rejects"), says=says)
        assert read(store + "/manifest.json") == before and read(where + "/rejects") == read(bad)
        done(*contract(bad, store, where + "/e.tsv"))  # some lines can be read
        assert json.loads(ok("info", store, "--json").out)["stores"][0]["bad_lines"] == 2
        result = run(*contract(bad, store))
        assert "line 1 is stamped with a time that cannot be read: 7 o" in result.err, result.err


@check
def heat_is_asked_from_the_last_event_on():
    made = events(100)
    last = max(second for second, _ in made)
    with folder() as where:
        store, _ = profiled(where, made)
        refused("heat", store, "item1", "--at", str(last - 1), says="the store's clock stands at")
        refused("hot", store, "--at", "2014-05-13", says="from there on, not back at 2014-05-13")
        refused("hot", store, "--at", "soon", says="--at must be a time")
        for same in (str(last), f"{last}.5", f"{last}000",
                     time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(last)),
                     time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(last))):
            assert ok("heat", store, "item1", "--at", same).out == ok("heat", store, "item1").out
        later = heat_of(store, last + 3600, ["item1"])["item1"][0]
        assert math.isclose(2 * later, heat_of(store, last, ["item1"])["item1"][0], rel_tol=0.02)
        assert heat_of(store, 99_999_999_999, ["item1"])["item1"][0] < 0.01
        ok("hot", store, "--at", "9999-12-31")
        for command in ("hot", "heat"):
            assert "up to 11 digits" in ok(command, "--help").out


@check
def half_lives_are_told_as_they_were_given():
    with folder() as where:
        store, _ = profiled(where, events(10))
        rows = json.loads(ok("info", store, "--json").out)["containers"]
        assert {row["half_life_seconds"] for row in rows} == {3600}, rows
        assert "3600.0000" not in ok("info", store).out


# -- bad input ----------------------------------------------------------------------------------


@check
def profile_refuses_what_cannot_be():
    with folder() as where:
        log, store = write(where + "/e.tsv", tsv(events(10))), where + "/s"
        for more, says in ((["--half-life", "0"], "--half-life must be a time"),
                           (["--half-life", "1y"], "there is no unit y"),
                           (["--half-life", "nan"], "--half-life must be a time"),
                           (["--half-life", "-1h"], "--half-life must be a time"),
                           (["--half-life", "1", "--resolution", "1m"], "at least the resolution (1 min)"),
                           (["--half-life", "10^18"], "--half-life can be at most"),
                           (["--resolution", "0"], "--resolution must be a time"),
                           (["--memory", "1023"], "at least 1024 bytes, 1 KiB for each field, "
                                                  "got 1023"),
                           (["--memory", "900PB"], "memory"),
                           (["-n", "0"], "-n must be at least 1, got 0"),
                           (["--item", "2", "--item", "2"], "--item 2 was given twice"),
                           (["--store", log], "a store is a directory"),
                           (["--store", where], "is not a store and not empty"),
                           (["--format", "plain", "--item", "line"], "heat needs times"),
                           (["--rejects", log], "--rejects would overwrite")):
            fails("profile", log, *(() if "--store" in more else ("--store", store)), *more,
                  says=says)
            assert not os.path.exists(store), more
        refused("profile", where + "/missing", "--store", store, says="No such file")
        refused("hot", says="hot needs one store")
        refused("hot", where, says="is not a store")
        for command in (["hot"], ["heat", "--batch", log]):
            refused(*command, where + "/missing", says=f"there is no store {where}/missing; bloomtime "
                                                       "profile access.log --store ")
            refused(*command, log, says=f"{log} is a file, and a store is a directory")
        refused("heat", says="heat needs a store")
        refused("heat", store, says="heat needs an item")
        assert sorted(os.listdir(where)) == ["e.tsv"]


@check
def damaged_stores_are_refused_with_the_file_and_a_way_out():
    with folder() as where:
        store, _ = profiled(where, events(10))
        manifest = json.loads(read(store + "/manifest.json"))
        for part in [p["file"] for p in [*manifest["containers"], manifest["totals"]]]:
            path = f"{store}/{part}"
            sound = read(path)
            for bad in (sound[:-1] + bytes([sound[-1] ^ 1]), sound[:20] + b"?" + sound[21:],
                        sound[:-1], b"", None):
                os.remove(path) if bad is None else write(path, bad)
                for command in (["hot", store], ["heat", store, "x"], contract(where + "/e.tsv", store)):
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
            result = refused(*base, *asked, says="must be at least the resolution")
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


# -- plan heat ----------------------------------------------------------------------------------


@check
def plan_heat_says_what_profile_takes_and_explains_every_key():
    explained = ok("plan", "heat", "--help").out
    document = json.loads(ok("plan", "heat", "--items", "1M", "--json").out)
    assert document["target_memory_bytes"] == 7_000_000 and document["target_error"] is None
    rows = {(row["engine"], row["cell_bits"]): row for row in document["choices"]}
    assert [row["engine"] for row in document["choices"] if row["recommended"]] == ["heat_filter"]
    best = rows["heat_filter", 16]
    assert best["recommended"] and 2 * best["excess"] <= 0.5 and best["k"] == 4
    for key in [*document, *best]:
        assert key in explained, key
    with folder() as where:
        store, _ = profiled(where, events(10))
        heat = rows_of(ok("info", store).out.split("\n\n")[1])[0]
        assert int(heat["memory"]) == best["memory_bytes"] and int(heat["k"]) == best["k"]
    for error in ("10%", "1%", "0.1%"):
        for row in json.loads(ok("plan", "heat", "--items", "50k", "--error", error,
                                 "--json").out)["choices"]:
            assert row["error"] <= float(error[:-1]) / 100 * (1 + 1e-12), row
    shown = ok("plan", "heat", "--items", "1M", "--half-life", "1d", "--table").out
    assert "warm for about 9 d after a hit" in shown and "7.00 MB is what profile takes" in shown
    refused("plan", "heat", says="needs --items")
    refused("plan", "heat", "--items", "1", "--half-life", "10^18", says="at most")
    ok("plan", "heat", "--items", "1", "--half-life", "9223372036854")
    refused("plan", "heat", "--items", "1M", "--error", "1%", "--memory", "1MB", says="give one")
    refused("plan", "heat", "--items", "1M", "--memory", "1023",
            says="--memory must be at least 1024 bytes, 1 KiB for each field, got 1023")
    ok("plan", "heat", "--items", "1M", "--memory", "1K")
    refused("plan", "heat", "--items", "1M", "--memory", "2TiB", says="at most 1TiB")
    refused("plan", "heat", "--items", "10^18", "--error", "1%", says="Try fewer items")


# -- how it looks -------------------------------------------------------------------------------


@check
def a_profile_on_a_terminal():
    with folder() as where:
        log = write(where + "/access.log", ok("generate", "--records", "5000").out.encode())
        shown = on_terminal("profile", log, *SMALL, columns=120)
        for fragment in ("5,000 lines, 2014-01-01 ", " +0000", "hits now", "±", "last 24 h", "█",
                         "different items: path ~", "half-life 1 h", "exact counting: ~",
                         "Saved to", "bloomtime hot"):
            assert fragment in shown, (fragment, shown)
        assert any(arrow in shown for arrow in "↑↓→")
        for columns in (120, 100, 80, 60):
            text = on_terminal("hot", where + "/access.bloomtime", "--color", "never",
                               columns=columns)
            assert all(len(line) <= columns for line in text.splitlines()[:-2]), (columns, text)
        text = on_terminal("hot", where + "/access.bloomtime", "--ascii", "--color", "never",
                           columns=120)
        assert text.isascii() and "\\x" not in text and "+-" in text and "#" in text, text
        assert "at most: always" in ok("heat", where + "/access.bloomtime", "/", "--field", "path",
                                       "--table").out
