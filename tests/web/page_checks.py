"""The page that `bloomtime report` writes."""
import json
import pathlib
import re

from support import answer, browser, check, day_store, expect_quiet, look, run, script, tidy

HOSTILE = ["</script><script>window.hurt=1</script>", "<img src=x onerror=window.hurt=1>",
           "evil\u202egnp.exe", "\u2066hidden\u2069", "a\u0000b", "quote\"'`&amp;", "\U0001f600 face",
           "x" * 100_000, "{{script}}", "<!--", "]]>", "", "  "]


def report_of(store, *more):
    page = pathlib.Path(f"{store}.html").resolve()
    run("report", store, "-o", str(page), *more)
    return page


def rows_shown():
    return script("return Array.from(document.querySelectorAll('#items tbody tr'),"
                  "row => Array.from(row.cells, c => c.innerText))")


def embedded(page):
    found = re.search(r'<script type="application/json" id="document">(.*?)</script>',
                      page.read_text(), re.DOTALL)
    return json.loads(found[1])


@check
def report_is_one_small_file():
    page = report_of(day_store())
    assert page.stat().st_size < 500_000, page.stat().st_size
    text = page.read_text()
    assert not re.search(r'(src|href)="(?!data:|#)', text), "the page names another file"
    assert "url(" not in text and "@import" not in text


@check
def numbers_equal_json():
    store = day_store()
    data = embedded(report_of(store))
    profiled = answer("hot", store, "-n", "100")
    for key in ("records", "at", "requests", "bytes_sent", "status_2xx", "method_get"):
        assert data[key] == profiled[key], key
    for order in ("heat", "total", "trend", "new"):
        items = answer("hot", store, "-n", "100", "--by", order)["items"]
        for listed in data["lists"]:
            rows = [dict(zip(listed["columns"], listed["rows"][i])) for i in listed["orders"][order]]
            expected = [i for i in items if i["field"] == listed["field"]]
            assert len(rows) == len(expected)
            for row, item in zip(rows, expected):
                # Other orders may know other bounds of the same heat; the page has those by heat.
                bounds = ("lower", "upper") if order == "heat" else ()
                for key in ("item", "hits", *bounds, "total", "trend", "recent"):
                    assert row[key] == item[key], (order, key, row, item)
    listed = data["lists"][0]
    for i in (0, len(listed["rows"]) - 1):
        times = answer("timeline", store, listed["rows"][i][0], "--field", listed["field"])
        first, last, ticks, histogram = listed["times"][i]
        assert (first, last, ticks, histogram) == (
            times["first"], times["last"], times["ticks"], times["histogram"])
        assert listed["timeline"]["error"] == times["error"]
    assert sum(data["series"]["events"]) == data["records"]
    assert sum(map(sum, data["series"]["status"].values())) == data["requests"]
    assert sum(data["series"]["bytes"]) == data["bytes_sent"]


@check(browser=True)
def page_is_quiet_and_complete():
    b = look(f"file://{report_of(day_store())}")
    visible = script("return Array.from(document.querySelectorAll('main > section'))"
                     ".filter(s => !s.hidden).map(s => s.id)")
    assert visible == ["figures", "traffic", "items", "movers", "presence", "memory"], visible
    first = answer("hot", day_store(), "-n", "1", "--field", "path")["items"][0]
    assert rows_shown()[0][1] == first["item"]
    assert rows_shown()[0][2] == f"{first['total']:,}"
    expect_quiet(b)


@check(browser=True)
def search_orders_and_bounds():
    look(f"file://{report_of(day_store())}")
    script("const box = document.querySelector('input[type=search]'); box.focus();"
           "box.value = '/CSS/'; box.dispatchEvent(new Event('input'))")
    rows = rows_shown()
    assert rows and all(row[1].startswith("/css/") for row in rows), rows
    assert script("return document.activeElement.type") == "search"
    script("const box = document.querySelector('input[type=search]'); box.value = 'no such';"
           "box.dispatchEvent(new Event('input'))")
    assert rows_shown() == []
    script("const box = document.querySelector('input[type=search]'); box.value = '';"
           "box.dispatchEvent(new Event('input'));"
           "document.querySelector('input[value=total]').click();"
           "document.querySelector('.check input').click()")
    totals = answer("hot", day_store(), "-n", "10", "--by", "total", "--field", "path")["items"]
    assert [row[1] for row in rows_shown()] == [i["item"] for i in totals]
    assert script("return document.querySelectorAll('#items .bound').length") == 20


@check(browser=True)
def keyboard_opens_and_closes_a_timeline():
    from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
    b = look(f"file://{report_of(day_store())}")
    button = b.find_element("css selector", "#items tbody button")
    name = button.text
    button.send_keys(Keys.ENTER)
    assert script("return document.getElementById('item').open")
    times = answer("timeline", day_store(), name, "--field", "path")
    shown = script("return document.querySelector('#item .facts').innerText")
    assert f"{times['ticks']:,} of {times['asked_ticks']:,} seconds" in shown, shown
    b.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not script("return document.getElementById('item').open")
    assert script("return document.activeElement.innerText") == name


