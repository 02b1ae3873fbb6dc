"""Known ways to break each rule. Each changes a copy of the tree and says what the rule must then
complain about."""
import pathlib
import re
import tempfile

import rules

HEAT = "include/bloomtime/heat/heat_filter.hpp"


def including(path, line):
    return lambda tree: tree | {path: f"#include {line}\n" + tree[path]}


def adding(path, text):
    return lambda tree: tree | {path: tree.get(path, "") + text}


def without_includes(path):
    return lambda tree: tree | {path: re.sub(r"^#include.*\n", "", tree[path], flags=re.MULTILINE)}


def cycle(tree):
    return including("include/bloomtime/time.hpp", f"<{HEAT.removeprefix('include/')}>")(tree)


BREAKS = [  # rule, change of the tree, part of the complaint
    (rules.includes_point_one_way,
     including(HEAT, "<bloomtime/tally/tally_filter.hpp>"), "heat must not use tally"),
    (rules.includes_point_one_way,
     including(HEAT, "<bloomtime/published/time_decaying/decaying_filter.hpp>"),
     "heat must not use time_decaying"),
    (rules.includes_point_one_way,
     including("include/bloomtime/detail/bytes.hpp", "<bloomtime/math/bloom.hpp>"),
     "detail must not use math"),
    (rules.includes_point_one_way,
     including("include/bloomtime/math/heat.hpp", "<bloomtime/heat/heat_filter.hpp>"),
     "math must not use heat"),
    (rules.includes_point_one_way,
     including("src/heat/heat_filter.cpp", "<bloomtime/any.hpp>"), "heat must not use any"),
    (rules.includes_point_one_way,
     including("include/bloomtime/published/inferential/timing_filter.hpp",
               "<bloomtime/heat/heat_filter.hpp>"), "inferential must not use heat"),
    (rules.includes_point_one_way,
     including("include/bloomtime/any.hpp", '"store/reader.hpp"'), "any must not use store"),
    (rules.includes_point_one_way,
     including("logs/lines.cpp", "<bloomtime/heat/heat_filter.hpp>"), "logs must not use heat"),
    (rules.includes_point_one_way,
     including("store/reader.cpp", '"cli/command.hpp"'), "store must not use cli"),
    (rules.includes_point_one_way,
     including("redis/call.cpp", '"store/reader.hpp"'), "redis must not use store"),
    (rules.includes_point_one_way,
     including("store/reader.cpp", '"redis/call.hpp"'), "store must not use redis"),
    (rules.includes_point_one_way, adding("attic/a.cpp", "\n"), "no rule says what attic/"),
    (rules.exceptions_are_needed, without_includes("src/math/tally.cpp"), "remove the exception"),
    (rules.includes_have_no_cycle, cycle, "bloomtime/time.hpp includes"),
    (rules.the_library_needs_only_the_standard_library,
     including("src/time.cpp", "<fmt/format.h>"), "<fmt/format.h>"),
    (rules.the_library_needs_only_the_standard_library,
     including(HEAT, "<xxhash.h>"), "which only src/ may"),
    (rules.detail_is_shared,
     lambda tree: including("src/heat/heat_filter.cpp", "<bloomtime/detail/alone.hpp>")(
         adding("include/bloomtime/detail/alone.hpp", "\n")(tree)), "alone.hpp is used by heat only"),
    (rules.detail_is_shared,
     lambda tree: including("src/published/time_decaying/decaying_filter.cpp",
                            "<bloomtime/detail/alone.hpp>")(
         including("src/heat/heat_filter.cpp", "<bloomtime/detail/alone.hpp>")(
             adding("include/bloomtime/detail/alone.hpp", "\n")(tree))),
     "alone.hpp is used by heat only"),
    (rules.source_folders_mirror_headers, adding("src/attic/a.cpp", "\n"), "src/attic"),
    (lambda tree: rules.public_headers_compile_alone(tree, ["include/bloomtime/time.hpp"]),
     without_includes("include/bloomtime/time.hpp"), "time.hpp does not compile alone"),
    (lambda tree: rules.public_headers_compile_alone(tree, [HEAT]),
     adding(HEAT, "inline const std::regex unknown;\n"), "heat_filter.hpp does not compile alone"),
    (rules.documented_paths_exist,
     adding("docs/architecture.md", "\n`src/attic/a.cpp`\n"), "src/attic/a.cpp"),
    (rules.documented_paths_exist,
     adding("docs/decisions/0000-a.md", "\n`heat/attic.hpp`\n"), "heat/attic.hpp"),
    (rules.the_walk_is_documented,
     lambda tree: tree | {"docs/architecture.md": tree["docs/architecture.md"].replace(
         "## Find it in one guess", "## Find it")}, "0 rows"),
    (rules.citations_resolve,
     adding(HEAT, "// As in docs/FORMAT.md, No such\n// section.\n"), "No such section"),
    (rules.citations_resolve, adding(HEAT, "int x;  // heat.md 3.2\n"), "cites heat.md"),
    (rules.citations_resolve, adding(HEAT, "// See spec\n// section 7.\n"), "specification"),
    (rules.links_resolve, adding("README.md", "[a](docs/attic.md)\n"), "docs/attic.md"),
    (rules.links_resolve, adding("docs/heat.md", "[math.md](math.md), No such\nsection.\n"),
     "No such section"),
    (rules.tests_have_namespaces_of_their_own,
     adding("tests/soak/attic_test.cpp", "namespace bloomtime::digest_test {\n"),
     "are both in namespace bloomtime::digest_test"),
]


def unnoticed(tree):
    """Yields the names of rules that accept a tree that breaks them."""
    for rule, change, complaint in BREAKS:
        if not any(complaint in found for found in rule(change(tree))):
            yield f"{getattr(rule, '__name__', rule)} must complain: {complaint}"
    with tempfile.TemporaryDirectory() as root:
        (pathlib.Path(root) / "src").mkdir()
        (pathlib.Path(root) / "src/a.cpp").write_text("\n" * 9_001)
        if not any("EXCEEDED" in found for found in rules.lines_stay_within_limits({}, root)):
            yield "lines_stay_within_limits must complain about 9,001 lines"
