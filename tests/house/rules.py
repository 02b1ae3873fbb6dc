"""What docs/architecture.md promises about the tree. Each rule takes the tree and yields
complaints; breaks.py shows that each of them can."""
import fnmatch
import os
import pathlib
import re
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

from tree import ROOT, folders_of, included, is_source

FAMILIES = {"bloom", "heat", "history", "recency", "tally"}
FAMILY_OF = {"time_decaying": "heat", "persistent": "history", "inferential": "recency",
             "dynamic_count": "tally"}

# Rooms, and the rooms that each of them may include. `words` are the headers directly in
# include/bloomtime, `any` is whatever holds a filter whose type is known at run time.
BASE = {"words", "detail", "math"}
LIBRARY = BASE | FAMILIES | set(FAMILY_OF) | {"any", "bloomtime"}
MAY_INCLUDE = {
    "words": {"detail", "math"},
    "detail": {"words"},
    "math": {"words", "detail"},
    **{family: BASE for family in FAMILIES},
    **{paper: BASE | {family} for paper, family in FAMILY_OF.items()},
    "any": LIBRARY - {"bloomtime"},
    "bloomtime": LIBRARY,
    "text": {"words"},
    "logs": {"words", "text"},
    "traffic": {"words", "math"},
    "store": LIBRARY | {"text", "logs"},
    "profile": LIBRARY | {"text", "logs", "store"},
    "web": {"words", "text"},
    "cli": LIBRARY | {"text", "logs", "store", "profile", "traffic", "web"},
    "python": LIBRARY | {"text", "logs", "store", "profile"},
    "redis": LIBRARY | {"text"},
    "examples": LIBRARY,
}

# Includes that point another way, with the reason.
EXCEPTIONS = {
    ("include/bloomtime/published/inferential/shares.hpp", "include/bloomtime/heat/heat_filter.hpp"):
        "sketched_share estimates how frequent an item is, which is what a heat filter counts",
    ("src/math/history.cpp", "include/bloomtime/history/detail/timelines.hpp"):
        "the size of a timeline table follows from its layout, which is defined there",
    ("src/math/history.cpp", "include/bloomtime/history/detail/positions.hpp"):
        "the size of a list of positions follows from its layout, which is defined there",
    ("src/math/tally.cpp", "include/bloomtime/tally/detail/escaping_cells.hpp"):
        "the count at which a cell overflows to the side table is defined there",
}


def room_of(path):
    parts = path.split("/")
    if path.startswith("include/bloomtime/"):
        parts = parts[2:]
    elif parts[0] == "src":
        parts = parts[1:]
    else:
        return parts[0]
    stem = parts[-1].split(".")[0]
    if stem == "any" or stem.startswith("any_"):
        return "any"
    if len(parts) == 1:
        return "bloomtime" if stem == "bloomtime" else "words"
    return parts[1] if parts[0] == "published" else parts[0]


def includes_point_one_way(tree):
    for path in filter(is_source, tree):
        room = room_of(path)
        if room in ("tests", "bench", "experiments"):
            continue
        if room not in MAY_INCLUDE:
            yield f"{path}: no rule says what {room}/ may include"
            continue
        for other in included(tree, path):
            to = room_of(other)
            if to != room and to not in MAY_INCLUDE[room] and (path, other) not in EXCEPTIONS:
                yield f"{path} includes {other}; {room} must not use {to}"


def exceptions_are_needed(tree):
    for (path, other), reason in EXCEPTIONS.items():
        if reason and (path not in tree or other not in included(tree, path)):
            yield f"{path} does not include {other}; remove the exception"


def includes_have_no_cycle(tree):
    finished, open_now = set(), []

    def visit(path):
        if path in open_now:
            yield " includes ".join([*open_now[open_now.index(path):], path])
        elif path not in finished:
            open_now.append(path)
            for other in included(tree, path):
                yield from visit(other)
            open_now.pop()
            finished.add(path)

    for path in sorted(filter(is_source, tree)):
        yield from visit(path)


