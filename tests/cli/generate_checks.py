# -- generate: read by tests/cli/run, whose helpers it uses ----------------------------------------

EXACT = ["generate", "--records", "30000", "--items", "700", "--pairs", "9000", "--seconds", "3600"]

# Independent of the generator and of Python's idea of lines.
COUNT = r"""
  { if ($1 + 0 < last) back++; last = $1 + 0; items[$2]; pairs[$1, $2]
    if (NF != 2 || $1 < 1388534400 || $1 >= 1388538000) bad++ }
  END { for (i in items) n++; for (p in pairs) m++; print NR, n, m, back + 0, bad + 0 }
"""


def awk(program, text):
    return subprocess.run(["awk", "-F", "\t", program], input=text.encode(), check=True,
                          stdout=subprocess.PIPE, timeout=120).stdout.decode().strip()


@check
def generate_writes_exact_numbers():
    for model in ("dense", "bursty", "uniform"):
        for more in ([], ["--daily"], ["--zipf", "1.2"]):
            out = ok(*EXACT, "--model", model, "--seed", "5", "--format", "tsv", *more).out
            assert awk(COUNT, out) == "30000 700 9000 0 0", (model, more)
    assert ok(*EXACT).out == ok(*EXACT, "--format", "tsv", "--seed", "1").out
    assert len({ok(*EXACT, "--seed", str(seed)).out for seed in (0, 1, 2, 2**64 - 1)}) == 4


@check
def generate_shows_a_newcomer_what_is_eaten():
    lines = ok("generate", "--records", "2000").lines()
    assert len(lines) == 2000
    combined = re.compile(r'\d+\.\d+\.\d+\.\d+ - - \[01/Jan/2014:\d\d:\d\d:\d\d \+0000\] '
                          r'"GET /\S* HTTP/1\.1" (200|301|304|404|500) (\d+|-) "[^"]+" "[^"]+"')
    for line in lines:
        assert combined.fullmatch(line), line
    objects = [json.loads(line) for line in
               ok("generate", "--records", "2000", "--format", "ndjson").lines()]
    columns = [line.split("\t") for line in
               ok("generate", "--records", "2000", "--format", "tsv").lines()]
    for line, thing, (epoch, host, path, status, size) in zip(lines, objects, columns):
        assert line.startswith(host + " ") and f'"GET {path} ' in line and f'" {status} ' in line
        assert (thing["host"], thing["path"]) == (host, path)
        assert (thing["status"], thing["bytes"]) == (int(status), int(size))
        assert thing["time"] == time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch)))


