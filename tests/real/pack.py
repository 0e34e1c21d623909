#!/usr/bin/env python3
"""Packs what real programs that were built here need to run on another machine, as one with GPUs that has no network: the files
that each opens while it runs here, found by strace.

usage: pack.py [--work DIR] [--only REGEX] real.tar.xz

There: unpack it in /, and run `real_programs.py --gpus --work DIR --only REGEX` with the same DIR; --build needs bin/sam-run with
what lies beside it, and tests/libread_back.so. Programs that come from packages are left out.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import real_programs


def opened_by(command, folder, root):
    """The files below root that it opens or runs."""
    with tempfile.NamedTemporaryFile("r", errors="replace") as calls:
        subprocess.run(["strace", "-f", "-q", "-y", "-e", "trace=open,openat,execve", "-o", calls.name, "sh", "-c", command],
                       cwd=folder, env={**os.environ, "KIND": "cpu", "POCL_DEVICES": "basic"}, stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300)
        # The folder that it was in then, where strace tells it.
        found = (re.search(r'(?:openat\(AT_FDCWD(?:<([^>]*)>)?, |open\(|execve\()"([^"]+)"', line)
                 for line in calls if " = -1 " not in line)
        paths = {pathlib.Path(os.path.normpath(pathlib.Path(match[1] or folder) / match[2])) for match in found if match}
    return {path for path in paths if path.is_relative_to(root) and path.is_file()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=pathlib.Path, default=real_programs.ROOT / "build/real", help="where they were built")
    parser.add_argument("--only", default="", help="regular expression: the programs to pack")
    parser.add_argument("archive", type=pathlib.Path)
    options = parser.parse_args()
    work, files = options.work.resolve(), set()
    for program in real_programs.programs():
        built = real_programs.stamp(work, program)
        if not program["where"] or not re.search(options.only, program["name"]) or not built.exists():
            continue
        try:
            needed = opened_by(program["run"], work / program["of"] / program.get("folder", ""), work)
        except subprocess.TimeoutExpired:
            print(f"{program['name']}: left out, it takes too long here", flush=True)
            continue
        files |= needed | {built}
        print(f"{program['name']}: {len(needed)} files", flush=True)
    if not files:
        sys.exit(f"pack.py: no program was built in {work}; real_programs.py builds them")
    listed = "\n".join(sorted(str(path.relative_to("/")) for path in files))
    subprocess.run(["tar", "-C", "/", "-chJf", options.archive, "-T", "-"], input=listed, text=True, check=True)
    print(f"{options.archive}: {len(files)} files, {options.archive.stat().st_size / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
