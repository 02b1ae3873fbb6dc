"""The repository as a dictionary of texts, so that a check can be run on a changed copy."""
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = {".git", "build", "__pycache__"}
INCLUDE = re.compile(r'^#include [<"]([^>"]+)[>"]', re.MULTILINE)


def read():
    """Path from the root -> text; None for files that are not UTF-8."""
    tree = {}
    for folder, folders, files in os.walk(ROOT):
        folders[:] = [name for name in folders if name not in SKIPPED]
        for name in files:
            path = pathlib.Path(folder) / name
            try:
                tree[str(path.relative_to(ROOT))] = path.read_text()
            except (UnicodeDecodeError, FileNotFoundError):
                tree[str(path.relative_to(ROOT))] = None
    return tree


def is_source(path):
    return path.endswith((".hpp", ".cpp"))


def folders_of(tree):
    return {str(parent) for path in tree for parent in pathlib.PurePath(path).parents}


def included(tree, path):
    """The files of the repository that a file includes."""
    folder = str(pathlib.PurePath(path).parent)
    for name in INCLUDE.findall(tree[path]):
        for candidate in (f"include/{name}", f"{folder}/{name}", f"src/{name}", name,
                          f"tests/{name}"):
            if candidate in tree:
                yield candidate
                break
