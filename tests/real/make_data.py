#!/usr/bin/env python3
"""Writes small input files for programs whose own lie elsewhere (Rodinia's, Hetero-Mark's, Parboil's, clSPARSE's), the same each time.
With --large others, of sizes that fill a GPU, unless FOLDER is there.

usage: make_data.py [--large] FOLDER
"""

import array
import pathlib
import random
import struct
import sys


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{row}\n" for row in rows))


def floats(count, chance):
    return array.array("f", (chance.random() for _ in range(count))).tobytes()


def hotspot(folder, size, count, chance):
    for what, low, high in (("temp", 320, 330), ("power", 0, 0.01)):
        lines(folder / "hotspot" / f"{what}_{size}", (f"{chance.uniform(low, high):.6f}" for _ in range(count)))


def graph(path, nodes, degree, chance):
    lines(path, [nodes, *(f"{node * degree} {degree}" for node in range(nodes)), "", 0, "", nodes * degree,
                 *(f"{chance.randrange(nodes)} 1" for _ in range(nodes * degree))])


def make_large(folder, chance):
    hotspot(folder, "1024", 1024 * 1024, chance)
    hotspot(folder, "512x8", 512 * 512 * 8, chance)
    graph(folder / "graph.txt", 1 << 20, 6, chance)
    (folder / "stencil.bin").write_bytes(floats(1 << 16, chance) * 256)
    (folder / "mri-q.bin").write_bytes(struct.pack("ii", 2048, 1 << 18) + floats(5 * 2048 + 3 * (1 << 18), chance))


def make_parboil(folder, chance):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stencil.bin").write_bytes(floats(64 * 64 * 16, chance))
    (folder / "mri-q.bin").write_bytes(struct.pack("ii", 512, 4096) + floats(5 * 512 + 3 * 4096, chance))
    (folder / "fft.bin").write_bytes(floats(2 * 256 * 64, chance))
    for name in ("frame1.bin", "frame2.bin"):
        pixels = array.array("h", (chance.randrange(256) for _ in range(176 * 144)))
        (folder / name).write_bytes(struct.pack("HH", 176, 144) + pixels.tobytes())
    for name, rows, columns in (("a.txt", 128, 96), ("b.txt", 96, 160), ("bt.txt", 160, 96)):
        lines(folder / name, [f"{rows} {columns}", " ".join(f"{chance.random():.4f}" for _ in range(rows * columns))])
    for i in range(4):
        lines(folder / f"points{i}.txt", (f"{chance.uniform(0, 360):.5f} {chance.uniform(-60, 60):.5f}" for _ in range(512)))
    lines(folder / "atoms.pqr", (f"ATOM {i} O HOH {i} {chance.uniform(0, 30):.3f} {chance.uniform(0, 30):.3f} "
                                 f"{chance.uniform(0, 30):.3f} {chance.uniform(-1, 1):.4f} 1.0" for i in range(500)))


def main():
    words = sys.argv[1:]
    is_large = words[:1] == ["--large"]
    if len(words) != 1 + is_large:
        sys.exit(__doc__.strip())
    folder, chance = pathlib.Path(words[-1]), random.Random(1)
    if is_large:
        if not folder.exists():
            make_large(folder, chance)
        return
    hotspot(folder, "128", 128 * 128, chance)
    hotspot(folder, "64x4", 64 * 64 * 4, chance)
    graph(folder / "graph.txt", 8192, 5, chance)
    lines(folder / "tree.txt", [20000, *chance.sample(range(1, 1 << 30), 20000)])
    lines(folder / "commands.txt", ["j 512 4000", "", "", "k 2048"])
    hurricanes = (f"{1950 + i % 50} {1 + i % 12:2} {1 + i % 28:2} {i % 24:2} {i % 97:2} NAME{i % 1000:06d} "
                  f"{chance.uniform(5, 70):4.1f} {chance.uniform(10, 350):5.1f} {i % 150:4} {i % 900:4}" for i in range(20000))
    lines(folder / "cane.db", hurricanes)
    lines(folder / "filelist.txt", ["cane.db"])
    (folder / "image.pgm").write_text("P2\n502 458\n255\n" + "\n".join(str(chance.randrange(256)) for _ in range(502 * 458)) + "\n")
    (folder / "image.bmp").write_bytes(bytes(chance.randrange(256) for _ in range(512 * 512 * 3)))
    lines(folder / "hexadecimal.txt", ["".join(chance.choice("0123456789abcdef") for _ in range(65536))])
    lines(folder / "bases.txt", ["".join(chance.choice("ACGT") for _ in range(count)) for count in (64, 4096)])
    make_parboil(folder / "parboil", chance)
    size, entries = 416, {(i, i): 5.0 for i in range(416)}
    for _ in range(1600):
        i, j = chance.randrange(size), chance.randrange(size)
        if i != j:
            entries[i, j] = entries[j, i] = chance.uniform(-0.3, 0.3)
    lines(folder / "matrix.mtx", ["%%MatrixMarket matrix coordinate real general", f"{size} {size} {len(entries)}",
                                  *(f"{i + 1} {j + 1} {value:.6f}" for (i, j), value in sorted(entries.items()))])


if __name__ == "__main__":
    main()
