# Items that come and go: tally and count, against an exact twin. Read by ./run.


class Counts:
    """How many there are, exactly; what cannot be removed is left out."""

    def __init__(self):
        self.of, self.refused = {}, 0

    def take(self, op, item, amount=1):
        if op in ("-", "remove"):
            if self.of.get(item, 0) < amount:
                self.refused += 1
                return
            amount = -amount
        self.of[item] = self.of.get(item, 0) + amount


def tallied(*arguments, status=0):
    """The one row that tally prints, and what it told."""
    result = run("tally", *arguments)
    assert result.status == status, f"{arguments}: {result.status}: {result.err}"
    return (rows_of(result.out)[0] if status in (0, 3) else None), result.err


def counted(store, items):
    path = write(store + ".items", "".join(f"{item}\n" for item in items).encode())
    lines = [line.split("\t") for line in ok("count", store, "--batch", path).lines()]
    assert [line[0] for line in lines] == list(items)
    return [tuple(map(int, line[1:])) for line in lines]


def any_changes(count, seed=1, absent=0.02):
    """Adds and removes of a few hundred items, some of what is not there."""
    draw = random.Random(seed)
    present, made = [], []
    for _ in range(count):
        item = f"item-{int(draw.paretovariate(0.7)) % 900}"
        if draw.random() < absent:
            made.append(("-", f"never-{item}"))
        elif present and draw.random() < 0.4:
            i = draw.randrange(len(present))
            present[i], present[-1] = present[-1], present[i]
            made.append(("-", present.pop()))
        else:
            present.append(item)
            made.append(("+", item))
    return made


def tsv_of(rows):
    return "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()


@check
def a_tally_counts_like_an_exact_one():
    with folder() as where:
        changes = any_changes(20000)
        exact = Counts()
        for change in changes:
            exact.take(*change)
        store = os.path.join(where, "store")
        told, _ = tallied(write(os.path.join(where, "f"), tsv_of(changes)), "--format", "tsv",
                          "--op", "1", "--item", "2", "--store", store)
        assert int(told["refused"]) == exact.refused > 100, told
        assert int(told["adds"]) == sum(op == "+" for op, _ in changes)
        assert int(told["total"]) == sum(exact.of.values())
        alive = sum(count > 0 for count in exact.of.values())
        assert abs(float(told["distinct"]) - alive) < 0.05 * alive, told
        items = sorted(exact.of) + [f"never-{item}" for item in sorted(exact.of)]
        # A hundred million items could come: nothing is too high.
        for item, (count, lower, upper) in zip(items, counted(store, items)):
            assert lower <= count == upper == exact.of.get(item, 0), (item, count, lower, upper)


@check
def a_small_tally_is_never_too_low():
    with folder() as where:
        changes = any_changes(20000, seed=2, absent=0)
        exact = Counts()
        for change in changes:
            exact.take(*change)
        store = os.path.join(where, "store")
        tallied(write(os.path.join(where, "f"), tsv_of(changes)), "--op", "1", "--item", "2",
                "--store", store, "--items", "100", "--error", "10%", "--engine", "tally_filter")
        answers = dict(zip(sorted(exact.of), counted(store, sorted(exact.of))))
        assert all(upper >= exact.of[item] for item, (_, _, upper) in answers.items())
        below = sum(lower > exact.of[item] for item, (_, lower, _) in answers.items())
        assert below < 0.05 * len(answers), below
        assert sum(count > exact.of[item] for item, (count, _, _) in answers.items()) > 10


@check
def a_full_table_refuses_items_and_says_so():
    with folder() as where:
        store = os.path.join(where, "store")
        rows = [("+", f"item-{i}") for i in range(3000)]
        path = write(os.path.join(where, "f"), tsv_of(rows))
        told, err = tallied(path, "--op", "1", "--item", "2", "--store", store, "--items", "1000",
                            "--memory", "4k", status=3)
        assert err.count("--memory leaves no room") == 1, err
        assert 500 < int(told["adds"]) < 2500 and int(told["adds"]) + int(told["full"]) == 3000, told
        assert int(told["total"]) == int(told["adds"]), told
        again = run("tally", path, "--op", "1", "--item", "2", "--store", store, "--table")
        assert again.status == 3, again
        assert "refused adds: --memory leaves no room" in " ".join(again.out.split()), again.out


@check
def a_filter_refuses_large_counts_beyond_its_memory():
    with folder() as where:
        store = os.path.join(where, "store")
        rows = [("+", f"item-{i}", 1000) for i in range(500)] + [("+", "item-0", 5)]
        told, err = tallied(write(os.path.join(where, "f"), tsv_of(rows)), "--op", "1", "--item", "2",
                            "--amount", "3", "--store", store, "--memory", "4096",
                            "--engine", "tally_filter", status=3)
        assert err.count("--memory leaves no room for more items or larger counts") == 1, err
        assert 0 < int(told["adds"]) and int(told["adds"]) + int(told["full"]) == 501, told
        assert int(told["total"]) == 1000 * (int(told["adds"]) - 1) + 5, told  # item-0 has its entries
        assert int(told["memory_bytes"]) <= 4096, told
        assert counted(store, ["item-0"])[0][2] >= 1005


