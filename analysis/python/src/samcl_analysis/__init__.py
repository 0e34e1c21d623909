"""Response times of GPU tasks: samcl's analyses as functions.

Task sets are dictionaries, with the fields of analysis/README.md (the JSON files that sam-analyze reads), times in
nanoseconds or as text with a unit. What makes no sense raises ValueError, which says where and what was expected.
"""

import hashlib
import json

from . import _samcl_analysis as _native

__version__ = _native.version


def rta(task_set, form="safe", modes=None):
    """Bounds by `form` (safe, together, gpu-sam, gpu-sparc), as `sam-analyze rta --json` prints them."""
    return json.loads(_native.rta(json.dumps(task_set), form, modes))


def choose_modes(task_set, policy="search", form="safe"):
    """On how many GPUs each task should run, and whether all meet their deadlines then."""
    return _native.choose_modes(json.dumps(task_set), policy, form)


def access(task_set, analysis, **costs):
    """Bounds of tasks that stay on their CPUs, by one analysis, as `sam-analyze access --json` prints them.

    `analysis` as for `sam-analyze access`; costs in nanoseconds: update, slice, switching; server_cpu.
    """
    return json.loads(_native.access(json.dumps(task_set), analysis, **costs))


def locking(task_set, speed_ups=(2, 4, 8, 16)):
    """Verdicts on GPUs shared under global EDF, as `sam-analyze locking --json` prints them."""
    return json.loads(_native.locking(json.dumps(task_set), list(speed_ups)))


def dag(task_set):
    """Bounds of tasks whose jobs are graphs, and processors of their own, as `sam-analyze dag --json` prints them."""
    return json.loads(_native.dag(json.dumps(task_set)))


def partition(task_set, analysis="unified"):
    """How many parts of the GPU each task needs for itself, or None."""
    return _native.partition(json.dumps(task_set), analysis)


def ways(task_set):
    """Which ways to share one GPU make the set schedulable, at the costs of `sam-analyze experiment access`."""
    return _native.ways(json.dumps(task_set))


def paper_set(gpu_utilisation, seed, classes=True, dependency=0.0):
    """A random set as in GPU-SAM's experiments: tasks until the GPU utilisation is above the given one."""
    return json.loads(_native.paper_set(gpu_utilisation, seed, classes, dependency))


def access_set(utilisation, seed):
    """A random set as in GCAPS' experiments, of this utilisation of each of four CPUs."""
    return json.loads(_native.access_set(utilisation, seed))


def record(what, seed, result):
    """A result with what it takes to get it again: the version, the seed, and a hash of the result's JSON."""
    text = json.dumps(result, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()
    return {"what": what, "samcl": __version__, "seed": seed, "sha256": digest, "result": result}
