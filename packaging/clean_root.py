#!/usr/bin/env python3
"""Makes a root directory like that of a fresh Debian, without a network: the essential packages and those named, with all
that they depend on and nothing else, copied from this system's. As root.

usage: clean_root.py DIRECTORY PACKAGE-OR-.DEB-FILE..."""

import pathlib
import re
import subprocess
import sys

DPKG = pathlib.Path("/var/lib/dpkg")


def installed():
    """Every installed package's fields, by the names it goes by."""
    by_name = {}
    for paragraph in (DPKG / "status").read_text().split("\n\n"):
        fields = dict(re.findall(r"^([A-Za-z-]+): *(.*(?:\n[ \t].*)*)", paragraph, re.M))
        if not fields.get("Status", "").endswith(" installed"):
            continue
        fields["paragraph"] = paragraph
        for name in [fields["Package"], *names_in(fields.get("Provides", ""))]:
            if name == fields["Package"] or name not in by_name:
                by_name[name] = fields
    return by_name


def names_in(relation):
    return [re.match(r"[^ (:]+", part.strip()).group() for part in re.split("[,|]", relation) if part.strip()]


def closure(wanted, by_name):
    """The packages with all that they depend on; of alternatives the first one that is here."""
    found, open_ends = {}, [[name] for name in wanted]
    while open_ends:
        alternatives = open_ends.pop()
        fields = next((by_name[name] for name in alternatives if name in by_name), None)
        if not fields:
            raise SystemExit("clean_root.py: not installed here: " + " or ".join(alternatives))
        if fields["Package"] in found:
            continue
        found[fields["Package"]] = fields
        for relation in (fields.get("Pre-Depends", ""), fields.get("Depends", "")):
            open_ends += [names_in(part) for part in relation.split(",") if part.strip()]
    return found


def info_files(package, architecture):
    for name in (package, f"{package}:{architecture}"):
        yield from (file for file in (DPKG / "info").glob(name + ".*") if file.stem == name)


def main(directory, *wanted):
    by_name, root = installed(), pathlib.Path(directory)
    names = [fields["Package"] for fields in by_name.values() if fields.get("Essential") == "yes"]
    for name in wanted:
        if not name.endswith(".deb"):
            names.append(name)
            continue
        depends = subprocess.run(["dpkg-deb", "-f", name, "Depends"], check=True, capture_output=True, text=True).stdout
        # Each is there under its own name, or under one of the alternatives.
        names += [next((n for n in names_in(part) if n in by_name), names_in(part)[0]) for part in depends.split(",")]
    packages = closure(names, by_name)

    paths = {"/var/lib/dpkg/info/format", "/var/lib/dpkg/diversions"}
    for package, fields in packages.items():
        for file in info_files(package, fields["Architecture"]):
            paths.add(str(file))
            if file.suffix == ".list":
                paths.update(line for line in file.read_text().splitlines() if line != "/.")
    # As the file system has them: /bin/sh is /usr/bin/sh.
    real = {str(pathlib.Path(path).parent.resolve() / pathlib.Path(path).name) for path in paths}
    real = sorted(path for path in real if pathlib.Path(path).is_symlink() or pathlib.Path(path).exists())
    root.mkdir(parents=True, exist_ok=True)
    listed = "\0".join(path.lstrip("/") for path in real).encode()
    packed = subprocess.Popen(["tar", "-C", "/", "--no-recursion", "--null", "-T", "-", "-cf", "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    unpacked = subprocess.Popen(["tar", "-C", directory, "-xpf", "-"], stdin=packed.stdout)
    packed.stdin.write(listed)
    packed.stdin.close()
    if packed.wait() or unpacked.wait():
        raise SystemExit("clean_root.py: copying failed")

    (root / "var/lib/dpkg/status").write_text("\n\n".join(fields["paragraph"] for fields in packages.values()) + "\n\n")
    (root / "var/lib/dpkg/updates").mkdir(exist_ok=True)
    for file in ("passwd", "group"):
        (root / "etc" / file).write_text((root / f"usr/share/base-passwd/{file}.master").read_text())
    subprocess.run(["chroot", directory, "ldconfig"], check=True)
    print(f"{len(packages)} packages")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        raise SystemExit(__doc__)
    main(*sys.argv[1:])