@check
def stores_with_filters_are_continued_with_them():
    with folder() as where:
        store = os.path.join(where, "store")
        path = write(os.path.join(where, "f"), tsv_of([("+", "a"), ("+", "b")]))
        options = ["--op", "1", "--item", "2", "--store", store]
        tallied(path, *options, "--engine", "tally_filter")
        tallied(path, *options)
        assert counted(store, ["a", "b", "c"]) == [(2, 2, 2), (2, 2, 2), (0, 0, 0)]
        refused("tally", path, *options, "--engine", "tally_table", says="already has a size")
        refused("tally", path, *options[:-1], store + "2", "--engine", "cuckoo", says="got cuckoo")


@check
def a_tally_goes_on_where_it_was():
    with folder() as where:
        changes = any_changes(6000, seed=3)
        whole, parts = os.path.join(where, "whole"), os.path.join(where, "parts")
        options = ["--op", "1", "--item", "2", "--memory", "64k", "--store"]
        tallied(write(os.path.join(where, "f"), tsv_of(changes)), *options, whole)
        refused = 0
        for first, last in ((0, 1), (1, 2500), (2500, 6000)):
            part = write(os.path.join(where, "p"), tsv_of(changes[first:last]))
            told, _ = tallied(part, "--op", "1", "--item", "2", *(() if first else ("--memory", "64k")),
                              "--store", parts)
            refused += int(told["refused"])
        assert refused > 0

        def containers(store):
            rows = json.loads(ok("info", store, "--json").out)["containers"]
            return [(row["role"], read(os.path.join(store, row["file"]))) for row in rows]
        assert containers(whole) == containers(parts)
        ok("verify", parts)


@check
def a_tally_takes_words_and_amounts():
    with folder() as where:
        store = os.path.join(where, "store")
        path = write(os.path.join(where, "f.csv"),
                     b"what,article,pieces\nadd,apples,12\nremove,apples,5\nadd,pears,3\n"
                     b"remove,pears,4\nadd,apples,0\nadd,\"a,b\",18446744073709551607\n")
        told, _ = tallied(path, "--op", "what", "--item", "article", "--amount", "pieces",
                          "--store", store, status=3)
        assert told["refused"] == "1" and told["full"] == "1", told
        rows = rows_of(ok("count", store, "apples", "pears", "a,b").out)
        assert [row["count"] for row in rows] == ["7", "3", "0"], rows
        document = json.loads(ok("count", store, "apples", "--json").out)
        assert document["items"][0] == {"item": "apples", "count": 7, "lower": 7, "upper": 7}
        shown = on_terminal("count", store, "apples")
        assert "apples" in shown and "at least" in shown, shown


@check
def a_first_line_with_an_operation_is_no_header():
    with folder() as where:
        row, _ = tallied(write(where + "/f", b"add\tdate\nadd\t5\nadd\t6\n"), "--format", "tsv",
                         "--op", "1", "--item", "2", "--store", where + "/s")
        assert row["adds"] == "3", row
        assert [c[0] for c in counted(where + "/s", ["date", "5"])] == [1, 1]


@check
def a_tally_without_operations_only_adds():
    with folder() as where:
        store = os.path.join(where, "store")
        told, _ = tallied(write(os.path.join(where, "f"), b"1388567400 a\nx a\ny b\n"),
                          "--format", "plain", "--item", "2", "--store", store)
        assert (told["adds"], told["rejected"]) == ("3", "0"), told
        assert counted(store, ["a", "b", "c"]) == [(2, 2, 2), (1, 1, 1), (0, 0, 0)]


@check
def a_tally_rejects_lines_that_say_nothing():
    with folder() as where:
        store, rejects = os.path.join(where, "store"), os.path.join(where, "rejects")
        lines = b"+\ta\t1\n*\ta\t1\n+\ta\t-1\n+\ta\t1.5\nplus\ta\t1\n+\ta\t18446744073709551616\n+\n-\ta\t\n"
        path = write(os.path.join(where, "f"), lines)
        options = ["--format", "tsv", "--op", "1", "--item", "2", "--amount", "3", "--store", store]
        _, err = tallied(path, *options, "--strict", status=2)
        assert "line 2" in err and "operation" in err, err
        assert not os.path.exists(store)
        told, err = tallied(path, *options, "--rejects", rejects)
        assert (told["lines"], told["rejected"], told["adds"]) == ("8", "7", "1"), told
        assert "2 without an operation" in err and "4 without an amount" in err, err
        assert read(rejects) == lines[len(b"+\ta\t1\n"):]
        # Columns that were mixed up: nothing is understood, and nothing is kept.
        _, err = tallied(write(path, b"+\ta\n-\ta\n"), "--op", "2", "--item", "1", "--store",
                         store + "2", status=2)
        assert "so no line is valid" in err and not os.path.exists(store + "2"), err


