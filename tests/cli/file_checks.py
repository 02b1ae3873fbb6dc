# info and verify, with good files and hostile ones. Read by ./run.


@check
def a_saved_filter_tells_of_itself():
    with saved("5k") as path:
        row, = rows_of(ok("info", path).out)
        assert row["file"] == path and row["family"] == "bloom"
        assert row["capacity"] == row["insertions"] == "5000"
        assert 4900 < float(row["distinct"]) < 5100
        assert int(row["memory"]) * 8 == int(row["bits"])
        fact, = json.loads(ok("info", path, "--json").out)["files"]
        assert list(fact) == list(row) and fact["capacity"] == 5000
        shown = ok("info", path, "--table").out
        assert "  capacity           5,000\n" in shown and "error at capacity" in shown, shown
        several = ok("info", path, path, "--table").lines()
        assert len(several) == 3 and several[1] == several[2] and several[0].startswith("file")
        assert len(rows_of(ok("info", path, path).out)) == 2


@check
def a_good_file_is_verified():
    with saved() as path:
        row, = rows_of(ok("verify", path).out)
        assert row == {"file": path, "ok": "true", "leftover": "false",
                       "problem": ""}
        assert ok("verify", path, "--table").lines()[-1].split() == ["✓", path, "ok"]
        assert len(ok("verify", path, path).lines()) == 3


@check
def a_bad_file_among_good_ones():
    with saved() as path:
        bad = write(path + ".bad", b"no filter at all")
        result = run("verify", path, bad, "/nonexistent/file")
        assert result.status == 2
        assert result.err.startswith("bloomtime: 2 of 3 files failed verification"), result.err
        rows = rows_of(result.out)
        assert [row["ok"] for row in rows] == ["true", "false", "false"]
        assert "No such file" in rows[2]["problem"]
        result = run("info", bad, path)
        assert result.status == 2 and len(rows_of(result.out)) == 1
        assert result.err.startswith(f"bloomtime: {bad}: "), result.err


def all_refused(paths):
    """Verifies many files at once; info must refuse them as well, without a word of praise."""
    assert paths
    verified = run("verify", "--json", *paths)
    assert verified.status == 2, verified.err
    files = json.loads(verified.out)["files"]
    accepted = [f["file"] for f in files if f["ok"]]
    assert len(files) == len(paths) and not accepted, accepted
    assert all(f["problem"] for f in files)
    told = run("info", "--json", *paths)
    assert told.status == 2 and json.loads(told.out)["files"] == []
    assert len(told.err.splitlines()) == len(paths)
    assert all(line.startswith("bloomtime: ") for line in told.err.splitlines())


@check
def every_truncation_is_refused():
    with saved() as path:
        data = read(path)
        all_refused([write(f"{path}.{n}", data[:n]) for n in range(len(data))])
        all_refused([write(f"{path}.more", data + b"\0")])


@check
def every_flipped_byte_is_refused():
    with saved() as path:
        data = read(path)
        all_refused([write(f"{path}.{i}", data[:i] + bytes([data[i] ^ 0x41]) + data[i + 1:])
                     for i in range(len(data))])


@check
def a_newer_version_is_refused_by_name():
    with saved() as path:
        data = read(path)
        newer = write(path + ".newer", data[:8] + b"\x63\x00" + data[10:])
        result = run("verify", newer)
        assert result.status == 2 and "version 99" in result.out, result.out


@check
def other_hostile_files():
    with folder() as where:
        at = lambda name: os.path.join(where, name)
        magic = b"\x89BLMT\r\n\x1a\x01\x00"
        sparse = write(at("sparse"), b"")
        os.truncate(sparse, 1 << 40)
        all_refused([
            write(at("empty"), b""),
            write(at("zeros"), bytes(4096)),
            write(at("ones"), b"\xff" * 4096),
            write(at("head"), magic),
            write(at("huge"), magic + b"\xff" * 4096),
            sparse,
            where,
            "/dev/null",
            at("missing"),
            os.path.join(at("empty"), "below a file"),
        ])


@check
def names_of_files_are_harmless():
    with saved() as path:
        where = os.path.dirname(path)
        for name in ("\x1b[31mred", "tab\tand\nline", "blank name", "-dash", "plan", b"\xff\xfe"):
            target = os.path.join(os.fsencode(where), os.fsencode(name))
            shutil.copy(path, target)
            for form in ("--table", "--tsv", "--json"):
                result = run("info", form, "--", target)
                assert result.status == 0, (name, result.err)
                assert "\x1b" not in result.out, (name, form)
                if form == "--json":
                    assert len(json.loads(result.out)["files"]) == 1
                if form == "--tsv":
                    assert len(rows_of(result.out)) == 1
        result = run("info", os.path.join(where, "\x1b[2Jgone"))
        assert "\x1b" not in result.err and result.err.count("\n") == 1