@check
def generate_starts_at_once_however_much_is_asked_for():
    child = subprocess.Popen([COMMAND, "generate", "--records", "10^15"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, env=environment())
    assert b"HTTP/1.1" in child.stdout.readline()
    child.stdout.close()
    assert child.wait(timeout=60) == -signal.SIGPIPE
    assert child.stderr.read() == b""
    child.stderr.close()


@check
def generate_repeats_and_unique():
    rows = [line.split("\t") for line in
            ok("generate", "--records", "10k", "--repeat", "30%", "--gap", "fixed:10s").lines()]
    last, repeats = {}, 0
    for epoch, item in rows:
        if item in last:
            assert int(epoch) - last[item] == 10
            repeats += 1
        last[item] = int(epoch)
    assert (len(rows), repeats) == (10000, 3000)
    # Not the 28 of rounded binary fractions.
    items = [line.split("\t")[1] for line in
             ok("generate", "--records", "100", "--repeat", "29%").lines()]
    assert (len(items), len(set(items))) == (100, 71)
    items = [line.split("\t")[1] for line in
             ok("generate", "--records", "10k", "--unique").lines()]
    assert len(items) == len(set(items)) == 10000


@check
def generate_removes_only_what_is_there():
    present, removes = {}, 0
    for line in ok("generate", "--records", "10k", "--items", "100", "--removes", "40%").lines():
        op, item = line.split("\t")
        present[item] = present.get(item, 0) + {"+": 1, "-": -1}[op]
        assert present[item] >= 0
        removes += op == "-"
    assert removes == 4000


@check
def generate_profile_counts_what_generate_writes():
    document = json.loads(ok(*EXACT, "--profile", "--json").out)
    assert (document["records"], document["items"], document["pairs"]) == (30000, 700, 9000)
    assert [level["pairs"] for level in document["levels"]][::17] == [9000, 700]
    assert sum(gap["count"] for gap in document["gaps"]) == 30000 - 700
    assert sum(hour["records"] for hour in document["hours"]) == 30000
    tables = ok(*EXACT, "--profile").out.split("\n\n")
    assert [len(rows_of(table)) for table in tables] == [18, len(document["gaps"]), 24]
    explained = ok("generate", "--help").out
    for table in tables:
        for key in rows_of(table)[0]:
            assert key in explained, key
    assert "█" in ok(*EXACT, "--profile", "--table").out


@check
def generate_starts_when_told():
    for start, epoch in (("2000-02-29", 951782400), ("951782400", 951782400), ("0", 0),
                         ("2000-02-29T12:00:00+12:00", 951782400), ("951782400000", 951782400)):
        out = ok("generate", "--unique", "--records", "1", "--start", start).out
        assert out.startswith(f"{epoch}\t"), out


@check
def generate_refuses_what_cannot_be():
    for arguments, says in (
            (["--records", "0"], "--records must be at least 1"),
            (["--records", "10^30"], "--records can be at most"),
            (["--records", "5", "--items", "3", "--pairs", "6"], "6 pairs need at least"),
            (["--records", "9", "--items", "3", "--pairs", "2"], "3 items need at least"),
            (["--records", "9", "--items", "3", "--pairs", "7", "--seconds", "2"], "at most 6 pairs"),
            (["--pairs", "9"], "--pairs needs --records and --items"),
            (["--items", "2^40"], "--items must be a number"),
            (["--items", "5G"], "2^32"),
            (["--model", "dense"], "traffic does not take --model"),
            (["--gap", "exp:5m"], "traffic does not take --gap"),
            (["--unique", "--zipf", "1"], "--unique does not take --zipf"),
            (["--unique", "--removes", "10%"], "does not take --removes"),
            (["--pairs", "9", "--unique"], "does not take --unique"),
            (["--like", "edgr"], "--like must be one of edgar, network, got edgr"),
            (["--like", "edgar", "--model", "dens"], "dense, bursty, uniform"),
            (["--zipf", "-1"], "--zipf must be a number from 0"),
            (["--zipf", "nan"], "--zipf must be a number from 0"),
            (["--repeat", "1"], "--repeat must lie between 0 and 1"),
            (["--repeat", "10%", "--gap", "5m"], "--gap must be like exp:5m"),
            (["--repeat", "10%", "--gap", "uniform:9s..3s"], "the least first"),
            (["--repeat", "10%", "--gap", "exp:10^12"], "gaps must lie between"),
            (["--removes", "60%"], "at most half"),
            (["--removes", "10%", "--format", "combined"], "has no removes"),
            (["--format", "xml"], "combined, ndjson, tsv"),
            (["--seconds", "11y"], "--seconds must be a time"),
            (["--seconds", "5000d"], "ten years"),
            (["--start", "2014-02-30"], "--start must be a date"),
            (["--start", "10000-01-01"], "--start must be a date"),
            (["--start", "-1"], "between the years 1970 and 9999"),
            (["--start", "9999-12-31", "--seconds", "86401"], "between the years 1970 and 9999"),
            (["--start", str(2**64)], "--start must be a date"),
            (["--seed", "x"], "--seed must be a whole number"),
            (["--seed", str(2**64)], "--seed must be a whole number"),
            (["--json"], "--format ndjson"),
            (["--profile", "--format", "tsv"], "--profile prints no records")):
        refused("generate", *arguments, says=says)


@check
def generate_onto_a_full_disk():
    with open("/dev/full", "wb") as full:
        refused("generate", stdout=full, says="cannot write to standard output")