@check
def tally_and_count_say_what_they_need():
    with folder() as where:
        path = write(os.path.join(where, "f"), b"+\ta\n")
        store = os.path.join(where, "store")
        refused("tally", path, "--item", "2", says="--store")
        refused("tally", path, "--store", store, says="--item")
        refused("tally", path, "--item", "1", "--item", "2", "--store", store, says="one --item")
        refused("tally", path, "--item", "2", "--store", store, "--memory", "9", says="at least 64")
        filter_options = ["--item", "2", "--store", store, "--engine", "tally_filter"]
        refused("tally", path, *filter_options, "--error", "1%", says="--items")
        refused("tally", path, *filter_options, "--error", "1%", "--memory", "1M", says="not both")
        refused("tally", path, *filter_options, "--memory", "9", says="64 to")
        assert not os.path.exists(store)
        tallied(path, "--op", "1", "--item", "2", "--store", store)
        refused("tally", path, "--op", "1", "--item", "1", "--store", store, says="has the item 2; got 1")
        refused("tally", path, "--op", "1", "--item", "2", "--store", store, "--memory", "1M",
                says="already has a size")
        refused("count", says="needs a store")
        refused("count", store, says="an item")
        refused("count", store, "a", "--batch", path, says="either")
        refused("count", store, "--batch", path, says="several columns")
        refused("count", os.path.join(where, "nothing"), "a")
        profile = os.path.join(where, "profile")
        run("profile", write(os.path.join(where, "log"), b"1388567400\tx\n"), "--store", profile)
        refused("count", profile, "x", says="no tally")
        refused("tally", path, "--op", "1", "--item", "2", "--store", profile, says="no tally")


@check
def generated_changes_can_all_be_done():
    with folder() as where:
        store = os.path.join(where, "store")
        made = ok("generate", "--records", "5k", "--items", "200", "--removes", "40%").out
        told, _ = tallied(write(os.path.join(where, "f"), made.encode()), "--op", "1", "--item", "2",
                          "--store", store)
        assert (told["refused"], told["removes"], told["total"]) == ("0", "2000", "1000"), told


@check
def plan_tally_has_all_engines_side_by_side():
    rows = rows_of(ok("plan", "tally", "--items", "1M", "--total", "100M", "--error", "1%").out)
    assert [row["engine"] for row in rows] == [
        "tally_table", "tally_filter", "tally_filter", "rising_tally", "counting_filter",
        "dynamic_count_filter", "spectral_filter", "exact_map"]
    assert [row["recommended"] for row in rows] == ["true"] + 7 * ["false"]
    assert all(float(row["error"]) <= 0.01 for row in rows), rows
    assert 2e6 < int(rows[0]["memory_bytes"]) < 4e6, rows[0]
    cells = int(rows[1]["memory_bytes"]) - int(rows[1]["large_bytes"])
    assert 11e6 < cells < 13e6 < int(rows[1]["memory_bytes"]) < int(rows[1]["most_memory_bytes"]), rows[1]
    few = rows_of(ok("plan", "tally", "--items", "1M", "--total", "2M", "--memory", "8MB").out)
    assert few[0]["recommended"] == "true" and few[1]["cell_bits"] == "4", few
    assert all(int(row["memory_bytes"]) <= 8_000_000 for row in few[:-1]), few
    assert all(int(row["most_memory_bytes"]) <= 8_000_000 for row in few[1:4]), few
    assert 1_000_000 < int(few[1]["large_bytes"]) < 4_000_000, few
    any_number = rows_of(ok("plan", "tally", "--items", "1M", "--error", "1%").out)
    assert any_number[0]["recommended"] == "true", any_number  # what tally makes
    assert int(any_number[2]["large_bytes"]) > int(any_number[1]["memory_bytes"]), any_number
    assert "10 of each item are assumed" in on_terminal("plan", "tally", "--items", "1M")
    refused("plan", "tally", "--items", "1M", "--total", "999999", says="at least --items")
    refused("plan", "tally", says="--items")
    refused("plan", "tally", "--items", "2", "--memory", "63",
            says="--memory of a tally must be at least 64 bytes, got 63")
    assert "exact_map takes less memory than the recommended engine; give a larger --error" in ok(
        "plan", "tally", "--items", "1", "--error", "1e-15", "--table").out
    refused("plan", "tally", "--items", "1M", "--error", "1%", "--memory", "1M", says="not both")
    assert "tally_table" in on_terminal("plan", "tally", "--items", "1000")


@check
def hot_lists_the_largest_counts_of_a_tally():
    lines = "+\tapples\n" * 30 + "+\tpears\n" * 20 + "-\tapples\n" * 15 + "+\tplums\n" + "-\tplums\n"
    with folder() as where:
        stock = where + "/stock"
        done("tally", write(where + "/s.tsv", lines.encode()), "--format", "tsv", "--op", "1", "--item", "2",
             "--store", stock)
        rows = json.loads(ok("hot", stock, "--json").out)["items"]
        assert [(row["item"], row["total"], row["guaranteed"]) for row in rows] == [
            ("pears", 20, True), ("apples", 15, True)], rows
        refused("hot", stock, "--by", "heat", says="holds a tally, which has no times")
        ok("verify", stock)
