# What was hot, what changed and what is kept: hot --at, compare and profile --keep. Read by ./run,
# with what profile_checks.py has at hand.

TIME_AND_ITEM = ["--format", "tsv", "--time", "1", "--item", "2"]


def lines_stored(where, name, lines, *more):
    """A store of lines (second, item)."""
    log = write(f"{where}/{name}.tsv", tsv(lines))
    done = run("profile", log, *TIME_AND_ITEM, "--store", f"{where}/{name}", *more)
    assert done.status == 0, done.err
    return f"{where}/{name}"


def by_changed_item(document, key="changes"):
    return {row["item"]: row for row in document[key]}


@check
def compare_names_what_changed_between_two_stores():
    with folder() as where:
        a = lines_stored(where, "a", [(START + i, "same") for i in range(400)] +
                     [(START + i, "gone") for i in range(5)] +
                     [(START + i, "hot") for i in range(0, 400, 20)])
        b = lines_stored(where, "b", [(START + DAY + i, "same") for i in range(400)] +
                     [(START + DAY + 40 * i, "fresh") for i in range(9)] +
                     [(START + DAY + i, "hot") for i in range(0, 400, 2)])
        document = json.loads(ok("compare", a, b, "--json").out)
        assert (document["command"], document["by"], document["counts"]) == ("compare", "rate", "hits")
        assert document["before_seconds"] == document["after_seconds"] == 400, document
        rows = by_changed_item(document)
        assert {i: r["change"] for i, r in rows.items()} == {
            "fresh": "new", "hot": "hotter", "gone": "gone"}, rows
        hot = rows["hot"]
        assert (hot["before"], hot["before_lower"], hot["after"], hot["after_upper"]) == (20, 20, 200, 200)
        assert hot["ratio"] == hot["ratio_lower"] == hot["ratio_upper"] == 10 and hot["p_value"] < 1e-6
        assert rows["fresh"]["ratio"] is None and rows["gone"]["ratio"] == 0
        assert document["fields"][0]["names"] == 4, document["fields"]
        # The other way around, and with a store itself.
        back = by_changed_item(json.loads(ok("compare", b, a, "--json").out))
        assert {i: r["change"] for i, r in back.items()} == {
            "fresh": "gone", "hot": "cooler", "gone": "new"}, back
        same = run("compare", a, a, "--tsv")
        assert (same.status, len(rows_of(same.out.split("\n\n")[0]))) == (1, 0), same
        table = ok("compare", a, b, "--table").out
        assert "hotter" in table and "4 items whose names are kept" in table, table


