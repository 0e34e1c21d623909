#!/usr/bin/env python3
"""Checks that the files which the documentation names are there.

A file is what stands in backquotes with a slash and an ending of a source. It is looked for from the repository's root, from
beside the text, and in the folders whose rooms the texts name by their last part. NAME stands for any.

  paths.py    exit code 0: all are there; 1: those that are not are printed
"""

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
NAMED = re.compile(r"`(?![^`]*NAME)((?:[\w.-]+/)+[\w.-]+\.(?:h|cc|py|sh|md|def|cmake))`")
BELOW = ["", "analysis", "libsamcl", "sam-manager"]


def main():
    missing = 0
    for text in subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split():
        with open(os.path.join(ROOT, text), encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                for path in NAMED.findall(line):
                    if not any(os.path.exists(os.path.join(ROOT, place, path)) for place in BELOW + [os.path.dirname(text)]):
                        print(f"{text}:{number}: there is no {path}")
                        missing += 1
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
