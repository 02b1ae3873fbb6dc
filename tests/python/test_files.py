"""The same files as C++ and the command."""
import copy
import json
import os
import pathlib
import pickle
import subprocess

import bloomtime
import numpy as np
import pytest
from arrivals import START
from bloomtime import published

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = sorted((ROOT / "tests/format/golden/v1").glob("*.bloomtime"))


def some_of_every_kind():
    yield bloomtime.Bloom(items=1000, error=0.01)
    yield bloomtime.Bloom(items=1000, error=0.01, layout="flat", seed=7)
    yield bloomtime.Heat(half_life="10m")
    yield bloomtime.Heat(half_life="10m", top=0)
    yield bloomtime.Heat(window="10m")
    yield bloomtime.Heat(half_life=60, engine="heat_filter", items=100, error=0.01, top=0)
    yield bloomtime.HotList(half_life="10m")
    yield bloomtime.History()
    yield bloomtime.History(engine="timeline_history", ticks=2**20, origin=START)
    yield bloomtime.Recency(window="10m")
    yield bloomtime.Recency(window="10m", items=100, error=0.01, engine="recency_filter")
    yield bloomtime.Recency(last=100, items=100, error=0.01, engine="age_partitioned_filter")
    yield bloomtime.Tally()
    yield bloomtime.Tally(items=100, error=0.01, engine="rising_tally")
    yield published.decaying_filter(half_life=60, items=100, error=0.01)
    yield published.pooled_decaying_filter(half_life=60, items=100, error=0.01)
    yield published.single_history(ticks=64, pairs=100, error=0.01, origin=START)
    yield published.tree_history(ticks=64, pairs=100, items=20, error=0.01, origin=START)
    yield published.level_history(ticks=64, pairs=100, items=20, error=0.01, origin=START)
    yield published.timing_filter(last=100, error=0.01)
    yield published.generalized_filter(last=100, memory=1000)
    yield published.recent_buffer(last=100, memory=1000)
    yield published.counting_filter(items=100, error=0.01)
    yield published.spectral_filter(items=100, error=0.01)
    yield published.rising_spectral_filter(items=100, error=0.01)
    yield published.recurring_spectral_filter(items=100, error=0.01)
    yield published.dynamic_count_filter(items=100, error=0.01)


def filled(one):
    items = [f"item {n % 37}" for n in range(100)]
    timed = isinstance(one, (bloomtime.Heat, bloomtime.HotList, bloomtime.History,
                             bloomtime.Recency))
    one.add_many(items, **({"at": START + np.arange(100) / 2} if timed else {}))
    return one


def parameters(one):
    """What describe() says, but for memory, which depends on how the filter grew."""
    return {name: value for name, value in one.describe().items() if "memory" not in name}


FILTERS = list(some_of_every_kind())
NAMES = [f"{type(f).__name__} {getattr(f, 'engine', '')} {n}" for n, f in enumerate(FILTERS)]


@pytest.mark.parametrize("make", range(len(FILTERS)), ids=NAMES)
def test_every_way_to_keep_a_filter_keeps_it(make, tmp_path):
    one = filled(FILTERS[make])
    data, path = one.to_bytes(), tmp_path / "one.bloomtime"
    one.save(path)
    assert path.read_bytes() == data
    kind = type(one)
    opened = kind.open(path)
    for other in (kind.from_bytes(data), kind.load(path), kind.load(str(path)), opened,
                  bloomtime.load(path), bloomtime.open(path), one.copy(), copy.copy(one),
                  copy.deepcopy(one), pickle.loads(pickle.dumps(one)),
                  kind.from_bytes(bytearray(data)), opened.copy()):
        assert type(other) is kind
        assert other.to_bytes() == data
        assert parameters(other) == parameters(one)
    assert one.read_only is False and opened.read_only is True
    with pytest.raises(ValueError, match="read-only; use load"):
        opened.add("x")
    with pytest.raises(ValueError, match="read-only"):
        opened.add_many(["x"])
    fresh = one.copy()
    fresh.add("something else")
    assert one.to_bytes() == data, "a copy has its own memory"


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_golden_files_of_the_library_load_and_stay(path):
    data = path.read_bytes()
    one = bloomtime.load(path)
    assert one.to_bytes() == data
    assert parameters(type(one).open(path)) == parameters(one)
    assert pickle.loads(pickle.dumps(one)).to_bytes() == data


