#!/usr/bin/env python3
"""One unmodified program, first without samcl, then on two devices: same bytes, less time.

usage: one_program.py BIN_FOLDER
"""

import programs

PROGRAM = "MatrixMultiplication"
JOB_MS = 400  # on one device; the matrices are made as large as that takes


def size_arguments(n):
    return ["--rows", n, "--inner", n, "--columns", n]


def calibrated_size(bin_folder):
    """Rows and columns so that a job takes about JOB_MS on one device of this machine."""
    n = 256
    answer, _ = programs.run(bin_folder, PROGRAM, [*size_arguments(n), "--iterations", 3])
    scaled = n * (JOB_MS / programs.median_ms(answer)) ** (1 / 3)
    return max(64, min(2048, round(scaled / 32) * 32))


def demo(bin_folder):
    n = calibrated_size(bin_folder)
    arguments = [*size_arguments(n), "--iterations", 5]
    print(f"\n1. One program, two devices: {PROGRAM} of {n} x {n} matrices, which knows nothing of samcl\n")
    bare, _ = programs.run(bin_folder, PROGRAM, arguments)
    split, report = programs.run(bin_folder, PROGRAM, arguments, ["--devices", "0,1", "--report"])
    for label, answer in (("without samcl", bare), ("under sam-run", split)):
        print(f"   {label:15}{programs.median_ms(answer):9.1f} ms per job   checksum {answer['checksum']}")
    if bare["checksum"] != split["checksum"]:
        raise programs.Failed("the results differ")
    print(f"\n   The same bytes, in {programs.median_ms(split) / programs.median_ms(bare):.2f} of the time. "
          "sam-run --report says what ran where:\n")
    print("\n".join("   " + line for line in report.rstrip().splitlines()))


if __name__ == "__main__":
    programs.main(demo)
