"""The stubs say what the module has, and everything has a docstring."""
import ast
import inspect
import pathlib
import re
import subprocess
import sys

import bloomtime
import pytest
from bloomtime import published

STUBS = pathlib.Path(bloomtime.__file__).with_name("__init__.pyi")
TREE = ast.parse(STUBS.read_text())
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}
FILTERS = ["Bloom", "Heat", "HotList", "History", "Recency", "Tally"]


def functions_of(name):
    """Those of a class of the stubs and of its bases."""
    node, found = CLASSES[name], {}
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in CLASSES:
            found |= functions_of(base.id)
    for part in node.body:
        if isinstance(part, ast.FunctionDef):
            found[part.name] = part
    return found


@pytest.mark.parametrize("name", FILTERS)
def test_every_member_is_in_the_stubs(name):
    kind = getattr(bloomtime, name)
    real = {member for member in dir(kind) if not member.startswith("_")}
    stub = {member for member in functions_of(name) if not member.startswith("_")}
    assert real == stub
    for member in ("__contains__", "__getitem__", "__or__", "__ior__", "__len__"):
        declared = member in functions_of(name)
        assert declared == (getattr(kind, member, None) is not None), member


def parameters_of(method):
    """From its signature, or from the first line of its docstring, as pybind11 writes it."""
    try:
        return list(inspect.signature(method).parameters)
    except ValueError:
        signature = re.match(r"\w+\((.*)\) -> ", method.__doc__)
        return re.findall(r"(?:^|, )(\w+): ", signature[1])


@pytest.mark.parametrize("name", FILTERS)
def test_parameters_have_the_names_of_the_stubs(name):
    kind = getattr(bloomtime, name)
    for member, stub in functions_of(name).items():
        real = getattr(kind, member, None)
        if member.startswith("_") or isinstance(real, property):
            continue
        given = parameters_of(real)
        declared = [a.arg for a in [*stub.args.args, *stub.args.kwonlyargs]]
        assert [g for g in given if g not in ("self", "arg0")] == \
            [d for d in declared if d not in ("self", "cls")], member


@pytest.mark.parametrize("name", FILTERS)
def test_constructors_have_the_parameters_of_the_stubs(name):
    with pytest.raises(TypeError) as refused:
        getattr(bloomtime, name)(nothing_like_it=1)
    listed = re.search(r"it has (.*)\.", str(refused.value))[1].split(", ")
    stub = functions_of(name)["__init__"]
    assert sorted(listed) == sorted(a.arg for a in stub.args.kwonlyargs)


@pytest.mark.parametrize("name", FILTERS)
def test_everything_has_a_docstring(name):
    kind = getattr(bloomtime, name)
    assert kind.__doc__
    for member in dir(kind):
        if not member.startswith("_"):
            text = getattr(kind, member).__doc__ or ""
            assert re.sub(r"^\w+\(.*\n", "", text).strip(), f"{name}.{member}"


def test_the_rest_is_in_the_stubs():
    declared = {node.name for node in TREE.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert set(bloomtime.__all__) - {"__version__"} <= declared
    for name in ("Store", "Field"):
        real = {m for m in vars(getattr(bloomtime, name)) if not m.startswith("_")}
        assert real <= set(functions_of(name)), name
    options = {a.arg for node in TREE.body if isinstance(node, ast.FunctionDef)
               and node.name == "profile" for a in node.args.kwonlyargs}
    with pytest.raises(TypeError) as refused:
        bloomtime.profile("/dev/null", store="/nonexistent/x", nothing=1)
    listed = set(re.search(r"it has (.*)\.", str(refused.value))[1].split(", "))
    assert listed | {"store", "progress"} == options
    assert STUBS.with_name("py.typed").exists()


def test_published_structures_are_those_of_the_library():
    for name in published.__all__:
        assert inspect.getdoc(getattr(published, name))


def test_numpy_is_imported_by_the_first_bulk_call():
    code = ("import sys, bloomtime\n"
            "bloomtime.Tally().add('x')\n"
            "assert 'numpy' not in sys.modules\n"
            "bloomtime.Tally().add_many(['x'])\n"
            "assert 'numpy' in sys.modules")
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
