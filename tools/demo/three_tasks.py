#!/usr/bin/env python3
"""Three periodic tasks on two devices under a manager: each task on one device, then each split over both.

usage: sam-run --manager embedded -- three_tasks.py BIN_FOLDER
"""

import pathlib
import subprocess
from dataclasses import dataclass

import programs

SECONDS = 10  # of each of the two runs


@dataclass
class Task:
    program: str
    arguments: list
    priority: int  # larger is more urgent; here by rate, the shortest period first
    utilization: float  # share of one device that it needs
    deadline: float  # share of its time on one device, or None: the period
    device: str  # where it runs when it runs on one
    cost_ms: float = 0  # of a job on one device, measured

    def period_ms(self):
        return self.cost_ms / self.utilization

    def deadline_ms(self):
        return self.cost_ms * self.deadline if self.deadline else self.period_ms()


TASKS = [
    Task("Filter", ["--width", 1024, "--height", 768], 30, 0.25, None, "1"),
    Task("KNearest", ["--points", 20000, "--queries", 4096], 20, 0.25, None, "1"),
    # Its deadline is shorter than its execution time on one device: no scheduling can help, only a second one.
    Task("MatrixMultiplication", ["--rows", 512, "--inner", 512, "--columns", 512], 10, 0.4, 0.9, "0"),
]


def measure(bin_folder, task):
    answer, _ = programs.run(bin_folder, task.program, [*task.arguments, "--iterations", 5],
                             ["--devices", task.device, "--manager", "off"])
    task.cost_ms = programs.median_ms(answer)


def register(bin_folder, task, gpus):
    line = [str(pathlib.Path(bin_folder) / "sam-ctl"), "register", task.program, "--priority", str(task.priority),
            "--period", f"{task.period_ms():.3f}ms", "--deadline", f"{task.deadline_ms():.3f}ms", "--gpus", str(gpus)]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        raise programs.Failed(f"{' '.join(line)} failed with exit code {done.returncode}:\n{done.stdout}{done.stderr}")


def start(bin_folder, task, devices, gpus):
    jobs = max(3, round(SECONDS * 1000 / task.period_ms()))
    arguments = [*task.arguments, "--period", f"{task.period_ms():.3f}", "--deadline", f"{task.deadline_ms():.3f}",
                 "--jobs", jobs]
    line = programs.command(bin_folder, task.program, arguments,
                            ["--task", task.program, "--devices", devices, "--gpus", str(gpus)])
    return subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_all(bin_folder, gpus):
    """All tasks at once, each on `gpus` devices; their results in the order of TASKS."""
    for task in TASKS:
        register(bin_folder, task, gpus)
    running = [start(bin_folder, task, task.device if gpus == 1 else "0,1", gpus) for task in TASKS]
    ended = [process.communicate() for process in running]
    return [programs.result(task.program, process.returncode, *output)
            for task, process, output in zip(TASKS, running, ended)]


def print_table(results):
    print(f"   {'task':22}{'priority':>8}{'period':>10}{'deadline':>10}{'jobs':>6}"
          f"{'response: median':>18}{'worst':>11}{'misses':>8}")
    for task, answer in zip(TASKS, results):
        times = answer["periodic"]
        print(f"   {task.program:22}{task.priority:8}{task.period_ms():7.1f} ms{task.deadline_ms():7.1f} ms"
              f"{len(times['responses_ms']):6}{times['median_ms']:15.1f} ms{times['max_ms']:8.1f} ms"
              f"{times['misses']:8}")


def demo(bin_folder):
    print("\n2. Three periodic tasks under a manager, which grants the devices by fixed priority\n")
    for task in TASKS:
        measure(bin_folder, task)
        print(f"   {task.program}: {task.cost_ms:.1f} ms alone on one device")
    print("\n   Each task on one device:\n")
    print_table(run_all(bin_folder, 1))
    print("\n   Each task split over both devices:\n")
    print_table(run_all(bin_folder, 2))
    print("\n   The deadline of MatrixMultiplication is shorter than the time one device needs for it: it can be\n"
          "   met only by splitting. It holds up the more urgent tasks by no more than a slice or chunk at a time.")


if __name__ == "__main__":
    programs.main(demo)