@check(browser=True)
def keyboard_zooms_the_chart():
    from selenium.webdriver.common.keys import Keys  # pylint: disable=import-outside-toplevel
    b = look(f"file://{report_of(day_store())}")
    for key, zoomed in (("+", True), ("+", True), ("0", False)):
        b.find_element("css selector", "#traffic .chart").send_keys(key)
        assert bool(script("return document.getElementById('range').textContent")) == zoomed, key
    b.find_element("css selector", "#traffic .chart").send_keys(Keys.ARROW_RIGHT)
    assert script("return document.querySelector('#traffic [aria-live]').textContent") != ""


@check(browser=True)
def phone_has_no_sideways_scrolling():
    for width in (320, 360, 768):
        look(f"file://{report_of(day_store())}", width=width, height=740)
        assert script("return document.documentElement.scrollWidth") <= width, width


@check(browser=True)
def names_and_contrasts():
    """Every control has a name, and every text a contrast of at least 4.5, in both schemes."""
    for scheme in ("light", "dark"):
        look(f"file://{report_of(day_store())}", scheme=scheme)
        nameless = script("""
          return Array.from(document.querySelectorAll('button, input, svg[role=img], [tabindex="0"]'))
            .filter(e => !(e.getAttribute('aria-label') || e.innerText || e.closest('label')?.innerText))
            .map(e => e.outerHTML.slice(0, 200))""")
        assert nameless == [], nameless
        faint = script("""
          const paint = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
          const rgba = (color) => { paint.clearRect(0, 0, 1, 1); paint.fillStyle = color;
            paint.fillRect(0, 0, 1, 1); return paint.getImageData(0, 0, 1, 1).data; };
          const light = (c) => { const [r, g, b] = Array.from(c).slice(0, 3).map(v => v / 255)
            .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
          const behind = (e) => { for (; e; e = e.parentElement) {
            const c = rgba(getComputedStyle(e).backgroundColor); if (c[3] === 255) return c; } };
          const found = [];
          for (const e of document.querySelectorAll('body *')) {
            if (!e.checkVisibility() || e.closest('[disabled]')) continue;
            if (!Array.from(e.childNodes).some(n => n.nodeType === 3 && n.data.trim())) continue;
            const style = getComputedStyle(e);
            const a = light(rgba(e.namespaceURI.includes('svg') ? style.fill : style.color));
            const b = light(behind(e));
            const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
            if (contrast < 4.5) found.push([e.innerText || e.textContent, contrast.toFixed(2)]);
          }
          return found;""")
        assert faint == [], (scheme, faint)


@check(browser=True)
def dark_follows_the_system_and_the_switch():
    paper = "return getComputedStyle(document.body).backgroundColor"
    look(f"file://{report_of(day_store())}", scheme="light")
    light = script(paper)
    look(f"file://{report_of(day_store())}", scheme="dark")
    dark = script(paper)
    assert light != dark
    script("document.querySelector('input[name=theme][value=light]').click()")
    assert script(paper) == light
    script("document.querySelector('input[name=theme][value=auto]').click()")


@check(browser=True)
def hostile_names_are_text():
    lines = [json.dumps({"ts": 1_400_000_000 + i, "item": name})
             for i, name in enumerate(HOSTILE * 3)]
    pathlib.Path("hostile.ndjson").write_text("\n".join(lines) + "\n")
    run("profile", "hostile.ndjson", "--item", "item", "--time", "ts", "--store", "hostile.bloomtime")
    page = report_of("hostile.bloomtime")
    assert page.stat().st_size < 1_000_000
    b = look(f"file://{page}")
    assert script("return window.hurt") is None
    assert script("return document.scripts.length") == 2
    script("document.querySelector('.more')?.click()")
    text = script("return document.getElementById('items').innerText")
    for shown in ("</script><script>window.hurt=1</script>", "<img src=x onerror=window.hurt=1>",
                  "U+202E", "U+2066", "U+0000", "{{script}}", "quote\"'`&amp;", "empty",
                  "2 blanks"):
        assert shown in text, (shown, text)
    script("Array.from(document.querySelectorAll('#items tbody button'))"
           ".find(b => b.innerText.startsWith('xxx')).click()")
    assert len(script("return document.getElementById('item-title').innerText")) >= 1000
    assert script("return window.hurt") is None
    expect_quiet(b)


