# The examples at the beginning of the guides, as anyone would type them. Read by ./run.

GUIDES = os.path.join(os.path.dirname(os.path.abspath(sys.argv[0])), "..", "..", "docs")


def examples_in(name):
    """Indented lines outside of fences that run bloomtime, without their comments."""
    fenced = False
    for line in read(os.path.join(GUIDES, name)).decode().splitlines():
        fenced ^= line.startswith("```")
        if not fenced and line.startswith("    ") and "bloomtime " in line:
            yield re.split(r"\s{2,}", line.strip())[0]


def follow_example(example, where, env):
    """Long enough for it to read what is there; then it is ended as by Ctrl-C in a shell."""
    child = subprocess.Popen(example, shell=True, cwd=where, env=env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
    time.sleep(1)
    os.killpg(child.pid, signal.SIGTERM)
    _, err = child.communicate(timeout=120)
    # Ended by the signal, neither by an error nor by itself.
    assert child.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM), (example, child.returncode, err)
    assert not re.search(rb"^bloomtime: ", err, re.MULTILINE), (example, err)


def run_examples(name, least=4):
    with folder() as where:
        os.symlink(os.path.abspath(COMMAND), where + "/bloomtime")
        env = environment(PATH=f"{where}:{os.environ['PATH']}")
        day = ok("generate", "--records", "5000", "--items", "2000").out.encode()
        write(where + "/access.log", day)
        write(where + "/app.ndjson", b'{"time": 1400000000, "user": "u"}\n' * 5)
        write(where + "/hooks.ndjson", b'{"id": "evt_1"}\n' * 5)
        write(where + "/lines", b"one line\n" * 5)
        write(where + "/in", b"1400000000\ta key\n" * 5)
        write(where + "/sales.tsv", b"+\tapples\n+\tpears\n-\tapples\n" * 5)
        for store in ("monday", "tuesday"):
            ok_or_noted = run("profile", where + "/access.log", "--store",
                              f"{where}/{store}.bloomtime")
            assert ok_or_noted.status == 0, ok_or_noted.err
        found = list(examples_in(name))
        assert len(found) >= least, found
        for example in found:
            if "--follow" in example or "tail -F" in example:
                follow_example(example, where, env)
                continue
            done = subprocess.run(example, shell=True, cwd=where, env=env, capture_output=True,
                                  stdin=subprocess.DEVNULL, timeout=120, check=False)
            # 1 is "no": not seen, or nothing changed.
            assert done.returncode in (0, 1), (example, done.returncode, done.stderr)
            assert not re.search(rb"^bloomtime: ", done.stderr, re.MULTILINE), (example, done.stderr)


@check
def examples_of_the_guide_to_profiles_run():
    run_examples("profile.md")


@check
def examples_of_the_guide_to_the_past_run():
    run_examples("history.md")


@check
def examples_of_the_guide_to_duplicates_run():
    run_examples("recency.md")


@check
def examples_of_the_guides_to_tallies_and_bloom_filters_run():
    run_examples("tally.md", least=3)
    run_examples("bloom.md", least=1)
