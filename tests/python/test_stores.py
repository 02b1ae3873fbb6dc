"""Stores that the command or Python wrote."""
import json
import os
import pathlib
import subprocess

import bloomtime
import pytest

COMMAND = os.environ.get("BLOOMTIME_COMMAND") or "?"
LINE = '{host} - - [14/May/2014:{h:02}:{m:02}:00 +0000] "GET {path} HTTP/1.1" 200 {n}\n'


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "access.log"
    path.write_text("".join(LINE.format(host=f"10.0.0.{n % 7}", path=f"/{n % 13}", h=n // 60,
                                        m=n % 60, n=n) for n in range(600)))
    return path


def command(*arguments):
    done = subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True,
                          check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


needs_command = pytest.mark.skipif(not pathlib.Path(COMMAND).exists(),
                                   reason="the command was not built")


def test_a_profile_from_python(log):
    steps = []
    store = bloomtime.profile(log, items=["host", "path"],
                              progress=lambda done, total, lines: steps.append((done, total, lines)))
    assert store.path == str(log.with_suffix(".bloomtime"))
    assert store.fields == ["host", "path"] and store.records == 600
    assert steps[-1][0] == steps[-1][1] == log.stat().st_size and steps[-1][2] == 600
    host = store["host"]
    assert [f.name for f in store] == ["host", "path"] and len(host) == 7
    assert host.total("10.0.0.3") == 86 and host.totals["10.0.0.3"] == 86
    rows = host.hot(3)
    assert len(rows) == 3 and rows[0].heat.lower <= rows[0].heat <= rows[0].heat.upper
    assert rows[0].total >= 85 and rows.at == store.newest
    assert host[rows[0].item] == rows[0].heat
    assert host.heat.top(3, store.newest)[0].item == rows[0].item
    assert host.seen("10.0.0.3") and not host.seen("10.0.0.99")
    assert host.seen_many(["10.0.0.3", "nobody"]).tolist() == [True, False]
    assert sum(host.timeline("10.0.0.3").counts) == 86
    assert len(host.hot(7, by="new").to_frame()) == 7
    assert "host" in store and "agent" not in store
    some = host.hot(7)[2:4]
    assert len(some.to_frame()) == 2 and some.at == store.newest and some[0] == host.hot(7)[2]
    for by in ("heat", "total", "trend", "new"):
        assert host.hot(2, by=by)
    for html in (store._repr_html_(), host._repr_html_(), host.timeline("10.0.0.3")._repr_html_()):
        assert "<table>" in html
    with pytest.raises(ValueError, match="choose one"):
        store.hot()
    with pytest.raises(KeyError, match="no field 'agent'"):
        store["agent"]
    with pytest.raises(ValueError, match="by must be"):
        host.hot(by="size")


def test_a_profile_is_continued(log):
    assert bloomtime.profile(log, items=["host"]).records == 600
    assert bloomtime.profile(log).records == 600, "nothing new"
    with log.open("a") as more:
        more.write(LINE.format(host="10.0.0.1", path="/", h=10, m=0, n=1))
    store = bloomtime.profile(log)
    assert store.records == 601 and store.field.name == "host"
    assert bloomtime.profile(log, again=True).records == 1202
    with pytest.raises(ValueError, match="another half_life"):
        bloomtime.profile(log, half_life="5m")
    with pytest.raises(ValueError, match="has the items host; got path"):
        bloomtime.profile(log, items=["path"])
    assert bloomtime.open(store.path).records == 1202


@needs_command
def test_the_command_and_python_say_the_same(log, tmp_path):
    ours = bloomtime.profile(log, items=["host"], store=tmp_path / "ours")
    command("profile", log, "--item", "host", "--store", tmp_path / "theirs", "--json")
    theirs = bloomtime.open(tmp_path / "theirs")
    assert theirs.about == ours.about and theirs.hot(7) == ours.hot(7)
    assert theirs.field.heat.to_bytes() == ours.field.heat.to_bytes()
    assert theirs.field.history.to_bytes() == ours.field.history.to_bytes()
    told = json.loads(command("hot", tmp_path / "ours", "--json"))["items"]
    for row, item in zip(ours.hot(20), told):
        assert row.item == item["item"] and row.heat.value == pytest.approx(item["hits"], rel=1e-3)
    command("verify", tmp_path / "ours")


@needs_command
def test_pseudonyms(log, tmp_path):
    command("profile", log, "--item", "host", "--pseudonymise", "--store", tmp_path / "s")
    store = bloomtime.open(tmp_path / "s")
    assert store.field.total("10.0.0.3") == 86 and store.field.seen("10.0.0.3")
    assert store.field.seen_many(["10.0.0.3", "x"]).tolist() == [True, False]
    assert "10.0.0" not in str([row.item for row in store.hot(7)])
    with pytest.raises(ValueError, match="pseudonyms"):
        bloomtime.profile(log, store=tmp_path / "s", again=True)


def test_what_is_no_store_is_refused(log, tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises((ValueError, OSError)):
        bloomtime.open(tmp_path / "empty")
    with pytest.raises(OSError):
        bloomtime.open(tmp_path / "missing")
    with pytest.raises((ValueError, OSError)):
        bloomtime.open(log)
    with pytest.raises((ValueError, OSError)):
        bloomtime.profile(tmp_path / "missing.log")
    assert not (tmp_path / "missing.bloomtime").exists()
    with pytest.raises(ValueError, match="half_life"):
        bloomtime.profile(log, half_life="1s", resolution="1m")
    with pytest.raises(ValueError, match="half_life"):
        bloomtime.profile(log, half_life="soon")
    with pytest.raises(ValueError, match="at least one"):
        bloomtime.profile([])
    with pytest.raises(ValueError, match="null characters"):
        bloomtime.profile(f"{log}\0")


def test_names_of_files_may_be_any_bytes(log, tmp_path):
    name = os.fsencode(tmp_path / "a") + b"\xff.log"
    log.rename(os.fsdecode(name))
    for path, store in ((name, None), (os.fsdecode(name), name + b".store")):
        assert bloomtime.profile(path, store=store).records == 600
    assert bloomtime.open(os.fsencode(tmp_path / "a") + b"\xff.bloomtime").records == 600
    with pytest.raises(FileNotFoundError, match="b\udcff.log: No such file"):
        bloomtime.profile("b\udcff.log", store=tmp_path / "none")


def test_an_interrupted_profile_leaves_no_store(log):
    def stop(done, total, lines):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bloomtime.profile(log, progress=stop)
    assert not log.with_suffix(".bloomtime").exists()