@check(browser=True)
def equal_texts_may_be_different_items():
    names = [b"\xff\xfe"] * 9 + [b"\xff\xfd"] * 6 + [b"x" * 3000] * 4 + [b"x" * 3000 + b"y"] * 2
    pathlib.Path("alike.tsv").write_bytes(
        b"".join(b"%d\t%s\n" % (1_400_000_000 + i, name) for i, name in enumerate(names)))
    run("profile", "alike.tsv", "--format", "tsv", "--time", "1", "--item", "2",
        "--store", "alike.bloomtime")
    look(f"file://{report_of('alike.bloomtime')}")
    assert [row[2] for row in rows_shown()] == ["9", "6", "4", "2"], rows_shown()
    for number, total in enumerate(("9", "6", "4", "2")):
        script("document.querySelectorAll('#items tbody button')[arguments[0]].click()", number)
        assert script("return document.querySelector('#item dd').innerText").split()[0] == total
        script("document.getElementById('item').close()")


@check(browser=True)
def hostile_fields_are_text():
    for field in ("constructor", "__proto__", "a\u202eb", "<b>"):
        pathlib.Path("fields.ndjson").write_text(json.dumps({"ts": 1_400_000_000, field: "x"},
                                                                   ensure_ascii=False) + "\n")
        run("profile", "fields.ndjson", "--item", field, "--time", "ts", "--store", "fields.bloomtime")
        b = look(f"file://{report_of('fields.bloomtime')}")
        tidy("fields.bloomtime")
        assert "Different items" in script("return document.getElementById('figures').innerText")
        name = field.replace("\u202e", "U+202E")
        assert name in script("return document.querySelector('#items thead').innerText")
        expect_quiet(b)


def store_of_days(name, every, lines):
    pathlib.Path(f"{name}.tsv").write_text(
        "".join(f"{1_400_000_000 + i * every}\tx\n" for i in range(lines)))
    run("profile", f"{name}.tsv", "--format", "tsv", "--time", "1", "--item", "2",
        "--store", f"{name}.bloomtime")
    return f"{name}.bloomtime"


CALENDAR = "return document.querySelectorAll('#calendar rect').length"


@check(browser=True)
def long_spans_have_a_calendar():
    for name, every, lines in (("weeks", 3600, 24 * 30), ("years", 86400, 800)):
        page = report_of(store_of_days(name, every, lines))
        assert sum(embedded(page)["days"]["events"]) == lines
        b = look(f"file://{page}")
        assert script(CALENDAR) >= lines
        expect_quiet(b)


@check(browser=True)
def thirteen_years_have_years_as_labels():
    page = report_of(store_of_days("decade", 86400, 13 * 365))
    b = look(f"file://{page}")
    labels = script("return Array.from(document.querySelectorAll('#traffic svg text[text-anchor=middle]'),"
                    "t => t.textContent)")
    assert len(labels) > 3 and all(re.fullmatch(r"20\d\d", text) for text in labels), labels
    some = script(CALENDAR)
    assert 2 * 365 < some < 3 * 366, some
    script("document.querySelector('#calendar .more').click()")
    assert script(CALENDAR) == len(embedded(page)["days"]["events"])
    assert script("return document.documentElement.scrollWidth") <= 1200
    expect_quiet(b)


@check(browser=True)
def the_first_century_is_not_the_twentieth():
    """Programs write 0001-01-01 for a time that they do not know."""
    pathlib.Path("ancient.tsv").write_text("0001-01-01T00:00:00Z\tx\n" + "2024-01-01T00:00:00Z\tx\n" * 4)
    run("profile", "ancient.tsv", "--format", "tsv", "--time", "1", "--item", "2",
        "--store", "ancient.bloomtime")
    look(f"file://{report_of('ancient.bloomtime')}")
    years = script("return Array.from(document.querySelectorAll('#traffic svg text[text-anchor=middle]'),"
                   "t => [Number(t.textContent), Number(t.getAttribute('x'))])")
    assert len(years) > 3, years
    # Equal steps of years are equally far apart.
    gaps = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in zip(years, years[1:])]
    assert max(gaps) < 1.01 * min(gaps), years


@check(browser=True)
def empty_stores_say_so():
    pathlib.Path("empty.log").write_text("")
    run("profile", "empty.log", "--item", "host", "--store", "empty.bloomtime")
    b = look(f"file://{report_of('empty.bloomtime')}")
    visible = script("return Array.from(document.querySelectorAll('main > section'))"
                     ".filter(s => !s.hidden).map(s => s.id)")
    assert visible == ["figures", "items", "memory"], visible
    assert "No event has been counted yet." in script("return document.getElementById('items').innerText")
    expect_quiet(b)


@check(browser=True)
def dedupe_states_show_duplicates():
    lines = "".join(f'{{"ts":{1_400_000_000 + i * 10},"id":"{i % 50}"}}\n' for i in range(1000))
    pathlib.Path("hooks.ndjson").write_text(lines)
    run("dedupe", "hooks.ndjson", "--item", "id", "--window", "1h", "--state", "hooks.state")
    page = report_of("hooks.state")
    data = embedded(page)
    assert sum(data["series"]["events"]) == data["dropped"] > 0
    b = look(f"file://{page}")
    assert f"{data['dropped']:,}" in script("return document.getElementById('figures').innerText")
    assert script("return document.querySelector('#duplicates path') !== null")
    expect_quiet(b)
