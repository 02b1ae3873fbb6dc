# Lines that lack one of several items. Read by ./run, with what profile_checks.py has at hand.


def ndjson(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def some_rows(count=300):
    """Every line has a time; a third lacks the user, a fifth the page, some both."""
    rows = []
    for i in range(count):
        row = {"time": START + i, "user": f"u{i % 7}", "page": f"/{i % 11}"}
        if i % 3 == 0:
            del row["user"]
        if i % 5 == 0:
            del row["page"]
        rows.append(row)
    return rows


@check
def a_line_counts_for_the_items_it_has():
    rows = some_rows()
    with folder() as where:
        log = write(where + "/a.ndjson", ndjson(rows))
        both = done("profile", log, "--item", "user", "--item", "page", "--store", where + "/both", *SMALL)
        lacking = {key: sum(key not in row and len(row) > 1 for row in rows) for key in ("user", "page")}
        for key, count in lacking.items():
            assert f"{count} of 300 lines lack {key}; they count for the other items only" in both.err, both.err
        nothing = sum(len(row) == 1 for row in rows)
        assert f"{nothing} of 300 lines rejected: {nothing} without the item" in both.err, both.err
        assert "line 1 has no field user or page" in both.err, both.err
        for key in ("user", "page"):
            have = [(row["time"], row[key]) for row in rows if key in row]
            alone = done("profile", log, "--item", key, "--store", f"{where}/{key}", "--memory", "20kB")
            assert alone.status == 0
            at = rows[-1]["time"]
            items = sorted({item for _, item in have})
            found = heat_of(where + "/both", at, items, "--field", key)
            truth = decayed(have, at)
            for item in items:
                assert found[item][2] >= truth[item] * (1 - 1e-9), (item, found[item], truth[item])
                assert found[item][1] <= truth[item] * (1 + 1e-9), (item, found[item], truth[item])
            past = Past(have)
            questions = any_questions(past, 200)
            wrong = [q for q, answer in zip(questions, asked(where + "/both", questions, "--field", key))
                     if answer != ("maybe" if past.seen(*q) else "no")]
            assert not wrong, wrong[:3]
            one, = [part for role, part in containers(f"{where}/{key}")[0].items() if role == f"history.{key}"]
            assert one == containers(where + "/both")[0][f"history.{key}"], key
        manifest = json.loads(read(where + "/both/manifest.json"))
        assert manifest["records"] == 300 - nothing and manifest["bad_lines"] == nothing
        ok("verify", where + "/both")


@check
def two_halves_of_partial_lines_are_the_whole():
    rows = some_rows(40)
    rows.insert(20, {"time": START + 9 * DAY, "page": "/far"})  # waits, and lacks an item
    command = lambda log, store: ["profile", log, "--item", "user", "--item", "page", "--store", store, *SMALL]
    with folder() as where:
        done(*command(write(where + "/all", ndjson(rows)), where + "/one"))
        for cut in (2, 20, 21, 23, 30):
            for number, part in enumerate((rows[:cut], rows[cut:])):
                done(*command(write(f"{where}/{number}", ndjson(part)), f"{where}/two{cut}"))
            assert containers(where + "/one") == containers(f"{where}/two{cut}"), cut
        # Still waiting at the end: kept without the item that it lacks, and asked with the others.
        store = where + "/waits"
        done(*command(write(where + "/w", ndjson(rows[:22])), store))
        far = START + 9 * DAY
        assert asked(store, [("/far", far, far), ("/far", 0, far - 1)], "--field", "page") == ["maybe", "no"]
        assert asked(store, [("", far, far)], "--field", "user") == ["no"]
        ok("verify", store)
        ok("info", store)


@check
def an_item_that_no_line_has_is_an_error():
    rows = some_rows(30)
    with folder() as where:
        log = write(where + "/a.ndjson", ndjson(rows))
        for items in (["nope"], ["user", "nope"], ["nope", "user"], ["user,nope", "page"]):
            words = [word for item in items for word in ("--item", item)]
            name = next(item for item in items if "nope" in item)
            fails("profile", log, *words, "--store", where + "/s", says=f"no line has the item {name}")
            assert not os.path.exists(where + "/s")
        fails("profile", log, "--item", "usr", "--item", "page", says="Did you mean user?")
        table = write(where + "/e.tsv", tsv(events(20)))
        fails("profile", table, "--time", "1", "--item", "2", "--item", "3", says="no line has the item 3")
        # An item that came before may be missing in the next log.
        done("profile", log, "--item", "user", "--item", "page", "--store", where + "/s", *SMALL)
        later = [{"time": START + 100 + i, "page": "/x"} for i in range(5)]
        told = done("profile", write(where + "/b", ndjson(later)), "--store", where + "/s").err
        assert "5 of 5 lines lack user" in told, told


@check
def strict_reading_takes_no_partial_line():
    with folder() as where:
        log = write(where + "/a.ndjson", ndjson(some_rows(30)[1:]))
        fails("profile", log, "--item", "user", "--item", "page", "--strict", "--store", where + "/s",
              says="line 3 has no field user")
        assert not os.path.exists(where + "/s")
