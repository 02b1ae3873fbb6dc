# plan heat, and how profiles look.
# Read by ./run, with what profile_checks.py has at hand.


@check
def plan_heat_recommends_a_table_and_explains_every_key():
    explained = ok("plan", "heat", "--help").out
    document = json.loads(ok("plan", "heat", "--items", "1M", "--json").out)
    assert document["target_memory_bytes"] is None and document["target_error"] == 0.005
    rows = {(row["engine"], row["cell_bits"]): row for row in document["choices"]}
    assert [row["engine"] for row in document["choices"] if row["recommended"]] == ["heat_table"]
    table = rows["heat_table", 16]
    assert 38 < 8 * table["memory_bytes"] / 1e6 < 40 and table["share"] == 0, table
    assert table["excess"] == table["error"] <= 0.005, table
    larger = json.loads(ok("plan", "heat", "--items", "1M", "--memory", "7MB", "--json").out)
    assert larger["choices"][0]["memory_bytes"] <= 7_000_000, larger
    assert larger["choices"][0]["error"] < 1e-4, larger
    small = json.loads(ok("plan", "heat", "--items", "1M", "--memory", "1MB", "--json").out)
    assert [row["engine"] for row in small["choices"] if row["recommended"]] == ["heat_filter"]
    best = rows["heat_filter", 16]
    assert best["memory_bytes"] > 4 * table["memory_bytes"] and best["k"] == 4, rows
    for key in [*document, *best]:
        assert key in explained, key
    with folder() as where:
        store, _ = profiled(where, events(10))
        heat = rows_of(ok("info", store).out.split("\n\n")[1])[0]
        assert heat["engine"] == "heat_table" and int(heat["memory"]) <= 8192, heat
    for error in ("10%", "1%", "0.1%"):
        for row in json.loads(ok("plan", "heat", "--items", "50k", "--error", error,
                                 "--json").out)["choices"]:
            assert row["error"] <= float(error[:-1]) / 100 * (1 + 1e-12), row
    shown = ok("plan", "heat", "--items", "1M", "--half-life", "1d", "--table").out
    shown = shown.replace("\n", " ")
    assert "active for about 4 d after one hit" in shown and "profile needs no size" in shown, shown
    refused("plan", "heat", says="needs --items")
    refused("plan", "heat", "--items", "1", "--half-life", "10^18", says="at most")
    ok("plan", "heat", "--items", "1", "--half-life", "9223372036854")
    refused("plan", "heat", "--items", "1M", "--error", "1%", "--memory", "1MB",
            says="give either --error (1%) or --memory (1MB), not both")
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
        for fragment in ("5,000 requests, 2014-01-01 ", " +0000", "total", "heat (1 h)", "±", "last 24 h",
                         "█", " paths, ~", " sent, ", " % 2xx", "for heat and totals", "exact counting: ~",
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
        assert '"At most" always holds' in ok("heat", where + "/access.bloomtime", "/", "--field", "path",
                                       "--table").out


@check
def plan_heat_tells_what_hot_items_take_beside_the_cells():
    assert "an item with 128 hits or more takes" in on_terminal("plan", "heat", "--items", "1M").replace("\n  ", " ")
