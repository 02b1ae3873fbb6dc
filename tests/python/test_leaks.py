"""Calls keep no references and no memory. tests/python/soak repeats this under a sanitizer."""
import gc
import os
import sys
import tracemalloc

import bloomtime
import numpy as np
import pytest
from arrivals import START

ROUNDS = int(os.environ.get("BLOOMTIME_LEAK_ROUNDS", "60"))


def everything(word, numbers, path):
    """Uses every method that makes or takes objects, also with wrong arguments."""
    bloom = bloomtime.Bloom(items=100, error=0.01)
    heat, hot = bloomtime.Heat(half_life=60), bloomtime.HotList(half_life=60, entries=10)
    history, recency = bloomtime.History(), bloomtime.Recency(window=60)
    tally = bloomtime.Tally()
    timed = (heat, hot, history, recency)
    for one in (bloom, tally):
        one.add(word), one.add_many(numbers), one.add_many([word]), repr(one), len(one)
    for one in timed:
        one.add(word, START), one.add_many(numbers, at=START), one.newest, one.losses
        one.add_many([word] * 3, at=[START, START + 1, np.datetime64("2014-05-14")])
    heat.at(word, START), heat.top(5, START), heat.query_many(numbers, START, bounds=True)
    hot.top(3, START)._repr_html_()
    history.intervals(word), history.timeline(word)._repr_html_(), history.histogram(word)
    recency.age(word, START), recency.query_many([word], START), word in recency
    tally[word], tally.query_many(numbers, bounds=True), tally.remove(word)
    for one in (bloom, tally, *timed):
        one.describe(), one.copy(), one._repr_html_()
        kind = type(one)
        kind.from_bytes(one.to_bytes()), one.save(path), kind.open(path), kind.load(path)
        bloomtime.open(path)
        for wrong in (None, 2**64, "\ud800", [None], 1.5):
            for call in (one.add, one.add_many, kind.from_bytes, one.query_many
                         if hasattr(one, "query_many") else one.add):
                with pytest.raises((TypeError, ValueError)):
                    call(wrong)
        with pytest.raises(TypeError):
            kind(nothing=word)


def traced_memory():
    """Without what CPython caches: names of looked up attributes."""
    gc.collect()
    sys._clear_type_cache()
    return tracemalloc.get_traced_memory()[0]


def test_references_come_back(tmp_path):
    word, numbers = "a word that is not interned", np.arange(100)
    everything(word, numbers, tmp_path / "x")
    gc.collect()
    before = sys.getrefcount(word), sys.getrefcount(numbers), sys.getrefcount(None)
    for _ in range(5):
        everything(word, numbers, tmp_path / "x")
    gc.collect()
    after = sys.getrefcount(word), sys.getrefcount(numbers), sys.getrefcount(None)
    assert before[:2] == after[:2]
    assert abs(after[2] - before[2]) < 20


def test_memory_comes_back(tmp_path):
    word, numbers = "a word that is not interned", np.arange(100)
    for _ in range(3):
        everything(word, numbers, tmp_path / "x")
    gc.collect()
    tracemalloc.start()
    try:
        everything(word, numbers, tmp_path / "x")
        before = traced_memory()
        for _ in range(ROUNDS):
            everything(word, numbers, tmp_path / "x")
        grown = traced_memory() - before
    finally:
        tracemalloc.stop()
    assert grown < 64 * ROUNDS, f"{grown} bytes in {ROUNDS} rounds"