@pytest.mark.parametrize("path", GOLDEN[::7], ids=[path.stem for path in GOLDEN[::7]])
def test_damaged_files_are_refused(path):
    data = path.read_bytes()
    kind = type(bloomtime.load(path))
    for wrong in (b"", data[:-1], data[:20], data + b"\0", data[:60] + b"\xff" + data[61:]):
        with pytest.raises(ValueError):
            kind.from_bytes(wrong)
    with pytest.raises(TypeError, match="bytes are needed"):
        kind.from_bytes("text")
    for read in (kind.load, kind.open, bloomtime.load, bloomtime.open):
        with pytest.raises(FileNotFoundError, match="missing"):
            read(path.with_name("missing"))
    for other in {bloomtime.Bloom, bloomtime.Tally, bloomtime.History} - {kind}:
        with pytest.raises(ValueError):
            other.from_bytes(data)


def command(*arguments):
    done = subprocess.run([os.environ["BLOOMTIME_COMMAND"], *map(str, arguments)],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not pathlib.Path(os.environ.get("BLOOMTIME_COMMAND") or "?").exists(),
                    reason="the command was not built")
@pytest.mark.parametrize("make", range(0, len(FILTERS), 3), ids=NAMES[::3])
def test_the_command_reads_what_python_wrote(make, tmp_path):
    path = tmp_path / "one.bloomtime"
    one = filled(FILTERS[make])
    one.save(path)
    told = json.loads(command("info", path, "--json"))
    text = json.dumps(told)
    for name, value in one.describe().items():
        if isinstance(value, str):
            assert value in text, name
    command("verify", path)


PROTOCOLS = range(pickle.HIGHEST_PROTOCOL + 1)


def test_every_protocol_of_pickle_keeps_filters_and_answers():
    heat, tally = filled(bloomtime.Heat(half_life=60)), filled(bloomtime.Tally())
    rows = heat.top(3, START)
    for protocol in PROTOCOLS:
        for one in (heat, tally, bloomtime.Bloom(items=10, error=0.1)):
            assert pickle.loads(pickle.dumps(one, protocol)).to_bytes() == one.to_bytes()
        same = pickle.loads(pickle.dumps([tally["item 1"], *rows], protocol))
        assert same == [tally["item 1"], *rows] and repr(same) == repr([tally["item 1"], *rows])
        assert type(same[0]) is bloomtime.Count and type(same[1].heat) is bloomtime.Estimate
        assert pickle.loads(pickle.dumps(rows, protocol)).at == rows.at


@pytest.mark.parametrize("kind", [bloomtime.Bloom, bloomtime.Heat, bloomtime.HotList,
                                  bloomtime.History, bloomtime.Recency, bloomtime.Tally])
def test_an_object_without_init_is_refused(kind):
    bare = kind.__new__(kind)
    for use in (lambda: bare.memory, lambda: bare.to_bytes(), lambda: bare.add("x"),
                lambda: bare.add_many(["x"]), lambda: len(bare), lambda: repr(bare)):
        with pytest.raises(TypeError, match="__init__.. of this .* was not called"):
            use()


def test_a_file_may_be_replaced_while_it_is_open(tmp_path):
    path = tmp_path / "one.bloomtime"
    one = filled(bloomtime.Bloom(items=1000, error=0.01))
    one.save(path)
    opened, data = bloomtime.Bloom.open(path), one.to_bytes()
    one.add("something else")
    one.save(path)
    assert opened.to_bytes() == data and bloomtime.Bloom.open(path).to_bytes() == one.to_bytes()
    path.unlink()
    assert opened.query_many([f"item {n}" for n in range(37)]).all()


def test_versions_agree():
    header = (ROOT / "include/bloomtime/version.hpp").read_text()
    assert f'"{bloomtime.__version__}"' in header
