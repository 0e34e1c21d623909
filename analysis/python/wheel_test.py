"""pip installs the module into an environment of its own, from what lies built, and it counts there."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "backend"))
import cmake_wheel as backend  # noqa: E402

BUILD = sys.argv.pop(1)


class Wheel(unittest.TestCase):
    def test_is_installed_by_pip_and_counts_shares(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            made = subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", folder / "venv"], capture_output=True, text=True, check=False)
            if made.returncode != 0:
                self.skipTest("no environment without python3-venv: " + made.stdout)
            python = folder / "venv/bin/python"
            done = subprocess.run([python, "-m", "pip", "install", "--no-index", "--config-settings", f"build={BUILD}", HERE],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            wrong = subprocess.run([python, "-m", "pip", "install", "--no-index", "--config-settings", "build=no/such", HERE],
                                   capture_output=True, text=True, check=False)
            self.assertNotEqual(wrong.returncode, 0)
            self.assertIn("no/such: no configured build", wrong.stdout + wrong.stderr)
            backend.configure(folder / "own")  # as without a build
            self.assertIn("SAMCL_ONLY_PYTHON:BOOL=ON", (folder / "own/CMakeCache.txt").read_text())
            where = subprocess.run([python, "-c", "import samcl_analysis; print(samcl_analysis.__file__)"], cwd=folder, capture_output=True, text=True,
                                   check=True)
            self.assertTrue(where.stdout.startswith(str(folder)), where.stdout)
            count = "import samcl_analysis as samcl; print(samcl.ways(samcl.access_set(0.2, seed=1))['partitions'])"
            counted = subprocess.run([python, "-c", count], cwd=folder, capture_output=True, text=True, check=True)
            self.assertEqual(counted.stdout, "True\n")


unittest.main()
