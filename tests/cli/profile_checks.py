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
    facts["offsets"] = manifest["offsets"]["spans"]
    return parts, totals, facts


def profiled(where, some, *more):
    store = where + "/s"
    shutil.rmtree(store, ignore_errors=True)
    result = done(*contract(write(where + "/e.tsv", tsv(some)), store, *more))
    return store, result


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
                of_object = explained.split("Keys of the JSON object")[1]
                assert re.search(rf"\b{key}\b", of_object), (command, key)


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
        result = run("heat", store, "--batch", write(where + "/t", b"one\ntwo\tcolumns\n"))
        assert result.status == 2 and "line 2 has several columns" in result.err, result.err
        assert result.out.startswith("one\t") and len(result.lines()) == 1, result.out
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
        assert "heat (1 h)" in ok("heat", store, "--table", "--", "-x").out
        refused("heat", store, "--", says="heat needs an item")
        refused("heat", store, "-x", says="no option -x. See bloomtime heat --help. Put -- before")
        refused("heat", store, "--jsn", says="Did you mean --json? Put -- before arguments that begin with a dash.")
        refused("plan", "heat", "--items", "5", "--", "-x", says="plan heat has no argument -x")
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
        refused("heat", store, "/", says="the fields path, host; choose one with --field")
        refused("heat", store, "/", "--field", "hots", says="Did you mean host?")
        refused("hot", store, "--field", "agent", says="it has path, host")
        assert float(rows_of(ok("heat", store, "/", "--field", "path").out)[0]["hits"]) > 0


@check
def the_store_is_called_after_the_first_log():
    made = tsv(events(10))
    with folder() as where:
        names = {"a.log": "a", "b.log.gz": "b", "c": "c", "d.e.tsv.xz": "d.e", "a.log.1": "a.log.1",
                 "f.log.bz2": "f", "f.log.1.bz2": "f.log.1", "g.log.zip": "g",
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
        for more, says in ((["--half-life", "1h"], "half-life of 10 min; got 1 h"),
                           (["--resolution", "5s"], "resolution of 1 s; got 5 s"),
                           (["--memory", "30kB"], "20000 bytes; got 30000 bytes"),
                           (["--item", "1"], "the items 2; got 1")):
            refused("profile", log, "--store", store, *more, says=says)
        done("profile", log, "--store", store, "--half-life", "600", "--item", "2")
        assert json.loads(done("profile", log, "--store", store, "--json").out)["records"] == 100
        again = done("profile", log, "--store", store, "--json", "--again")
        assert json.loads(again.out)["records"] == 200


@check
def files_of_one_run_have_the_same_items():
    with folder() as where:
        log = write(where + "/a.log", ok("generate", "--records", "50").out.encode())
        other = write(where + "/b.csv", b"time,item\n1400000000,x\n")
        fails("profile", log, other, "--store", where + "/s", says="has no field path")
        assert not os.path.exists(where + "/s")


@check
def rows_have_totals_and_an_order():
    made = [(START + i, "often") for i in range(900)] + [(START + 7200 + i, "lately") for i in range(300)]
    with folder() as where:
        store, result = profiled(where, made, "--by", "total", "--json")
        for document in (json.loads(result.out), json.loads(ok("hot", store, "--by", "total", "--json").out)):
            rows = document["items"]
            assert [(row["item"], row["total"]) for row in rows] == [("often", 900), ("lately", 300)]
            assert all(row["total_lower"] <= row["total"] <= row["total_upper"] for row in rows)
            assert all(row["lower"] <= row["hits"] <= row["upper"] and row["guaranteed"] for row in rows)
            assert document["bytes_sent"] is None and document["status_2xx"] is None
        first = {by: rows_of(ok("hot", store, "--by", by).out)[0]["item"] for by in ("heat", "trend", "new")}
        assert first == {"heat": "lately", "trend": "lately", "new": "lately"}, first
        assert rows_of(ok("hot", store, "--by", "new").out)[0]["first_seen"] == str((START + 7200) * 1_000_000)
        assert rows_of(ok("heat", store, "often").out)[0]["total"] == "900"
        refused("hot", store, "--by", "totals", says="--by must be heat, total, trend or new; got totals. Did you mean total?")


@check
def a_summary_says_what_responses_were():
    lines = "".join(f'h{i % 3} - - [01/Jan/2014:00:00:{i:02} +0000] "{"POST" if i == 5 else "GET"} / HTTP/1.1" '
                    f'{404 if i == 7 else 200} 1000\n' for i in range(40))
    with folder() as where:
        log = write(where + "/a.log", lines.encode() + b"?\n")
        shown = " ".join(done("profile", log, "--table").out.split())  # lines may be broken
        assert "40 requests, 2014-01-01 00:00:00 .. 00:00:39 +0000, 1 line rejected (--rejects FILE" in shown, shown
        assert "1 path, 3 hosts, 40.0 kB sent, 97.5 % 2xx 2.5 % 4xx path" in shown, shown
        document = json.loads(ok("hot", where + "/a.bloomtime", "--json").out)
        told = [document[key] for key in ("requests", "bytes_sent", "status_2xx", "status_4xx",
                                          "method_get", "method_post")]
        assert told == [40, 40000, 39, 1, 39, 1], told
        ok("verify", where + "/a.bloomtime")


@check
def a_json_array_is_counted_once():
    rows = [{"time": START + i, "user": f"u{i % 50}"} for i in range(5000)]
    with folder() as where:
        log, store = write(where + "/a.json", json.dumps(rows).encode()), where + "/store"
        for new in (5000, 0):
            told = json.loads(done("profile", log, "--item", "user", "--store", store, "--json").out)
            assert (told["new_records"], told["records"]) == (new, 5000), told
        write(log, json.dumps(rows).encode() + json.dumps(rows[:9]).encode())
        result = run("profile", log, "--item", "user", "--store", store)
        assert result.status == 2 and "is a JSON array that has changed" in result.err, result.err
        told = json.loads(done("profile", log, "--item", "user", "--store", store, "--again", "--json").out)
        assert told["new_records"] >= 5000, told


@check
def stores_of_web_logs_merge():
    lines = [f'h{i % 9} - - [01/Jan/2014:00:{i // 60:02}:{i % 60:02} +0000] "{"POST" if i % 5 == 0 else "GET"} '
             f'/{i % 4} HTTP/1.1" {(200, 404, 503)[i % 3]} {i}\n'.encode() for i in range(600)]
    keys = ("records", "requests", "bytes_sent", "status_2xx", "status_4xx", "status_5xx", "method_get",
            "method_post")
    with folder() as where:
        stores = []
        for name, part in (("whole", lines), ("a", lines[:250]), ("b", lines[250:])):
            stores.append(where + "/" + name)
            done("profile", write(where + f"/{name}.log", b"".join(part)), "--store", stores[-1])
        done("merge", *stores[1:], "-o", where + "/c")
        whole, merged = (json.loads(ok("hot", store, "--json", "--by", "total").out)
                         for store in (stores[0], where + "/c"))
        assert [merged[key] for key in keys] == [whole[key] for key in keys], merged
        totals = [{(row["field"], row["item"]): row["total"] for row in told["items"]} for told in (whole, merged)]
        assert totals[0] == totals[1], totals
        ok("verify", where + "/c")
        again = json.loads(done("profile", where + "/b.log", "--store", where + "/c", "--json").out)
        assert (again["new_records"], again["records"]) == (0, 600), again
