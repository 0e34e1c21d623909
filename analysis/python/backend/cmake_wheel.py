"""Builds the wheel with the repository's own CMake (PEP 517): nothing is downloaded. NEEDS is what it needs of Debian; says so where it fails.

pip install --config-settings build=FOLDER takes what lies built in FOLDER (from the repository's root on) instead of building in a new one.
"""

import base64
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

HERE = pathlib.Path(__file__).resolve().parents[1]
REPOSITORY = HERE.parents[1]


NEEDS = "g++ make cmake nlohmann-json3-dev libexpected-dev libboost-dev pybind11-dev python3-dev"


def cmake(*words):
    if not shutil.which("cmake") or subprocess.run(["cmake", *words], check=False).returncode != 0:
        raise RuntimeError(f"cmake {' '.join(map(str, words))}: failed; of Debian's packages the build needs {NEEDS}")


def configure(build):
    cmake("-S", REPOSITORY, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DSAMCL_ONLY_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}")


def install(build, given, target):
    """The files of the package, in target."""
    if not (build / "CMakeCache.txt").exists():
        if given:
            raise RuntimeError(f"{build}: no configured build, expected one, as cmake --preset release makes in build/release")
        configure(build)
    if "pybind11_DIR:PATH=/" not in (build / "CMakeCache.txt").read_text():
        raise RuntimeError(f"{build}: configured without pybind11; of Debian's packages the build needs {NEEDS}")
    cmake("--build", build, "--parallel", str(os.cpu_count()), "--target", "_samcl_analysis")
    cmake("--install", build, "--component", "python", "--prefix", target)
    module = "_samcl_analysis" + sysconfig.get_config_var("EXT_SUFFIX")
    if not (target / "samcl_analysis" / module).exists():
        raise RuntimeError(f"{build}: made no {module}, the module of this Python; configure it with -DPython_EXECUTABLE={sys.executable}")
    for source in (HERE / "src").glob("samcl_analysis/*.py"):
        (target / "samcl_analysis" / source.name).write_bytes(source.read_bytes())


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    python = "cp" + sysconfig.get_config_var("py_version_nodot")
    tag = f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    about = f"{name}-{version}.dist-info"
    with tempfile.TemporaryDirectory() as folder:
        given = (config_settings or {}).get("build")
        package = pathlib.Path(folder) / "package"
        install(REPOSITORY / given if given else pathlib.Path(folder) / "build", given, package)
        files = {str(path.relative_to(package)): path.read_bytes() for path in sorted(package.rglob("*")) if path.is_file()}
    files[f"{about}/METADATA"] = (
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {version}\nSummary: {project['description']}\n"
        f"Requires-Python: {project['requires-python']}\n").encode()
    files[f"{about}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: cmake_wheel\nRoot-Is-Purelib: false\nTag: {tag}\n".encode()
    record = "".join(f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}\n"
                     for path, data in files.items())
    files[f"{about}/RECORD"] = (record + f"{about}/RECORD,,\n").encode()
    wheel = f"{name}-{version}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the sources are the whole repository: install from there")
