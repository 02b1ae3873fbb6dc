"""Builds the extension module of the Python package with CMake, in build/python-module, for the
interpreter that runs this. pyproject.toml has the rest."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
BUILD = ROOT / "build" / "python-module"


def version():
    header = (ROOT / "include/bloomtime/version.hpp").read_text()
    return re.search(r'version = "([\d.]+)"', header)[1]


class CMakeModule(build_ext):
    def build_extension(self, ext):
        configure = ["cmake", "-S", ROOT, "-B", BUILD, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                     "-DBLOOMTIME_BUILD_REDIS=OFF", f"-DBLOOMTIME_PYTHON={sys.executable}"]
        target = ["cmake", "--build", BUILD, "--target", "bloomtime_python"]
        subprocess.run(configure, check=True)
        subprocess.run(target + ["-j", os.environ.get("JOBS", str(os.cpu_count()))], check=True)
        made = pathlib.Path(self.get_ext_fullpath(ext.name))
        made.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BUILD / "python" / made.name, made)


setup(
    version=version(),
    ext_modules=[Extension("bloomtime._bloomtime", sources=[])],
    cmdclass={"build_ext": CMakeModule},
    options={"build": {"build_base": "build/python-setup"},
             "egg_info": {"egg_base": "build"}},
)
