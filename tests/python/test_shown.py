"""What a notebook shows."""
import re
import xml.etree.ElementTree as xml

import bloomtime
import pytest
from arrivals import START

plots = pytest.importorskip("matplotlib.pyplot")
HOSTILE = '<script>alert("x")</script>&'


def parsed(html):
    return xml.fromstring(html)


def test_tables_are_well_formed_and_escape_items():
    heat = bloomtime.Heat(half_life=3600)
    history = bloomtime.History()
    for n in range(30):
        heat.add(HOSTILE if n % 2 else "usual", START + 600 * n)
        history.add(HOSTILE, START + 600 * n)
    for html in (heat._repr_html_(), heat.top(5, START)._repr_html_(),
                 history.timeline(HOSTILE)._repr_html_(), history._repr_html_(),
                 history.timeline("never <seen>")._repr_html_()):
        assert parsed(html).tag == "table"
        assert "<script" not in html
    line = parsed(history.timeline(HOSTILE)._repr_html_())
    assert len(line.findall(".//svg/rect")) == 30
    hot = parsed(heat.top(5, START)._repr_html_())
    assert len(hot.findall("./tbody/tr")) == 2 and hot.findall(".//svg/rect")


def test_plots():
    heat = bloomtime.Heat(half_life=3600)
    heat.add_many(["a", "a", "b"], at=START)
    _, ax = plots.subplots()
    assert heat.top(2, START).plot(ax) is ax
    assert [round(patch.get_width()) for patch in ax.patches] == [2, 1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    history = bloomtime.History()
    history.add_many(["a"] * 10, at=[START + 60 * n for n in range(10)])
    _, ax = plots.subplots()
    assert history.timeline("a", bins=5).plot(ax).get_title() == "a"
    plots.close("all")


def test_reprs_say_what_it_is():
    assert repr(bloomtime.Tally()).startswith("<bloomtime.Tally tally_table, ")
    assert re.match(r"Estimate\(2[.\d]*, lower=1[.\d]*, upper=2[.\d]*\)", repr(heat().at("a", START)))
    assert repr(bloomtime.Tally()["a"]) == "Count(0, lower=0, upper=0)"


def heat():
    one = bloomtime.Heat(half_life=3600)
    one.add("a", START, weight=2)
    return one
