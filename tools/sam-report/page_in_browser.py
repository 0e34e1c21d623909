#!/usr/bin/env python3
"""A report's page as a browser shows it: drawn by headless Chromium in a wide and a narrow window, by day and by night, and
looked at. Exit code 77: there is no such browser."""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile
import zlib

BROWSERS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
WIDE, NARROW, HEIGHT = 1120, 500, 1100
# As kStyle in tools/sam-report/page.cc has them. A key of the legend has 121 pixels, a block more or less.
LIGHT = {"page": (255, 255, 255), "kernels": (0x2F, 0x6F, 0xB2), "uploads": (0x3A, 0x8F, 0x4D), "downloads": (0xC0, 0x7A, 0x16)}
DARK = {"page": (0x12, 0x17, 0x1E), "kernels": (0x6A, 0xA5, 0xE6), "uploads": (0x6F, 0xC0, 0x83), "downloads": (0xE0, 0xA5, 0x52)}
MORE_THAN_A_KEY = 1000
DEVICES = 4

# Put into a copy of the page: what the browser made of it, as text of the page.
MEASURE = """<script>
const box = e => e.getBoundingClientRect();
const over = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
const texts = [...document.querySelectorAll("svg text")].map(box);
document.body.innerHTML += "<pre id=measured>" + JSON.stringify({
  width: document.documentElement.scrollWidth, window: innerWidth,
  drawn: [...document.querySelectorAll("svg rect:not(.lane)")].filter(e => box(e).width > 0 && box(e).height > 0).length,
  overlapping: texts.flatMap((a, i) => texts.slice(i + 1).filter(b => over(a, b))).length,
  outside: texts.filter(t => t.left < box(document.querySelector("svg")).left || t.right > box(document.querySelector("svg")).right).length,
}) + "</pre>";
</script></body>"""


def pixels(png):
    """How often each colour occurs in a PNG of 8 bits per channel, not interlaced."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n", "no PNG"
    at, data = 8, b""
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        chunk = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", chunk)
            assert depth == 8 and colour in (2, 6) and not interlaced, "a PNG of another kind than Chromium's"
        elif kind == b"IDAT":
            data += chunk
        at += 12 + length
    step = 3 if colour == 2 else 4
    data, size = zlib.decompress(data), width * step
    above, found = bytearray(size), collections.Counter()
    for y in range(height):
        kind, row = data[y * (size + 1)], bytearray(data[y * (size + 1) + 1 : (y + 1) * (size + 1)])
        if kind:
            for i in range(size):
                left, up, corner = (row[i - step], above[i], above[i - step]) if i >= step else (0, above[i], 0)
                if kind == 1:
                    guess = left
                elif kind == 2:
                    guess = up
                elif kind == 3:
                    guess = (left + up) // 2
                else:
                    estimate = left + up - corner
                    guess = min((left, up, corner), key=lambda value: abs(estimate - value))
                row[i] = (row[i] + guess) & 255
        found.update(zip(*(row[channel::step] for channel in range(3))))
        above = row
    return width, height, found


def a_report():
    moved = {"uploaded_bytes": 3 << 30, "downloaded_bytes": 5 << 20, "copied_bytes": 0, "upload_ns": 10**8, "download_ns": 10**6}
    kernel = {"split_launches": 8, "devices": DEVICES, "slices": 0, "why_not_more": "", "launch_ns": 3 * 10**6, "merge_ns": 5000,
              "predicted_launches": 4, "predicted_ns": 8 * 10**5, "took_ns": 10**6, **moved}
    names = ["smooth", "_Z" + "StencilWithALongName" * 4]
    return {"format": "samcl-report 1", "program": "camera", "wall_ns": 25 * 10**8,
            "kernels": [{"name": name, "launches": count + 9, **kernel} for count, name in enumerate(names)]
            + [{"name": "show", "launches": 3, **kernel, "split_launches": 0, "why_not_more": "it calls \"printf\", " * 5}],
            "devices": [{"index": index, **moved} for index in range(DEVICES)]}


def a_trace():
    """Each device uploads, computes and downloads for a third of the time each."""
    events = []
    for device in range(DEVICES):
        for third, (lane, what) in enumerate((("up", "upload"), ("compute", "smooth"), ("down", "download"))):
            row = {"pid": 1, "tid": 3 * device + third}
            events += [{"ph": "M", "name": "thread_name", **row, "ts": 0, "args": {"name": f"device {device}: {lane}"}},
                       {"ph": "X", "name": what, **row, "ts": 1000.0 * third, "dur": 1000.0, "cat": "operation", "args": {"bytes": 4}}]
    return events


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sam_report", metavar="SAM-REPORT")
    parser.add_argument("--keep", metavar="DIRECTORY", help="leave page and pictures there")
    options = parser.parse_args()
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if not browser:
        print("no page is looked at: none of " + ", ".join(BROWSERS) + " is installed")
        return 77

    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(options.keep or name).resolve()
        report, trace, page, measured_page = (folder / file for file in ("r.json", "t.json", "page.html", "measured.html"))

        def run(*command):
            done = subprocess.run([str(word) for word in command], env={**os.environ, "HOME": name}, capture_output=True,
                                  text=True, timeout=60)
            assert done.returncode == 0, f"{command} ends with {done.returncode}: {done.stderr}"
            return done.stdout

        def browse(file, *more):
            return run(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *more, file.as_uri())

        report.write_text(json.dumps(a_report()))
        trace.write_text("[\n" + ",\n".join(json.dumps(event, separators=(",", ":")) for event in a_trace()) + "\n]\n")
        run(options.sam_report, report, "--trace", trace, "-o", page)

        for scheme, colours in enumerate((DARK, LIGHT)):
            picture = folder / f"page.{scheme}.png"
            browse(page, f"--screenshot={picture}", f"--window-size={WIDE},{HEIGHT}",
                   f"--blink-settings=preferredColorScheme={scheme}")
            width, height, found = pixels(picture.read_bytes())
            assert (width, height) == (WIDE, HEIGHT), f"a picture of {width} x {height}"
            for what in ("kernels", "uploads", "downloads"):
                assert found[colours[what]] > MORE_THAN_A_KEY, f"{found[colours[what]]} pixels of {what} in {colours}"
            ground = found[colours["page"]]
            assert ground == max(found.values()) and ground < 0.97 * width * height, f"{ground} pixels show nothing"

        measured_page.write_text(page.read_text().replace("</body>", MEASURE))
        for wanted in (WIDE, NARROW):
            dom = browse(measured_page, "--dump-dom", f"--window-size={wanted},{HEIGHT}")
            measured = json.loads(re.search(r'<pre id="measured">(.*?)</pre>', dom).group(1))
            assert measured["width"] <= measured["window"], f"the page is wider than its window: {measured}"
            assert measured["drawn"] == 3 * DEVICES, f"not all is drawn: {measured}"
            assert measured["overlapping"] == 0 and measured["outside"] == 0, f"labels are not to be read: {measured}"
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
