"""sam-plot as a user runs it: pictures of curves, and what it says of files that have none."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CURVES = {
    "origin": {"version": "1", "what": "some sets, seed 7", "hash": "0"},
    "columns": 2,
    "charts": [
        {"title": f"chart {n}", "axis": "x", "ticks": [0, 1], "measure": "share", "bottom": 0, "top": 1, "logarithmic": False,
         "curves": [{"name": "one", "points": [[0, 1], [1, 0.5]]}, {"name": "the same", "points": [[0, 1], [1, 0.5]]}]}
        for n in (1, 2, 3)
    ],
}


class SamPlot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        (self.path / "a.json").write_text(json.dumps(CURVES))

    def plot(self, *arguments, program=None):
        return subprocess.run([program or SAM_PLOT, *arguments], cwd=self.path, capture_output=True, text=True, check=False)

    def test_draws_every_chart_and_the_same_picture_again(self):
        done = self.plot("a.json")
        self.assertEqual((done.returncode, done.stdout), (0, "a.svg\n"), done.stderr)
        picture = (self.path / "a.svg").read_text()
        for title in ("chart 1", "chart 2", "chart 3", "the same"):
            self.assertIn(f"<!-- {title} -->", picture)
        self.assertIn("some sets, seed 7", picture)
        self.assertEqual(self.plot("--out", "b.svg", "a.json").returncode, 0)
        self.assertEqual((self.path / "b.svg").read_text(), picture)

    def test_coinciding_curves_differ_in_dashes(self):
        self.plot("a.json")
        lines = [line for line in (self.path / "a.svg").read_text().splitlines() if "stroke: #e69f00" in line]
        self.assertTrue(any("stroke-dasharray" in line for line in lines), lines)

    def test_says_where_a_chart_has_nothing_to_show(self):
        empty = json.loads(json.dumps(CURVES))
        for curve in empty["charts"][1]["curves"]:
            curve["points"] = []
        (self.path / "e.json").write_text(json.dumps(empty))
        self.assertEqual(self.plot("e.json").returncode, 0)
        self.assertEqual((self.path / "e.svg").read_text().count("<!-- nothing was counted here -->"), 1)

    def test_writes_other_formats(self):
        self.assertEqual(self.plot("--out", "a.png", "a.json").returncode, 0)
        picture = (self.path / "a.png").read_bytes()
        self.assertEqual(picture[:4], b"\x89PNG")
        self.assertIn(b"some sets, seed 7", picture)
        self.assertEqual(self.plot("--out", "a.pdf", "a.json").returncode, 0)

    def test_draws_what_sam_analyze_has_written(self):
        program = self.path / "sam-plot"
        shutil.copy(SAM_PLOT, program)
        analyze = self.path / "sam-analyze"
        analyze.write_text('#!/bin/sh\necho "asked: $*"\necho "Written: a.csv, a.json"\nexit 1\n')
        analyze.chmod(0o755)
        done = self.plot("--run", "experiment", "fig9", "--sets", "5", program=program)
        self.assertEqual(done.stdout, "asked: experiment fig9 --sets 5\nWritten: a.csv, a.json\na.svg\n", done.stderr)
        analyze.write_text("#!/bin/sh\nexit 2\n")
        self.assertIn("exit code 2", self.plot("--run", "x", program=program).stderr)
        analyze.write_text("#!/bin/sh\n")
        self.assertIn("wrote no curves", self.plot("--run", "x", program=program).stderr)

    def test_names_what_is_wrong(self):
        (self.path / "b.json").write_text("{}")
        (self.path / "c.json").write_text("{")
        (self.path / "d.json").write_text('{"columns": 0, "charts": [{}]}')
        (self.path / "e.json").write_text('{"charts": [{"title": "t", "curves": 3}]}')
        for arguments, words in ((("no.json",), "no.json: No such file"), (("b.json",), 'b.json: no "charts"'),
                                 (("c.json",), "c.json: no JSON"), ((), "expected FILE.json"),
                                 (("d.json",), "d.json: \"charts\" are not as"), (("e.json",), "e.json: \"charts\" are not as"),
                                 (("--colour",), "--colour: unknown"), (("--out",), "--out: expected a value"),
                                 (("--out", "x.svg", "a.json", "b.json"), "one picture, but there are 2 files"),
                                 (("--out", "x.what", "a.json"), "x.what")):
            done = self.plot(*arguments)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--sam-plot", required=True)
    known, rest = parser.parse_known_args()
    SAM_PLOT = str(pathlib.Path(known.sam_plot).resolve())
    unittest.main(argv=[sys.argv[0], *rest])
