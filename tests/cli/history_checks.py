# The past: profile keeps it, seen and timeline ask it, against an exact twin.
# Read by ./run, with what profile_checks.py has at hand.


class Past:
    """What was seen when, exactly."""

    def __init__(self, some, resolution=1):
        self.resolution = resolution
        self.ticks = {}
        for second, item in some:
            self.ticks.setdefault(item, set()).add(second // resolution)

    def seen(self, item, begin, end):
        low, high = begin // self.resolution, end // self.resolution
        return any(low <= t <= high for t in self.ticks.get(item, ()))

    def intervals(self, item, begin, end):
        low, high = begin // self.resolution, end // self.resolution
        found = []
        for t in sorted(t for t in self.ticks.get(item, ()) if low <= t <= high):
            if found and found[-1][1] == t - 1:
                found[-1][1] = t
            else:
                found.append([t, t])
        return found


def asked(store, questions, *more):
    """The answers to (item, from, to), by the contract for scripts."""
    lines = ["\t".join(map(str, question)) for question in questions]
    path = write(store + ".questions", "".join(line + "\n" for line in lines).encode())
    answers = ok("seen", store, "--batch", path, *more).lines()
    assert [line.rsplit("\t", 1)[0] for line in answers] == lines
    return [line.rsplit("\t", 1)[1] for line in answers]


def any_questions(past, count, seed=1):
    """About items that came and others, around the times when they did, short and long."""
    draw = random.Random(seed)
    items = sorted(past.ticks)
    made = []
    for _ in range(count):
        item = draw.choice(items)
        about = draw.choice(sorted(past.ticks[draw.choice((item, draw.choice(items)))]))
        begin = (about + draw.randrange(-3, 4)) * past.resolution + draw.randrange(-400, 400)
        length = draw.choice((0, 0, 1, 2, 10, 100, 3000, DAY, 20 * DAY))
        made.append((item if draw.random() < 0.9 else f"never {item}", begin, begin + length))
    return made


def expect_right(past, questions, answers):
    """No misses; names are kept in these logs, so nothing is wrong at all."""
    wrong = [(question, answer) for question, answer in zip(questions, answers)
             if answer != ("maybe" if past.seen(*question) else "no")]
    assert not wrong, wrong[:3]
    said = {answer: answers.count(answer) for answer in ("maybe", "no")}
    assert min(said.values()) > len(answers) // 20, said


def days(count, seed=1):
    """Several days with a gap, items that repeat, lines out of order and days late."""
    made = events(count, items=60, seed=seed)
    spread = [(second + (i * 7 // count) * DAY + (5 * DAY if i * 7 // count > 4 else 0), item)
              for i, (second, item) in enumerate(made)]
    draw = random.Random(seed)
    return [(second - (draw.randrange(3 * DAY) if draw.random() < 0.02 else 0), item)
            for second, item in spread]


# -- seen ---------------------------------------------------------------------------------------


@check
def seen_keeps_its_contract_for_scripts():
    made = days(10_000)
    past = Past(made)
    questions = any_questions(past, 10_000)
    with folder() as where:
        store, _ = profiled(where, made)
        answers = asked(store, questions)
        expect_right(past, questions, answers)
        for question, answer in list(zip(questions, answers))[:20]:
            item, begin, end = question
            one = run("seen", store, item, "--from", str(begin), "--to", str(end))
            assert (one.status, one.err) == (0 if answer == "maybe" else 1, ""), (question, one.err)
            row, = rows_of(one.out)
            assert (row["item"], row["answer"]) == (item, answer)
            assert (int(row["from"]), int(row["to"])) == (begin * 10**6, end * 10**6)
            assert 0 < float(row["error"]) < 0.02
        ok("verify", store)


@check
def coarser_ticks_are_widened_and_never_miss():
    for resolution in (7, 60, 86400, 200_000):
        made = days(3000, seed=resolution)
        past = Past(made, resolution)
        questions = any_questions(past, 1500)
        with folder() as where:
            log, store = write(where + "/e.tsv", tsv(made)), where + "/s"
            done("profile", log, "--store", store, "--resolution", str(resolution), "--half-life",
                 "10d", *SMALL)
            wrong = [question for question, answer in zip(questions, asked(store, questions))
                     if answer != ("maybe" if past.seen(*question) else "no")]
            assert not wrong, (resolution, wrong[:3])


@check
def items_that_come_once_are_never_missed_and_seldom_mistaken():
    draw = random.Random(4)
    midnight = START // DAY * DAY + DAY
    made = sorted((midnight + draw.randrange(DAY), f"once {i}") for i in range(66_000))
    next_day = [(midnight + DAY + i, f"once more {i}") for i in range(500)]
    with folder() as where:
        store, _ = profiled(where, made + next_day)
        true = [(item, second - 5, second + 5) for second, item in made]
        assert set(asked(store, true)) == {"maybe"}
        false = [(item, second + 100, second + 700) for second, item in made[:-2000]]
        path = write(where + "/b", "".join(f"{q[0]}\t{q[1]}\t{q[2]}\n" for q in false).encode())
        rows = json.loads(ok("seen", store, "--batch", path, "--json").out)["questions"]
        wrong = sum(answer == "maybe" for answer in asked(store, false))
        expected = sum(row["error"] for row in rows)
        assert all(0 < row["error"] < 1e-3 for row in rows), rows[0]
        assert wrong <= expected + 5 * expected ** 0.5 + 5, (wrong, expected)
        row = next(row for row in json.loads(ok("info", store, "--json").out)["containers"]
                   if row["role"] == "history.2")
        assert row["records"] == 66_500 and 66_490 <= row["pairs"] <= 66_500, row
        # Smaller than with names, and near the bound of log2(128 / 1e-9) bits for each.
        assert row["bytes"] * 8 < 66_500 * 44, row
        assert row["nameless_pairs"] >= 65_990, row


@check
def questions_are_asked_as_items_are_printed():
    odd = ["a\\tb", "back\\\\slash", "\\x00\\x1f", "", "blank here", "ü"]
    with folder() as where:
        lines = "".join(f"{START + i}\t{item}\n" for i, item in enumerate(odd))
        store = where + "/s"
        done(*contract(write(where + "/e.tsv", lines.encode()), store))
        assert asked(store, [(item, START + i, START + i) for i, item in enumerate(odd)]) == ["maybe"] * 6
        assert asked(store, [(item, START + i + 1, START + 99) for i, item in enumerate(odd)]) == ["no"] * 6
        assert run("seen", store, "", "--from", str(START), "--to", str(START + 9)).status == 0
        assert run("seen", store, "a\tb", "--from", str(START), "--to", str(START)).status == 0
        path = write(where + "/z.gz", gzip.compress(f"\ufeffü\t{START}\t{START + 9}\r\n".encode()))
        assert ok("seen", store, "--batch", path).out == f"ü\t{START}\t{START + 9}\tmaybe\n"
        when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(START + 5))
        assert asked(store, [("ü", when, when), ("ü", f"{START + 5}000", f"{START + 5}.5")]) == \
            ["maybe"] * 2


@check
def every_key_about_the_past_is_explained():
    with folder() as where:
        store, result = profiled(where, events(200), "--json")
        question = ["seen", store, "item1", "--from", str(START), "--to", str(START + 9999)]
        for command, words in (("seen", question), ("timeline", ["timeline", store, "item1"]),
                               ("plan history", ["plan", "history", "--pairs", "9", "--items", "3"])):
            explained = ok(*command.split(), "--help").out
            document = json.loads(ok(*words, "--json").out)
            keys = [*document, *rows_of(ok(*words).out)[0]]
            for key in keys:
                assert key in explained, (command, key)
            assert document["command"] == command and document["schema"] == 2
        document = json.loads(result.out)
        assert document["history_bytes"] > 0
        assert document["fields"][0]["history_bytes"] == document["history_bytes"]


# -- timeline -----------------------------------------------------------------------------------


@check
def timelines_are_exact_where_names_are_kept():
    made = days(8000, seed=2)
    past = Past(made)
    first, last = min(made)[0], max(made)[0]
    with folder() as where:
        store, _ = profiled(where, made)
        draw = random.Random(5)
        for item in [*draw.sample(sorted(past.ticks), 12), "never"]:
            begin = draw.randrange(first - DAY, last)
            for low, high, more in ((first, last, []),
                                    (begin, begin + 2 * DAY, ["--from", str(begin), "--to",
                                                              str(begin + 2 * DAY)])):
                truth = past.intervals(item, low, high)
                result = run("timeline", store, item, "--json", *more)
                assert result.status == (0 if truth else 1) and result.err == "", result.err
                document = json.loads(result.out)
                found = [[row["from"] // 10**6, row["to"] // 10**6] for row in document["intervals"]]
                assert found == truth, (item, low, high)
                assert document["ticks"] == sum(b - a + 1 for a, b in truth)
                assert document["asked_ticks"] == high - low + 1
                assert document["first"] == (truth[0][0] * 10**6 if truth else None)
                assert document["last"] == (truth[-1][1] * 10**6 if truth else None)
                bars = document["histogram"]
                width = -(-(high - low + 1) // len(bars))
                exact = [0] * len(bars)
                for a, b in truth:
                    for t in range(a, b + 1):
                        exact[(t - low) // width] += 1
                assert bars == exact, (item, bars, exact)
                rows = rows_of(run("timeline", store, item, *more).out)
                assert [int(row["ticks"]) for row in rows] == [b - a + 1 for a, b in truth]


@check
def a_timeline_for_people():
    with folder() as where:
        store, _ = profiled(where, [(START + 10 * i, ("a", "b")[i % 2]) for i in range(100)])
        shown = ok("timeline", store, "a", "--table").out
        lines = shown.splitlines()
        assert lines[0] == ("a   seen 2014-05-13 16:53:20 .. 17:09:40 +0000   in 50 seconds of 991"), lines
        assert lines[2] == "2014-05-13 16:53:20 .. 17:09:50 +0000" and "█" in lines[3], lines
        assert "30 earlier ones are not shown: -n 50 shows all" in shown and shown.count("17:09:40") == 3, shown
        assert "earlier" not in ok("timeline", store, "a", "--table", "-n", "50").out
        assert ok("timeline", store, "a", "-n", "2").out.count("\n") == 3
        result = run("timeline", store, "nobody", "--table")
        assert result.status == 1 and result.out.startswith("nobody was not seen in "), result.out
        assert ok("timeline", store, "a", "--table", "--ascii").out.isascii()
        hour = done("profile", where + "/e.tsv", "--store", where + "/m", "--resolution", "1m").out
        assert hour and "2 x 1 min" in ok("timeline", where + "/m", "a", "--table", "--to",
                                          str(START + 60)).out


@check
def an_answer_for_people():
    with folder() as where:
        store, _ = profiled(where, [(START + i, "a") for i in range(9)])
        at = lambda begin, end: ["seen", store, "a", "--table", "--from", begin, "--to", end]
        shown = ok(*at("2014-05-13T16:53", "2014-05-13 16:53:30")).out
        assert shown.startswith("maybe   a was seen in 2014-05-13 16:53:00 .. 16:53:30 +0000   (probability")
        assert ok(*at("2014-05-13", "2014-05-13T16:53")).out.startswith(
            "maybe   a was seen in 2014-05-13 00:00:00 .. 16:53:59 +0000   (probability")
        result = run(*at("2014-05-13", "2014-05-13T16:52"))
        assert result.status == 1 and result.out.startswith("no   a was not seen in 2014-"), result.out
        assert "(certain)" in result.out


# -- going on -----------------------------------------------------------------------------------


@check
def two_halves_remember_what_the_whole_does():
    made = days(6000, seed=3)
    with folder() as where:
        done(*contract(write(where + "/all", tsv(made)), where + "/one", *SMALL))
        for cut in (1, 2000, 2571, 2572, 5999):  # days end at sevenths
            for number, part in enumerate((made[:cut], made[cut:])):
                done(*contract(write(f"{where}/{number}", tsv(part)), f"{where}/two{cut}", *SMALL))
            assert containers(where + "/one") == containers(f"{where}/two{cut}"), cut
        questions = any_questions(Past(made), 500)
        expect_right(Past(made), questions, asked(f"{where}/two2000", questions))


@check
def years_of_rare_events_are_remembered():
    made = [(START + 86_400 * i, "daily") for i in range(5000)]
    with folder() as where:
        store, _ = profiled(where, made, *SMALL)
        assert asked(store, [("daily", second, second) for second, _ in made]) == ["maybe"] * 5000
        assert asked(store, [("daily", second + 1, second + 86_399) for second, _ in made]) == \
            ["no"] * 5000
        assert json.loads(ok("timeline", store, "daily", "--json").out)["ticks"] == 5000


@check
def what_waits_counts_as_seen():
    far = START + 999 * DAY
    with folder() as where:
        store, _ = profiled(where, [*events(100), (far, "corrupt")])
        assert asked(store, [("corrupt", far, far), ("corrupt", START, far - 1), ("item1", far, far)]) == \
            ["maybe", "no", "no"]
        document = json.loads(ok("timeline", store, "item1", "--json").out)
        assert document["held_back"] == 1 and document["to"] < far * 10**6
        assert "1 event" + HELD in " ".join(ok("timeline", store, "item1", "--table").out.split())
        assert ok("timeline", store, "corrupt", "--to", str(far)).lines()[1:] == \
            [f"{far}000000\t{far}999999\t1"]
        for count in (1, 2):  # all of it waits
            store, _ = profiled(where, [(START + i, "x") for i in range(count)])
            assert json.loads(ok("timeline", store, "x", "--json").out)["ticks"] == count


@check
def times_before_1970_are_remembered():
    made = [(-99_999_999_999, "oldest"), (-86_401, "old"), (-1, "late"), (0, "zero"), (5, "new")]
    made += [(6 + i, "x") for i in range(5)]
    with folder() as where:
        store, _ = profiled(where, made)
        assert asked(store, [(item, second, second) for second, item in made]) == ["maybe"] * len(made)
        assert asked(store, [(item, second + 1, second + 1) for second, item in made[:5]]) == ["no"] * 5
        assert asked(store, [("oldest", "-99999999999", "99999999999")]) == ["maybe"]


# -- bad input ----------------------------------------------------------------------------------


@check
def questions_that_cannot_be():
    with folder() as where:
        log = write(where + "/a.log", ok("generate", "--records", "200").out.encode())
        done("profile", log, *SMALL)
        two = where + "/a.bloomtime"
        store, _ = profiled(where, events(20))
        ask = ["seen", store, "item1"]
        refused("seen", says="seen needs a store")
        refused("seen", store, says="seen needs one item, got 0")
        refused("seen", store, "a", "b", "--from", "1", "--to", "2", says="one item, got 2")
        refused(*ask, says="needs --from and --to")
        refused(*ask, "--from", "5", says="needs --from and --to")
        refused(*ask, "--from", "10", "--to", "9", says="--from (1970-01-01 00:00:10 +0000) must not be "
                                                        "after --to (1970-01-01 00:00:09 +0000)")
        for bad in ("soon", "2014-02-30", "25:00", "1e9", "99999999999999999999"):
            refused(*ask, "--from", bad, "--to", "9", says="--from must be a time")
            refused(*ask, "--from", "9", "--to", bad, says="--to must be a time")
            refused("timeline", store, "item1", "--from", bad, says="--from must be a time")
        refused("timeline", store, "x", "--to", str(START - 9999), says="must not be after --to")
        refused("seen", store, "x", "--from", "2014-01-03", "--to", "2014-01-01",
                says="--from (2014-01-03) must not be after --to (2014-01-01)")
        refused("timeline", store, "x", "-n", "0", says="-n must be at least 1")
        refused("timeline", store, says="needs a store and one item, got 1 words")
        for command in (["seen", two, "/", "--from", "1", "--to", "2"], ["timeline", two, "/"]):
            refused(*command, says="the fields path, host; choose one with --field")
            refused(*command, "--field", "hots", says="Did you mean host?")
            assert run(*command, "--field", "host").status == 1
        for line, says in (("a\t1", "line 2 is not a query; expected `item <TAB> from <TAB> to`"),
                           ("a\t1\t2\t3", "line 2 is not a query; expected"),
                           ("", "line 2 is not a query"),
                           ("a\t2\t1", "line 2 is not a query: --from (1970"),
                           ("a\tx\t1", "line 2 is not a query: --from must be a time"),
                           ("a\t1\t", "line 2 is not a query: --to must be a time")):
            path = write(where + "/q", f"a\t1\t2\n{line}\n".encode())
            result = run("seen", store, "--batch", path)
            assert (result.status, result.out) == (2, "a\t1\t2\tno\n") and says in result.err, result.err
        refused("seen", store, "--batch", where + "/none", says="No such file")
        refused("seen", store, "x", "--batch", path, says="either an item with --from")
        refused("seen", store, "--batch", path, "--from", "1", says="either an item with --from")
        refused("seen", where, "x", "--from", "1", "--to", "2", says="is not a store")
        refused("timeline", where + "/missing", "x", says="there is no store")


@check
def an_empty_store_has_no_past():
    with folder() as where:
        store = where + "/s"
        done(*contract(write(where + "/empty", b""), store))
        assert asked(store, [("x", 0, 99_999_999_999)]) == ["no"]
        result = run("timeline", store, "x", "--table")
        assert result.status == 1 and result.out == f"{store}: no events yet\n\n", result.out
        document = json.loads(run("timeline", store, "x", "--json").out)
        assert document["first"] is None and document["histogram"] == [], document


# -- info and plan ------------------------------------------------------------------------------


@check
def info_tells_what_a_history_holds():
    made = days(5000, seed=6)
    past = Past(made)
    with folder() as where:
        store, _ = profiled(where, made)
        row = next(row for row in json.loads(ok("info", store, "--json").out)["containers"]
                   if row["role"] == "history.2")
        assert (row["family"], row["engine"], row["records"]) == ("history", "history", 5000), row
        assert row["pairs"] == sum(len(ticks) for ticks in past.ticks.values()), row
        assert row["items"] == len(past.ticks), row
        assert row["bytes"] == os.path.getsize(f"{store}/{row['file']}")
        assert row["tick_seconds"] == 1 and row["partition_ticks"] == 86_400


@check
def plan_history_puts_all_engines_side_by_side():
    plan = ["plan", "history", "--pairs", "2127749", "--items", "25497", "--length", "128"]
    document = json.loads(ok(*plan, "--json").out)
    assert (document["ticks"], document["length"], document["target_error"]) == (86_400, 128, 0.01)
    rows = {(row["engine"], row["variant"]): row for row in document["choices"]}
    assert len(rows) == len(document["choices"]) == 9
    near = lambda key, bits, by: abs(rows[key]["bits_per_pair"] - bits) <= by
    assert near(("single_history", ""), 19.7, 0.1) and near(("bound", "filters"), 13.6, 0.1)
    assert near(("bound", "exact"), 11.5, 0.1) and near(("timeline_history", "with names"), 12.8, 0.8)
    assert rows["single_history", ""]["probes"] == 128
    assert abs(rows["level_history", "optimal"]["probes"] - 7.008) < 0.001
    best, = [key for key, row in rows.items() if row["recommended"]]
    assert best == ("timeline_history", "with names")
    for key, row in rows.items():
        assert row["error"] <= 0.01 * (1 + 1e-9), (key, row)
        assert abs(row["memory_bytes"] * 8 - row["bits_per_pair"] * 2127749) < 17, (key, row)
    bits = [rows["level_history", rule]["bits_per_pair"] for rule in ("uniform", "optimal", "planned")]
    assert bits == sorted(bits, reverse=True), bits
    once = json.loads(ok("plan", "history", "--pairs", "1M", "--items", "1M", "--json").out)
    best, = [row["variant"] for row in once["choices"] if row["recommended"]]
    assert best == "without names"
    shown = ok(*plan, "--table").out
    assert "queries of 128 s" in shown and "▸ timeline_history, with names" in shown, shown
    ok("plan", "history", "--pairs", "1", "--items", "1", "--span", "1", "--length", "1")
    short = json.loads(ok("plan", "history", "--pairs", "1", "--items", "1", "--span", "1m", "--json").out)
    assert short["length"] == 60, short  # the default is no longer than the span
    for more, says in (([], "needs --pairs"), (["--pairs", "5"], "needs --pairs"),
                       (["--pairs", "5", "--items", "6"], "--pairs must be at least --items (6); got 5"),
                       (["--pairs", "9", "--items", "2", "--span", "4"], "at most one per item and tick (2 items in 4 ticks); got 9"),
                       (["--pairs", "9", "--items", "2", "--error", "0"], "--error must lie"),
                       (["--pairs", "9", "--items", "2", "--length", "0"], "--length must be a time"),
                       (["--pairs", "9", "--items", "9", "--span", "1h", "--length", "2h"],
                        "--length must be at most --span (3,600 s); got 2h"),
                       (["--pairs", "10^15", "--items", "10^15"], "Try fewer --pairs")):
        refused("plan", "history", *more, says=says)