def the_library_needs_only_the_standard_library(tree):
    system = re.compile(r"[a-z_0-9]+|((sys|linux)/)?[a-z_0-9]+\.h")
    for path in filter(is_source, tree):
        if path.startswith("include/") or path.startswith("src/"):
            for name in re.findall(r"^#include <([^>]+)>", tree[path], re.MULTILINE):
                if name == "xxhash.h" and path.startswith("include/"):
                    yield f"{path} includes <{name}>, which only src/ may"
                elif not name.startswith("bloomtime/") and not system.fullmatch(name):
                    yield f"{path} includes <{name}>, which belongs to another library"


def detail_is_shared(tree):
    """A part that one family uses belongs into that family's own detail folder."""
    users = {}  # header of detail -> files that include it
    for path in filter(is_source, tree):
        for other in included(tree, path):
            users.setdefault(other, set()).add(path)

    def families_of(header, seen):
        found = set()
        for user in users.get(header, ()):
            room = room_of(user)
            if room in ("detail", "words"):  # families use it through these
                mirrored = "include/bloomtime/" + user.removeprefix("src/").replace(".cpp", ".hpp")
                through = mirrored if user.startswith("src/") else user
                if through not in seen:
                    found |= families_of(through, seen | {through})
            elif fnmatch.fnmatch(user, "*/any_*"):  # the handle of a family
                found.add(user.split("/")[-2])
            elif room in LIBRARY:
                found.add(FAMILY_OF.get(room, room))
        return found

    for path in tree:
        if fnmatch.fnmatch(path, "include/bloomtime/detail/*.hpp"):
            found = families_of(path, {path})
            if len(found) < 2:
                yield f"{path} is used by {', '.join(found) or 'nothing'} only"


def source_folders_mirror_headers(tree):
    folders = folders_of(tree)
    for folder in sorted(folders):
        if folder.startswith("src/") and f"include/bloomtime/{folder[4:]}" not in folders:
            yield f"{folder} has no include/bloomtime/{folder[4:]}"


# Most headers include this one, and with it the slowest parts of the standard library.
COMMON_HEADER = "include/bloomtime/detail/stored.hpp"


def reaches(tree, path, goal):
    """Whether a file includes another, directly or through others."""
    seen, waiting = set(), [path]
    while waiting:
        for other in set(included(tree, waiting.pop())) - seen:
            seen.add(other)
            waiting.append(other)
    return goal in seen


def public_headers_compile_alone(tree, headers=None):
    """`make soak` proves the others. `headers` limits the check, in a copy of include/. A header
    that includes COMMON_HEADER gets it precompiled: it sees no name that it would not see alone."""
    every = [path for path in tree if path.startswith("include/") and is_source(path)]
    wanted = headers or [path for path in every if "/detail/" not in path]

    def compiled(*arguments):
        return subprocess.run(["g++", "-std=c++20", "-I", f"{scratch}/include", *arguments],
                              capture_output=True, text=True, check=False)

    def complaint(path):
        common = ["-include", precompiled] if reaches(tree, path, COMMON_HEADER) else []
        done = compiled("-fsyntax-only", *common, "-include", f"{scratch}/{path}",
                        "-x", "c++", "/dev/null")
        return done.returncode != 0 and f"{path} does not compile alone:\n{done.stderr}"

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(os.cpu_count()) as workers:
        for path in every:
            copy = pathlib.Path(scratch) / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(tree[path])
        precompiled = f"{scratch}/common.hpp"
        pathlib.Path(precompiled).write_text(f'#include "{scratch}/{COMMON_HEADER}"\n')
        if any(reaches(tree, path, COMMON_HEADER) for path in wanted):
            compiled("-x", "c++-header", precompiled, "-o", f"{precompiled}.gch")
        yield from filter(None, workers.map(complaint, sorted(wanted)))


def documents(tree):
    return [path for path in tree
            if path == "docs/architecture.md" or fnmatch.fnmatch(path, "docs/decisions/*.md")]


def documented_paths_exist(tree):
    folders = folders_of(tree)
    tops = {path.split("/")[0] for path in tree if "/" in path}
    below = {folder.split("/")[2] for folder in folders if re.match(r"include/bloomtime/\w", folder)}

    def exists(name):
        name = name.rstrip("/")
        return (name in tree or name in folders
                or any(fnmatch.fnmatch(path, pattern) for path in tree
                       for pattern in (name, name + ".hpp", name + ".cpp")))

    for document in documents(tree):
        for name in re.findall(r"`([\w.*/-]+/[\w.*/-]*)`", tree[document]):
            top = name.split("/")[0]
            if top in tops or top in below:
                if not exists(name) and not (top in below and exists(f"include/bloomtime/{name}")):
                    yield f"{document} names {name}, which does not exist"


