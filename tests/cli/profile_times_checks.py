# Which times profile believes, and when hot and heat answer.
# Read by ./run, with what profile_checks.py has at hand.


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
            assert ", 1 held back" in result.out or form != "--table", result.out
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
        assert "2 events, up to 2014-05-13 16:53:21 +0000" in shown, shown


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
        fails("profile", empty, says="the input is empty")
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
        says = ("2 of 2 lines rejected: 2 stamped with a time that cannot be read, so no line is "
                "valid; check --format, --time and --item")
        fails(*contract(bad, where + "/new"), says=says)
        assert os.listdir(where) == ["bad"]
        store, _ = profiled(where, events(10))
        before = read(store + "/manifest.json")
        fails(*contract(bad, store, "--rejects", where + "/rejects"), says=says)
        assert read(store + "/manifest.json") == before and read(where + "/rejects") == read(bad)
        done(*contract(bad, store, where + "/e.tsv"))  # some lines can be read
        assert json.loads(ok("info", store, "--json").out)["stores"][0]["bad_lines"] == 2
        result = run(*contract(bad, store, "--again"))
        assert "line 1 is stamped with a time that cannot be read: 7 o" in result.err, result.err


@check
def heat_is_asked_from_the_last_event_on():
    made = events(100)
    last = max(second for second, _ in made)
    with folder() as where:
        store, _ = profiled(where, made)
        refused("heat", store, "item1", "--at", str(last - 1), 
                says="--at must not be before the store's newest event")
        refused("heat", store, "item1", "--at", "2014-05-13", says="is not kept; got 2014-05-13")
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
            assert "up to 11, 14, 17 or 19 digits" in ok(command, "--help").out


@check
def half_lives_are_told_as_they_were_given():
    with folder() as where:
        store, _ = profiled(where, events(10))
        rows = json.loads(ok("info", store, "--json").out)["containers"]
        half_lives = {row["role"]: row["half_life_seconds"] for row in rows}
        assert half_lives == {"heat.2": 3600, "hot.2": 3600, "history.2": None, "ledger": 3600,
                              "totals.2": None, "largest.2": None}
        assert "3600.0000" not in ok("info", store).out
