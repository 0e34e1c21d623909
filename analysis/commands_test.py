"""Every command that PAPERS.md and the READMEs of analysis/ print does what it says: it runs, with a file where they say FILE.

Experiments run on a few sets; what takes a while whatever it is told is left out by name.
"""

import argparse
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FILES = {"rta": "three_programs", "simulate": "gpu_sparc_fig1", "modes": "three_programs", "convert": "early_finish", "compare": "shared_gpu",
         "locking": "shared_gpu", "dbf": "recurring", "dag": "graphs", "access": "gcaps_fig5"}
# A trace, an OpenCL source, a configuration; graphs of thousands of vertices; solvers that are given seconds.
LEFT_OUT = ("check TRACE", "--kernel", "--config", "experiment nunna", "experiment berezovskyi", "[", "...", "fig7|fig8")
WORDS = {"W": "3", "N": "2", "STRING": "LLCLL", "FILE": "lp.txt"}  # of makespan
MANY = re.compile(r"--sets \d+")


def commands():
    """(where, command), as printed."""
    for path in [HERE / "PAPERS.md", *sorted(HERE.glob("**/README.md"))]:
        for number, line in enumerate(path.read_text().splitlines(), 1):
            where = f"{path.relative_to(HERE)}:{number}"
            if line.startswith("    sam-"):
                yield where, line.split("#")[0].strip().removeprefix("sam-analyze ")
            elif path.name == "PAPERS.md" and line.count("|") > 4:
                for quoted in re.findall(r"`([^`]*)`", line.split("|")[-3]):
                    if quoted.split()[0] in [*FILES, "makespan", "experiment"]:
                        yield where, quoted


def runnable(command):
    """The words to run, of few sets."""
    command = MANY.sub("", command)
    words = shlex.split(command)
    draws = words[0] == "sam-plot"
    words = words[2:] if draws else words
    for n, word in enumerate(words):
        if word.startswith("analysis/examples/"):
            words[n] = str(HERE.parent / word)
        elif words[0] == "makespan":
            words[n] = WORDS.get(word, word)
        elif word == "FILE":
            words[n] = str(HERE / "examples" / f"{FILES[words[0]]}.json")
    if words[0] == "experiment":
        words += ["--sets", "2"]
    if words[0] == "simulate" and "--at-once" not in words:
        words += ["--search", "5"]
    return [str(BUILD / "sam-plot"), "--run", *words] if draws else [str(BUILD / "sam-analyze"), *words]


class Commands(unittest.TestCase):
    def test_run_as_printed(self):
        run = 0
        for where, command in commands():
            if any(left_out in command for left_out in LEFT_OUT):
                continue
            with self.subTest(where=where, command=command), tempfile.TemporaryDirectory() as folder:
                done = subprocess.run(runnable(command), cwd=folder, capture_output=True, text=True, check=False, timeout=120)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                self.assertTrue(done.stdout)
            run += 1
        self.assertGreater(run, 60, "the commands are where this looks for them")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, required=True, help="folder with sam-analyze and sam-plot")
    options, rest = parser.parse_known_args()
    BUILD = options.build.resolve()
    unittest.main(argv=["commands_test.py", *rest])
