"""Builds the extension module of the Python package with CMake's preset `release`, for the interpreter
that runs this, or in the configured build BLOOMTIME_BUILD_DIR. pyproject.toml has the rest."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


def version():
    header = (ROOT / "include/bloomtime/version.hpp").read_text()
    return re.search(r'version = "([\d.]+)"', header)[1]


def configured_build():
    # The interpreter itself: a venv may be gone when the build is configured again.
    python = os.path.realpath(sys.executable)
    subprocess.run(["cmake", "--preset", "release", f"-DBLOOMTIME_PYTHON_INTERPRETER={python}"],
                   cwd=ROOT, check=True)
    return ROOT / "build/release"


class CMakeModule(build_ext):
    def build_extension(self, ext):
        build = pathlib.Path(os.environ.get("BLOOMTIME_BUILD_DIR") or configured_build())
        jobs = os.environ.get("JOBS", str(os.cpu_count()))
        subprocess.run(["cmake", "--build", build, "-j", jobs, "--target", "bloomtime_python"],
                       cwd=ROOT, check=True)
        made = pathlib.Path(self.get_ext_fullpath(ext.name))
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(build / "python" / made.name, made)


(ROOT / "build").mkdir(exist_ok=True)  # for egg_base
setup(
    version=version(),
    ext_modules=[Extension("bloomtime._bloomtime", sources=[])],
    cmdclass={"build_ext": CMakeModule},
    options={"build": {"build_base": "build/python-setup"},
             "egg_info": {"egg_base": "build"}},
)