def the_walk_is_documented(tree):
    """A table in docs/architecture.md that leads from a question to a file."""
    section = tree["docs/architecture.md"].partition("\n## Find it in one guess\n")[2]
    rows = re.findall(r"^\| .+ \| `.+/.+` \|$", section.partition("\n## ")[0], re.MULTILINE)
    if len(rows) < 6:
        yield f"docs/architecture.md, Find it in one guess, has {len(rows)} rows with paths"


def comments_of(path, text):
    """The comments of a file, each run of comment lines as one line: (line number, text)."""
    mark = r"//" if is_source(path) else r"#"
    run, start = [], 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        found = re.search(rf"(?:^|\s){mark}+ ?(.*)$", line)
        alone = found and not line[:found.start()].strip()
        if run and not alone:
            yield start, " ".join(run)
            run = []
        if found and not run:
            start = number
        if found:
            run.append(found[1].strip())


def citations_resolve(tree):
    """A comment cites a document by its path from the root, and a section by its heading."""
    headings = {path: re.findall(r"^#+ (.+?)\s*$", text, re.MULTILINE)
                for path, text in tree.items() if path.endswith(".md") and text}
    for path, text in tree.items():
        script = text and text.startswith("#!")
        if not text or not (is_source(path) or path.endswith((".py", ".cmake")) or script):
            continue
        for line, comment in comments_of(path, text):
            if re.search(r"\bspec(ification)?,? section\b", comment):
                yield f"{path}:{line} cites a specification that is not in the repository"
            for name, after in re.findall(r"([\w./-]+\.md)\b((?:, [A-Z].*)?)", comment):
                if name not in headings:
                    yield f"{path}:{line} cites {name}, which is not in the repository"
                elif after and not any(re.match(rf", {re.escape(h)}(?!\w)", after)
                                       for h in headings[name]):
                    yield f"{path}:{line} cites {name}{after[:60]}, which is no heading there"


def links_resolve(tree):
    """A document links to files that exist, and names a section behind a link by its heading."""
    headings = {path: re.findall(r"^#+ (.+?)\s*$", text, re.MULTILINE)
                for path, text in tree.items() if path.endswith(".md") and text}
    folders = folders_of(tree)
    for path in headings:
        text = re.sub(r"\s+", " ", tree[path])
        for link, after in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)((?:, [A-Z][^.;()]*)?)", text):
            target = os.path.normpath(os.path.join(os.path.dirname(path), link))
            if target not in tree and target not in folders:
                yield f"{path} links to {link}, which does not exist"
            elif after and target in headings and not any(
                    after.startswith(f", {heading}") for heading in headings[target]):
                yield f"{path} names {link}{after[:60]}, which is no heading there"


def tests_have_namespaces_of_their_own(tree):
    """A mutation links tests of several folders as one program; in one namespace their helpers of
    the same name would clash, or silently become one."""
    files = {}
    for path in sorted(tree):
        if re.fullmatch(r"tests/.*_test\.cpp", path):
            name = "::".join(re.findall(r"^namespace ([\w:]+) \{", tree[path], re.MULTILINE))
            if name in files:
                yield f"{path} and {files[name]} are both in namespace {name}"
            files[name] = path


def lines_stay_within_limits(_tree, root=ROOT):
    counted = subprocess.run([ROOT / "scripts/count_lines", "--check", root], capture_output=True,
                             text=True, check=False)
    if counted.returncode != 0:
        yield counted.stdout + counted.stderr


RULES = [includes_point_one_way, exceptions_are_needed, includes_have_no_cycle,
         the_library_needs_only_the_standard_library, detail_is_shared,
         source_folders_mirror_headers, public_headers_compile_alone, documented_paths_exist,
         the_walk_is_documented, citations_resolve, links_resolve,
         tests_have_namespaces_of_their_own, lines_stay_within_limits]
