# A world that does not help: no space, no memory, no permission, nobody who reads. Read by ./run.


def save_fails(path, says, before=None):
    """Saving fails with a sentence, and the folder is as it was."""
    where = os.path.dirname(path)
    names = lambda: sorted(os.listdir(where)) if os.path.isdir(where) else None
    listed = names()
    refused("plan", "bloom", "--items", "100k", "--error", "1%", "--measure", "--save", path,
            says=says, before=before)
    assert names() == listed, names()


@check
def a_file_size_limit_leaves_the_old_file():
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    with folder() as where:
        save_fails(os.path.join(where, "new.bloom"), "File too large", before=limit)
        old = write(os.path.join(where, "old.bloom"), b"old")
        save_fails(old, "File too large", before=limit)
        assert read(old) == b"old"


@check
def places_where_nothing_can_be_saved():
    with folder() as where:
        save_fails(where + "/missing/x.bloom", "No such file or directory")
        save_fails(write(where + "/file", b"") + "/x.bloom", "Not a directory")
        os.mkdir(where + "/folder")
        save_fails(where + "/folder", "Is a directory")


def become_nobody():
    if os.geteuid() == 0:
        os.setgid(65534)
        os.setuid(65534)


@check
def a_folder_without_permission():
    try:
        subprocess.run([COMMAND, "--version"], preexec_fn=become_nobody, check=True,
                       stdout=subprocess.DEVNULL)
    except PermissionError:
        return  # root's own build: there is nobody to forbid anything to
    with folder() as where:
        os.chmod(where, 0o555)
        save_fails(where + "/x.bloom", "Permission denied", before=become_nobody)
        os.chmod(where, 0o755)
        hidden = write(where + "/hidden", b"x")
        os.chmod(hidden, 0)
        refused("info", hidden, says="Permission denied", before=become_nobody)


@check
def saving_replaces_a_file_as_a_whole():
    with folder() as where:
        path = write(where + "/x.bloom", b"old")
        ok(*PLAN, "--measure", "--save", path)
        ok("verify", path)
        assert os.listdir(where) == ["x.bloom"]


@check
def out_of_memory_is_a_sentence():
    huge = ["plan", "bloom", "--items", "1G", "--error", "1%", "--measure"]
    if b"__asan_init" in read(COMMAND):  # needs its address space: limit its allocator instead
        options = os.environ.get("ASAN_OPTIONS", "")
        env = environment(ASAN_OPTIONS=options + ":allocator_may_return_null=1"
                                                 ":max_allocation_size_mb=100")
        result = run(*huge, env=env)
        told = [line for line in result.err.splitlines() if line.startswith("bloomtime: ")]
        assert result.status == 2 and len(told) == 1 and "no memory" in told[0], result.err
    elif b"__tsan_init" not in read(COMMAND):
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
        refused(*huge, says="no memory for an array", before=limit)


@check
def a_full_or_closed_standard_output_is_noticed():
    with saved() as path:
        for arguments in (PLAN, ["--help"], ["--version"], ["info", path], ["verify", path]):
            with open("/dev/full", "wb") as full:
                refused(*arguments, stdout=full, says="No space left on device")
            refused(*arguments, before=lambda: os.close(1), says="Bad file descriptor")


@check
def closed_standard_descriptors_are_not_taken_by_files():
    def close_all():
        for descriptor in (0, 1, 2):
            os.close(descriptor)
    with saved() as path:
        before = read(path)
        child = subprocess.run([COMMAND, "info", path, "/nonexistent"], preexec_fn=close_all,
                               check=False)
        assert child.returncode == 2 and read(path) == before


@check
def a_closed_pipe_ends_it_in_silence():
    for before in (None, lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN)):
        reader, writer = os.pipe()
        os.close(reader)
        result = run("--help", stdout=writer, before=before)
        os.close(writer)
        assert result.status == -signal.SIGPIPE and result.err == "", (result.status, result.err)


def wait_until_writing(child):
    """Until it blocks in write(1, ...), by the kernel's word."""
    for _ in range(1000):
        try:
            with open(f"/proc/{child.pid}/syscall", encoding="ascii") as file:
                if file.read().startswith("1 0x1 "):
                    return True
        except OSError:
            return False
        time.sleep(0.01)
    return False


@check
def a_file_that_shrinks_while_it_is_read():
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with contextlib.suppress(BlockingIOError):
        while True:
            os.write(writer, bytes(4096))
    os.set_blocking(writer, True)
    child = subprocess.Popen([COMMAND, "--help"], stdout=writer, stderr=subprocess.PIPE,
                             env=environment())
    os.close(writer)
    if wait_until_writing(child):
        child.send_signal(signal.SIGBUS)
        message = child.stderr.read().decode()
        assert child.wait(timeout=60) == 2, child.returncode
        assert re.fullmatch(r"bloomtime: a mapped file [^\n]+\n", message), message
    child.kill()
    child.wait()
    os.close(reader)
