# How it looks: colours, Unicode, tables, forms. Read by ./run.

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@check
def a_terminal_gets_colours_and_unicode_and_a_pipe_does_not():
    shown = on_terminal(*PLAN, "--measure", columns=120)  # room for times of any machine
    assert ESCAPE.search(shown) and "▸ " in shown and "✓" in shown and "–" in shown, shown
    assert shown.startswith("\x1b[1mBloom filter for 1,000 items at 1 % error\x1b[0m\n\n")
    piped = ok(*PLAN, "--measure").out
    assert "\x1b" not in piped and piped.isascii() and "\t" in piped


@check
def colours_obey_options_and_environment():
    table = [*PLAN, "--table"]
    assert "\x1b" not in on_terminal(*PLAN, "--color", "never")
    assert "\x1b" not in on_terminal(*PLAN, env=environment(NO_COLOR="1"))
    assert "\x1b" not in on_terminal(*PLAN, env=environment(TERM="dumb"))
    assert "\x1b" in on_terminal(*PLAN, env=environment(NO_COLOR=""))
    assert "\x1b" in on_terminal(*PLAN, "--color", "always", env=environment(NO_COLOR="1"))
    assert "\x1b" in ok(*PLAN, "--color", "always").out
    assert "\x1b" not in ok(*table).out
    assert "\x1b" in ok(*table, env=environment(CLICOLOR_FORCE="1")).out
    assert "\x1b" not in ok(*table, env=environment(CLICOLOR_FORCE="0")).out
    assert "\x1b" not in ok(*table, env=environment(CLICOLOR_FORCE="1", NO_COLOR="1")).out
    # A script that cuts columns must not break because somebody likes colours.
    assert "\x1b" not in ok(*PLAN, env=environment(CLICOLOR_FORCE="1")).out


@check
def ascii_where_unicode_cannot_be_shown():
    for shown in (on_terminal(*PLAN, "--measure", "--ascii"),
                  on_terminal(*PLAN, "--measure", env=environment(LC_ALL="C")),
                  on_terminal(*PLAN, "--measure", env=environment(LC_ALL=None, LANG="de_DE"))):
        assert shown.isascii() and "> " in shown and "ok" in shown, shown
    for env in (environment(LC_ALL=None, LANG="en_US.utf8"), environment(LC_ALL=None)):
        assert "▸" in on_terminal(*PLAN, env=env)


@check
def tables_are_aligned_and_fit():
    plan = ["plan", "bloom", "--items", "1M", "--error", "1%", "--measure", "--color", "never"]
    for columns in (100, 80, 60):
        lines = on_terminal(*plan, columns=columns).splitlines()
        assert all(len(line) <= columns for line in lines), (columns, lines)
        assert all(line == line.rstrip() for line in lines)
        heading = lines[2]
        assert heading.split()[0] == "engine" and "memory" in heading
        # Numbers end where their headings end.
        for title in ("memory", "error", "measured"):
            end = heading.index(title) + len(title)
            for line in lines[3:5]:
                assert line[end - 1] != " " and line[end:end + 1] in ("", " "), (title, line)


@check
def forms_exclude_each_other():
    refused(*PLAN, "--json", "--tsv", says="exclude each other")
    refused(*PLAN, "--table", "--json", says="exclude each other")
    assert "\t" in on_terminal(*PLAN, "--tsv")
    assert json.loads(on_terminal(*PLAN, "--json"))["schema"] == 2
