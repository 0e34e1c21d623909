import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import samcl_analysis as samcl

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def python_with_matplotlib():
    """This one, or the system's (Debian's python3-matplotlib); None if neither has it."""
    return next((python for python in (sys.executable, "/usr/bin/python3")
                 if subprocess.run([python, "-c", "import matplotlib, samcl_analysis"], check=False, capture_output=True).returncode == 0), None)


def example(name):
    return json.loads((EXAMPLES / f"{name}.json").read_text())


class Bounds(unittest.TestCase):
    def test_are_those_of_the_command(self):
        self.assertEqual(samcl.rta(example("early_finish"))["tasks"][1]["response"], 11)
        published = samcl.rta(example("early_finish"), form="gpu-sam")
        self.assertEqual(published["tasks"][1]["response"], 10)
        self.assertFalse(published["tasks"][1]["proven"])

    def test_of_all_tasks_together_are_not_above(self):
        alone, together = (samcl.rta(example("three_programs"), form=form)["tasks"] for form in ("safe", "together"))
        self.assertTrue(all(b["response"] <= a["response"] for a, b in zip(alone, together)))
        self.assertTrue(any(b["response"] < a["response"] for a, b in zip(alone, together)))

    def test_of_graphs_and_of_chains_of_stages(self):
        vision = samcl.dag(example("graphs"))["tasks"][0]
        self.assertEqual((vision["paths"], vision["own"]["gpus"]), (43_666_667, 1))
        self.assertEqual(samcl.dag(example("early_finish"))["tasks"][0]["paths"], 10)

    def test_other_modes_than_the_sets(self):
        one = samcl.rta(example("gpu_sparc_fig1"), modes=[1, 1, 1])
        self.assertEqual([task["mode"] for task in one["tasks"]], [1, 1, 1])

    def test_what_makes_no_sense_is_named(self):
        broken = example("early_finish")
        broken["tasks"][0]["deadline"] = -1
        with self.assertRaisesRegex(ValueError, 'task "P1", deadline: -1 ns, expected 1 to the period, 12'):
            samcl.rta(broken)
        with self.assertRaisesRegex(ValueError, "form: 'fast', expected one of safe, gpu-sam, gpu-sparc"):
            samcl.rta(example("early_finish"), form="fast")


class Choices(unittest.TestCase):
    def test_make_the_example_schedulable(self):
        modes, schedulable = samcl.choose_modes(example("three_programs"))
        self.assertEqual(len(modes), 3)
        self.assertTrue(schedulable)


class Access(unittest.TestCase):
    def test_the_published_example(self):
        found = samcl.access(example("gcaps_fig5"), "gcaps-published", update=1_000_000)
        self.assertFalse(found["schedulable"])
        self.assertEqual([task["name"] for task in found["tasks"] if task["response"] is None], ["T4"])

    def test_numbers_beyond_the_proof_are_told(self):
        first = samcl.access(example("gcaps_fig5"), "mpcp", update=1_000_000)["tasks"][0]
        self.assertIsNone(first["response"])
        self.assertEqual(first["beyond_proof"], 195_000_000)

    def test_partitions(self):
        self.assertEqual(samcl.partition(example("partitions"))[0], 2)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, "expected its own for jitter"):
            samcl.access(example("gcaps_fig5"), "jitter")
        for cost in ({"update": 2**62}, {"slice": 0}, {"switching": -1}):
            with self.assertRaisesRegex(ValueError, "expected [01] to 35184372088832"):
                samcl.access(example("gcaps_fig5"), "mpcp", **cost)


class Locking(unittest.TestCase):
    def test_is_that_of_the_command_for_both_kinds_of_sets(self):
        own = samcl.locking(example("shared_gpu"))
        self.assertEqual(own["shared_resource"]["protocols"][0]["tasks"][2]["blocking"], 16_000_000)
        stages = {"platform": {"cpus": 4, "gpus": 1}, "tasks": []}
        for task in example("shared_gpu")["tasks"]:
            shares = [{"resource": "PCI", "worst": "2ms"}, {"resource": "GPU", "worst": "2ms"}]
            cpu = {"resource": "CPU", "worst": "1ms" if "gpu" in task else "5ms"}
            stages["tasks"].append({"name": task["name"], "period": "30ms", "stages": [cpu, *(shares if "gpu" in task else [])]})
        self.assertEqual(samcl.locking(stages), own)


class Experiments(unittest.TestCase):
    def test_what_no_set_can_have_is_named(self):
        for wrong in (9, -1, float("nan")):
            with self.assertRaisesRegex(ValueError, "gpu_utilisation: .*, expected 0 to 8"):
                samcl.paper_set(wrong, seed=1)
        with self.assertRaisesRegex(ValueError, "utilisation: 5, expected 0 to 1"):
            samcl.access_set(5, seed=1)

    def test_the_same_seed_gives_the_same_set(self):
        self.assertEqual(samcl.paper_set(1.0, seed=3), samcl.paper_set(1.0, seed=3))
        self.assertNotEqual(samcl.access_set(0.5, seed=3), samcl.access_set(0.5, seed=4))

    def test_the_figure_tells_how_to_get_it_again(self):
        figure = pathlib.Path(__file__).with_name("figure.py")
        code = [line for line in figure.read_text().splitlines() if line and not line.startswith('"""')]
        self.assertEqual(len(code), 10)
        python = python_with_matplotlib()
        if not python:
            self.skipTest("no Python with matplotlib")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([python, figure], cwd=folder, check=True, capture_output=True)
            picture = (pathlib.Path(folder) / "shares.svg").read_text()
        record = json.loads(done.stdout)
        self.assertEqual(record, samcl.record(record["what"], 1_000_000, record["result"]))
        self.assertEqual(record["samcl"], samcl.__version__)
        self.assertEqual(len(record["sha256"]), 64)
        sets = [samcl.ways(samcl.access_set(0.4, seed)) for seed in range(1_000_000, 1_000_100)]
        for way, shares in record["result"].items():
            self.assertEqual(shares[2], sum(good[way] for good in sets) / 100)
            self.assertIn(f"<!-- {way} -->", picture)


if __name__ == "__main__":
    unittest.main()
