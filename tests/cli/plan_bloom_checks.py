# plan bloom. Read by ./run.


@check
def plan_in_tsv_and_json_agree_and_every_key_is_explained():
    explained = ok("plan", "bloom", "--help").out
    for more in ([], ["--measure"]):
        rows = rows_of(ok(*PLAN, *more).out)
        document = json.loads(ok(*PLAN, *more, "--json").out)
        assert document["schema"] == 2 and document["command"] == "plan bloom"
        assert document["items"] == 1000 and document["target_error"] == 0.01
        assert document["target_memory_bytes"] is None
        assert len(rows) == len(document["choices"]) >= 4
        for row, choice in zip(rows, document["choices"]):
            assert list(row) == list(choice)
            for key, text in row.items():
                assert key in explained, key
                if key in ("add_ns", "lookup_ns"):
                    continue  # measured twice
                value = json.loads(text) if re.fullmatch(r"true|false|[-\d.e]+", text) else text
                assert value == ("" if choice[key] is None else choice[key]), (key, row, choice)


def choices(*arguments):
    document = json.loads(ok("plan", "bloom", *arguments, "--json").out)
    return {choice["variant"] or choice["engine"]: choice for choice in document["choices"]}


@check
def plan_keeps_the_error_and_recommends_one():
    for error, best in (("10%", "line"), ("1%", "line"), ("3e-4", "line_2"), ("1e-6", "flat")):
        found = choices("--items", "1M", "--error", error)
        wanted = float(error.rstrip("%")) / (100 if "%" in error else 1)
        assert [c["variant"] for c in found.values() if c["recommended"]] == [best], (error, found)
        assert all(c["error"] <= wanted * (1 + 1e-12) for c in found.values()), error
        assert found["bound"]["memory_bytes"] < found["flat"]["memory_bytes"]
        assert found["hash_set"]["memory_bytes"] == 44_000_000 and found["hash_set"]["estimated"]
        assert found["line"]["cache_lines"] == 1 and found["flat"]["cache_lines"] > 1


@check
def plan_by_memory_stays_within_it():
    found = choices("--items", "1M", "--memory", "1MB")
    for name in ("flat", "line"):
        assert 999_900 <= found[name]["memory_bytes"] <= 1_000_000, found[name]
        assert found["bound"]["error"] < found[name]["error"] < 0.05
    same = choices("--items", "10^6", "--memory", "1000000B")
    assert same == found
    for memory in (8, 9, 63, 64):  # what is planned can be built
        found = choices("--items", "10", "--memory", str(memory), "--measure")
        assert ("line" in found) == (memory >= 64), found
        assert found["flat"]["memory_bytes"] == memory // 8 * 8, found


@check
def memory_and_error_are_inverse():
    by_error = choices("--items", "50k", "--error", "1%")["line"]
    by_memory = choices("--items", "50k", "--memory", str(by_error["memory_bytes"]))["line"]
    assert by_memory["k"] == by_error["k"] and by_memory["error"] == by_error["error"]


@check
def measuring_is_repeatable_and_adds_up():
    first, second = (choices("--items", "20k", "--error", "2%", "--measure") for _ in range(2))
    for name in ("flat", "line"):
        a, b = first[name], second[name]
        assert a["false_positives"] == b["false_positives"]
        assert a["queries"] == 20_000
        assert a["measured_error"] == a["false_positives"] / a["queries"]
        assert a["expected_low"] < a["error"] < a["expected_high"]
        assert a["add_ns"] > 0 and a["lookup_ns"] > 0
    assert first["hash_set"]["measured_error"] is None


@check
def quantities_mean_the_same_in_every_spelling():
    spellings = ["1000000", "1M", "1m", "1000k", "10^6", "1e6", "1,000,000", "1.0e6"]
    plans = {ok("plan", "bloom", "--items", s, "--error", "1%").out for s in spellings}
    assert len(plans) == 1
    plans = {ok("plan", "bloom", "--items=1M", f"--error={e}").out
             for e in ("1%", "0.01", "1e-2", "10^-2", "1 %")}
    assert len(plans) == 1


@check
def the_smallest_and_the_largest_plans():
    assert choices("--items", "1", "--error", "0.999999")["flat"]["memory_bytes"] == 8
    assert choices("--items", "1", "--memory", "8B")["flat"]["memory_bytes"] == 8
    assert choices("--items", "18446744073709551615", "--memory", "1TiB")["flat"]["error"] > 0.99
    assert choices("--items", "900G", "--error", "1%")["flat"]["memory_bytes"] < 2**40
    assert choices("--items", "100", "--error", "1e-300")["flat"]["recommended"]


PLANS = {"bloom": ["--items", "1k", "--error", "1%"], "heat": ["--items", "1k"],
         "history": ["--pairs", "9k", "--items", "1k"], "recency": ["--items", "1k"],
         "tally": ["--items", "1k"]}


@check
def plans_of_all_families_are_one_table():
    for family, options in PLANS.items():
        explained = ok("plan", family, "--help").out
        document = json.loads(ok("plan", family, *options, "--json").out)
        assert [*document][:5] == ["schema", "command", "items", "target_error", "target_memory_bytes"]
        unit = "pair" if family == "history" else "item"
        for row in document["choices"]:
            assert [*row][:7] == ["engine", "variant", "recommended", "estimated", "memory_bytes",
                                  f"bits_per_{unit}", "error"], (family, row)
            assert [*row][-1] == "guarantee", row
            assert row["guarantee"] or row["engine"] in ("bound", "generalized_filter"), row
            each = 8 * row["memory_bytes"] / (9000 if unit == "pair" else 1000)
            assert 0 <= each - row[f"bits_per_{unit}"] < 0.01, (family, row)
        assert [row["recommended"] for row in document["choices"]].count(True) == 1
        for key in [*document, *document["choices"][0]]:
            assert key in explained, (family, key)
        shown = on_terminal("plan", family, *options, columns=160)
        for title in ("  engine", "memory", f"bits/{unit}", "error", "guarantee",
                      "error: the probability that"):
            assert title in shown, (family, title, shown)
