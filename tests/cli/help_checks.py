# Help and version. Read by ./run.


@check
def help_starts_with_examples():
    for arguments in (["--help"], ["-h"], ["plan", "--help"], ["plan", "bloom", "--help"],
                      ["plan", "heat", "--help"], ["plan", "history", "--help"],
                      ["plan", "tally", "--help"], ["tally", "--help"], ["count", "--help"],
                      ["profile", "--help"],
                      ["hot", "--help"], ["heat", "--help"], ["seen", "--help"],
                      ["timeline", "--help"], ["compare", "--help"], ["info", "--help"], ["verify", "--help"],
                      ["generate", "--help"], ["dedupe", "--help"], ["merge", "--help"]):
        lines = ok(*arguments).lines()
        assert lines[0].startswith("bloomtime"), lines[0]
        assert lines[1:3] == ["", "Examples"], lines[:3]
        assert "bloomtime " in lines[3], lines[3]
        assert "Usage" in lines
        assert all(len(line) <= 100 and line == line.rstrip() for line in lines), arguments


@check
def help_lists_commands_and_options():
    text = ok("--help").out
    for fragment in ("\n  profile ", "\n  hot ", "\n  heat ", "\n  seen ", "\n  timeline ", "\n  compare ", "\n  tally ", "\n  count ", "\n  plan ", "\n  info ", "\n  verify ", "--version",
                     "--json", "--color WHEN", '"schema": 2', "Exit status   0 ok or yes, 1 no"):
        assert fragment in text, fragment
    text = ok("plan", "bloom", "--help").out
    for fragment in ("--items N", "--error E", "--memory SIZE", "--measure", "--save FILE",
                     "44 bytes", "99.9 % range"):
        assert fragment in text, fragment


@check
def without_arguments_it_helps():
    assert ok().out == ok("--help").out
    assert on_terminal() == ok("--help").out


@check
def help_wins_over_what_is_missing():
    assert ok("plan", "bloom", "--items", "x", "--help").out == ok("plan", "bloom", "-h").out


@check
def version_says_what_it_is():
    line = ok("--version").out
    assert re.fullmatch(r"bloomtime \d+\.\d+\.\d+ \((g\+\+|clang) [\d.]+, "
                        r"bulk calls with(out)? AVX2, file format \d+\)\n", line), line
    facts = json.loads(ok("--version", "--json").out)
    assert facts["schema"] == 2 and line.startswith(f"bloomtime {facts['version']} ")
    assert facts["format_version"] == 1 and isinstance(facts["avx2"], bool)