@check
def compare_by_share_does_not_name_what_grew_as_all_did():
    with folder() as where:
        a = lines_stored(where, "a", [(START + i, "xy"[i % 2]) for i in range(1000)])
        b = lines_stored(where, "b", [(START + i // 8, "xy"[i % 2]) for i in range(8000)])
        assert {r["change"] for r in json.loads(ok("compare", a, b, "--json").out)["changes"]} == {
            "hotter"}
        by_share = run("compare", a, b, "--json", "--by", "share")
        assert by_share.status == 1 and json.loads(by_share.out)["changes"] == [], by_share.out


@check
def compare_of_two_spans():
    with folder() as where:
        lines = [(START + i, "steady") for i in range(0, 7200, 10)]
        lines += [(START + 3600 + i, "burst") for i in range(0, 3600, 4)]
        lines += [(START + i, "burst") for i in range(0, 3600, 400)]
        lines += [(START + i, "old") for i in range(0, 3600, 300)]
        store = lines_stored(where, "s", sorted(lines) + [(START + 7200, "end")])
        first, middle = str(START), str(START + 3600)
        document = json.loads(ok("compare", store, "--from", middle, "--base-from", first, "--base-to",
                                 middle, "--json").out)
        assert document["counts"] == "ticks", document
        assert document["before_to"] < document["after_from"], document
        rows = by_changed_item(document)
        assert {i: r["change"] for i, r in rows.items()} == {
            "burst": "hotter", "old": "gone", "end": "new"}, rows
        # By default as long, right before.
        near = json.loads(ok("compare", store, "--from", "-30m", "--json").out)
        assert near["before_seconds"] == near["after_seconds"] == 1801, near
        assert near["before_to"] + 10**6 == near["after_from"], near


@check
def compare_refuses_what_it_cannot_compare():
    with folder() as where:
        a = lines_stored(where, "a", [(START + i, "x") for i in range(90)])
        b = lines_stored(where, "b", [(START + i, "x") for i in range(90)], "--pseudonymise")
        refused("compare", a, says="needs two stores, or one with --from")
        refused("compare", a, a, a, says="needs two stores")
        refused("compare", a, b, says="pseudonyms")
        refused("compare", a, a, "--from", "-1h", says="two spans of one store")
        refused("compare", a, a, "--by", "shar", says="Did you mean share?")
        refused("compare", a, a, "--field", "nosuch", says="no field nosuch")
        refused("compare", a, a, "--error", "2", says="--error")
        refused("compare", a, "--from", "-1h", "--by", "share", says="two stores")
        refused("compare", a, "--from", "-10s", "--base-from", "-20s", "--base-to", "-5s",
                says="must not overlap")
        refused("compare", a, "--from", str(START), says="no events before --from")
        refused("compare", a, "--from", "2030-01-01", "--to", "2031-01-01",
                says="no recorded time")
        refused("compare", where + "/nosuch", a, says="there is no store")
        refused("compare", a, "--from", "-1s", "--to", "-2s", says="must not be after")


@check
def hot_at_a_time_in_the_past():
    with folder() as where:
        lines = [(START + i, "early") for i in range(0, 600, 5) for _ in range(2)]
        lines += [(START + DAY // 2 + i, "late") for i in range(600)]
        store = lines_stored(where, "s", lines)
        at = str(START + 600)
        document = json.loads(ok("hot", store, "--at", at, "--json").out)
        assert document["in_the_past"] is True and document["names"] == 2, document
        (row,) = document["items"]
        exact = sum(2 * 2 ** (-(600 - i) / 3600) for i in range(0, 600, 5))
        assert row["item"] == "early" and abs(row["hits"] - exact / 2) < 0.001, (row, exact)
        assert row["lower"] <= exact <= row["upper"] < 2.2 * exact, (row, exact)
        assert row["total"] is None and row["guaranteed"] is False, row
        table = ok("hot", store, "--at", at, "--table").out
        assert "2 items whose names are kept; others may have been hotter then" in table, table
        refused("hot", store, "--at", at, "--by", "total", says="omit --by total")
        refused("heat", store, "early", "--at", at, says="bloomtime hot --at")
        now = json.loads(ok("hot", store, "--json").out)
        assert now["in_the_past"] is False and now["items"][0]["item"] == "late", now


@check
def keep_drops_old_history_and_continues():
    with folder() as where:
        lines = [(START + i * DAY // 4, f"day{i // 4}") for i in range(400)]
        store = lines_stored(where, "s", lines, "--keep", "10d")
        whole = lines_stored(where, "whole", lines)
        about = json.loads(ok("info", store, "--json").out)["stores"][0]
        assert about["keep_seconds"] == 10 * DAY, about
        assert json.loads(ok("info", whole, "--json").out)["stores"][0]["keep_seconds"] is None
        old = ["--from", str(START), "--to", str(START + 9 * DAY)]
        assert "out of retention" in ok("seen", store, "day3", *old).out
        assert "maybe" in ok("seen", whole, "day3", *old).out
        assert run("seen", store, "nosuch", *old).status == 0
        assert run("seen", store, "nosuch", "--from", "-9d", "--to", "-1d").status == 1
        assert "maybe" in ok("seen", store, "day90", "--from", "-10d", "--to", "-1h").out
        shown = json.loads(ok("timeline", store, "day3", *old, "--json").out)
        assert shown["out_of_retention"] is True and shown["intervals"] == [], shown
        kept = run("timeline", store, "day3", "--json")
        assert kept.status == 1 and json.loads(kept.out)["out_of_retention"] is False, kept
        assert "no longer kept" in run("timeline", store, "day95", "--table").out
        refused("hot", store, "--at", str(START + DAY), says="no longer kept (--keep)")
        refused("compare", store, "--from", "-20d", says="no longer kept (--keep)")

        def pairs(name):
            return next(int(c["pairs"]) for c in json.loads(ok("info", name, "--json").out)["containers"]
                        if c["role"] == "history.2")

        assert pairs(whole) == 400 and 40 <= pairs(store) <= 49, (pairs(whole), pairs(store))
        # It goes on so without the option, also for lines that are older.
        more = write(where + "/more.tsv", tsv([(START, "old"), (START + 101 * DAY, "new")] * 2))
        late = run("profile", more, "--store", store)
        assert late.status == 0 and "2 events are older than the history that is kept" in late.err, late.err
        assert json.loads(ok("info", store, "--json").out)["stores"][0]["keep_seconds"] == 10 * DAY
        assert "out of retention" in ok("seen", store, "old", *old).out
        assert rows_of(ok("heat", store, "old").out)[0]["total"] == "2"
        run("profile", more, "--store", store, "--keep", "2d")
        assert pairs(store) <= 16 and ok("verify", store)
        run("profile", more, "--store", store, "--keep", "all")
        assert json.loads(ok("info", store, "--json").out)["stores"][0]["keep_seconds"] is None
        refused("profile", more, "--store", store, "--keep", "soon", says="--keep")
        refused("merge", whole, lines_stored(where, "k", lines, "--keep", "3d"), "-o", where + "/m",
                says="the history that is kept (--keep) is all in the first and 3 d in the second")


@check
def keep_never_says_no_about_what_was_seen_whatever_the_clock_does():
    """A clock that jumps back by days and ahead by hours, in runs that continue the same store."""
    for seed in range(3):
        draw = random.Random(seed)
        now, lines = START + 20 * DAY, []
        for _ in range(1500):
            jump = draw.random()
            shift = -draw.randrange(12 * DAY) if jump < 0.1 else draw.randrange(DAY // 2) * (jump < 0.2)
            now += draw.choice((1, 60, 3600))
            lines.append((now + shift, f"item{draw.randrange(40)}"))
        with folder() as where:
            for part in range(3):
                log = write(f"{where}/{part}.tsv", tsv(lines[part * 500:part * 500 + 500]))
                done = run("profile", log, *TIME_AND_ITEM, "--store", where + "/s", "--keep", "3d")
                assert done.status == 0, done.err
            past = Past(lines)
            questions = any_questions(past, 600, seed)
            answers = asked(where + "/s", questions)
            missed = [(q, a) for q, a in zip(questions, answers) if a == "no" and past.seen(*q)]
            assert not missed, (seed, missed[:3])
            # It still knows what it keeps, and does not know the rest.
            said = {answer: answers.count(answer) for answer in answers}
            assert set(said) == {"maybe", "no", "out of retention"} and min(said.values()) > 20, said
            assert ok("verify", where + "/s")


@check
def compare_shows_hostile_names_as_text():
    hostile = ["\x1b[31mred", "</script><b>", "\u202egnp.exe", "a\x07b", "\x9b2J", "x" * 3000]
    with folder() as where:
        a = lines_stored(where, "a", [(START + i, "same") for i in range(50)])
        b = lines_stored(where, "b", [(START + i, name) for i in range(50) for name in hostile])
        table = ok("compare", a, b, "--table").out
        assert not any(c in table for c in "\x1b\x07\x9b\u202e"), repr(table)
        rows = by_changed_item(json.loads(ok("compare", a, b, "--json").out))
        assert {name[:1024] for name in hostile} <= set(rows), list(rows)
        assert all(rows[name[:1024]]["change"] == "new" for name in hostile)


@check
def dedupe_takes_costs_from_a_field():
    costs = ["--cost-duplicate", "1", "--cost-loss", "1"]
    # An error so large that many new lines look seen: cheap ones are lost, dear ones pass.
    made = [(START, f"k{i}", "1e-6" if i % 2 else "1e6") for i in range(40_000)]
    data = "".join(f"{t}\t{k}\t{c}\n" for t, k, c in made).encode()
    options = ["dedupe", "--format", "tsv", "--time", "1", "--item", "2", "--window", "1h", "--seed", "0",
               "--error", "20%", "--expect", "1000"]
    out, _ = deduped(data, *options, *costs, "--cost-field", "3")
    passed = [line.split(b"\t")[2] for line in out.splitlines()]
    assert passed.count(b"1e6") == 20_000 and passed.count(b"1e-6") < 19_900, len(passed)
    for wrong, says in ((["--cost-field", "3"], "--cost-field needs --cost-duplicate"),
                        ([*costs, "--cost-field", "2"], "no line has a number above zero in the field 2"),
                        ([*costs, "--cost-field", "nosuch"], "nosuch")):
        _, err = deduped(data[:200], *options, *wrong, status=2)
        assert says in err, err


@check
def a_condition_that_no_line_fulfils_makes_no_store():
    with folder() as where:
        log = write(where + "/e.tsv", tsv((START + i, f"i{i}") for i in range(9)))
        done = run("profile", log, *TIME_AND_ITEM, "--where", "2=nosuch")
        assert done.status == 2 and "--where excludes all 9 lines" in done.err, done
        assert not os.path.exists(where + "/e.bloomtime")
