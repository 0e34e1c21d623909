#!/usr/bin/env python3
"""Man pages and shell completions, from what the programs print with --help and a few words of our own.

usage: generate.py PROGRAM_DIRECTORY TEXT_DIRECTORY OUTPUT_DIRECTORY VERSION
TEXT_DIRECTORY holds NAME.SECTION.txt for each page: a first line "NAME - what it is", then headed paragraphs.
A page of section 5 is made of a commented example, named on a line "@example FILE", or of a section of a document,
"@markdown FILE HEADING".
"""
import gzip
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field


@dataclass
class Option:
    names: list
    argument: str
    help: str


@dataclass
class Command:
    name: str
    usage: str = ""
    about: list = field(default_factory=list)
    options: list = field(default_factory=list)
    arguments: list = field(default_factory=list)
    subcommands: list = field(default_factory=list)
    after: list = field(default_factory=list)


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.replace(str(program), program.name)


HEADS = re.compile(r"^(Options|OPTIONS|Positionals|POSITIONALS|Subcommands|SUBCOMMANDS):?\s*$")


def parse(name, text):
    """What --help prints, of CLI11's kind or our own: indented lines that begin with an option, a name, or text."""
    command = Command(name)
    part = "about"
    last = None
    for line in text.splitlines():
        head = HEADS.match(line)
        if head:
            part, last = head.group(1).lower(), None
        elif line.lower().startswith("usage:"):
            command.usage = line.split(":", 1)[1].strip()
        elif match := re.match(r"^  (-\S+\]) (?! )(.*)$", line) or re.match(r"^  ?(-\S(?:[^ ]| (?! ))*)(?:\s{2,}(.*))?$", line):
            words = re.sub(r" (REQUIRED|Excludes: .*|Needs: .*)", "", match.group(1))
            names = re.findall(r"(?<![\w=+-])--?[A-Za-z][\w-]*", words)
            argument = re.sub(r"(?<![\w=+-])--?[A-Za-z][\w-]*,?", "", words).strip()
            last = Option(names, argument, (match.group(2) or "").strip())
            command.options.append(last)
        elif part in ("positionals", "subcommands") and (match := re.match(r"^  (\S+)\s*(.*)$", line)):
            last = Option([match.group(1)], "", match.group(2).strip())
            (command.arguments if part == "positionals" else command.subcommands).append(last)
        elif last is not None and re.match(r"^\s{6,}\S", line):
            last.help = (last.help + " " + line.strip()).strip()
        elif line.strip():
            (command.after if command.options else command.about).append(line)
            last = None
        elif command.after:
            command.after.append("")
    return command


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def options_part(command):
    lines = []
    for option in command.arguments + command.options:
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
        # Long lists of alternatives fit in no line.
        given = option.argument.replace("|", " | ") if len(option.argument) > 40 else option.argument
        argument = f" \\fI{roff(given)}\\fR" if given else ""
        lines += [".TP", names + argument, roff(option.help) or "."]
    return lines


def notes(text):
    """Paragraphs are filled; what is indented stays as it is."""
    lines = []
    for line in text:
        if line.startswith(" "):
            lines += [".nf", roff(line), ".fi"]
        else:
            lines.append(roff(line) if line.strip() else ".PP")
    return lines


def page(name, section, own, program, version):
    title, *rest = own.splitlines()
    lines = [f'.TH {name.upper()} {section} "" "samcl {version}" "samcl"', ".SH NAME", roff(title)]
    if program:
        command, subcommands = program
        lines += [".SH SYNOPSIS", f".B {roff(command.usage or name + ' [OPTIONS]')}"]
        lines += [".SH DESCRIPTION", *(roff(line) for line in command.about)]
        lines += [".SH OPTIONS", *options_part(command)]
        if subcommands:
            lines.append(".SH COMMANDS")
        for sub in subcommands:
            lines += [f".SS {roff(name + ' ' + sub.name)}", *(roff(line) for line in sub.about), *options_part(sub)]
        if command.after:
            lines += [".SH NOTES", *notes(command.after)]
    for line in rest:
        if re.fullmatch(r"[A-Z][A-Z ]+", line):
            lines.append(f".SH {line}")
        elif not line.strip():
            lines.append(".PP")
        elif line.startswith("    "):
            lines += [".nf", ".RS", roff(line.strip()), ".RE", ".fi"]
        else:
            lines.append(roff(line))
    return "\n".join(lines) + "\n"


def example_page(name, section, own, example, version):
    """A commented example: its comments are the text, its keys stand out."""
    title, *rest = own.splitlines()
    lines = [f'.TH {name.upper()} {section} "" "samcl {version}" "samcl"', ".SH NAME", roff(title), ".SH DESCRIPTION"]
    for line in rest:
        lines.append(roff(line) if line.strip() else ".PP")
    lines.append(".SH KEYS")
    for line in example.read_text().splitlines():
        if re.match(r"^# |^#$", line):
            lines.append(roff(line[1:].strip()) or ".PP")
        elif line.strip():
            lines += [".nf", ".RS", f"\\fB{roff(line.lstrip('#'))}\\fR", ".RE", ".fi"]
        else:
            lines.append(".PP")
    return "\n".join(lines) + "\n"


def takes_word(option):
    """Whether the next word is its value: an optional one follows an equals sign."""
    return bool(option.argument) and not option.argument.startswith("[")


def choices(option):
    """The values it may have, as far as its argument names them: a|b, or {a,b}."""
    named = re.search(r"\{([\w,-]+)\}", option.argument)
    if named:
        return named.group(1).split(",")
    return option.argument.split("|") if re.fullmatch(r"[\w-]+(\|[\w-]+)+", option.argument) else []


def plain(text):
    """Markdown within a line: quoted code stands out, links keep their words."""
    text = re.sub(r"\[([^]]+)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"`([^`]*)`", text)
    return "".join(f"\\fB{roff(part)}\\fR" if i % 2 else roff(part) for i, part in enumerate(parts))


def markdown_page(name, section, own, document, heading, version):
    """What stands below a heading of a document: paragraphs, tables and code."""
    title, *rest = own.splitlines()
    text = re.split(r"^#+ " + re.escape(heading) + r"$", document.read_text(), flags=re.M)
    if len(text) != 2:
        sys.exit(f"generate.py: {document} has no heading \"{heading}\"")
    lines = [f'.TH {name.upper()} {section} "" "samcl {version}" "samcl"', ".SH NAME", roff(title), ".SH DESCRIPTION"]
    see = rest.index("SEE ALSO") if "SEE ALSO" in rest else len(rest)
    lines += [*(roff(line) for line in rest[:see]), ".PP"]
    code = False
    for line in re.split(r"^#+ ", text[1], flags=re.M)[0].strip().splitlines():
        if line.startswith("```"):
            code = not code
            lines += [".nf", ".RS"] if code else [".RE", ".fi"]
        elif code:
            lines.append(roff(line))
        elif row := re.match(r"^\| (.*?) \| (.*) \|$", line):
            lines += [".TP", plain(row.group(1)), plain(row.group(2))] if "|---" not in line else []
        elif line.startswith("|---"):
            del lines[-3:]  # the table's head
        else:
            lines.append(plain(line) if line.strip() else ".PP")
    if see < len(rest):
        lines += [".SH SEE ALSO", *(roff(line) for line in rest[see + 1:])]
    return "\n".join(lines) + "\n"


def flags(command):
    return [name for option in command.options for name in option.names]


def bash(name, command, subcommands):
    options = [option for one in (command, *subcommands) for option in one.options if option.names and takes_word(option)]
    values = "".join(
        f"    {'|'.join(option.names)}) COMPREPLY=($(compgen -W \"{' '.join(choices(option))}\" -- \"$current\")); return ;;\n"
        for option in {tuple(option.names): option for option in options}.values())
    cases = "".join(f"      {sub.name}) words=\"{' '.join(flags(sub))}\" ;;\n" for sub in subcommands)
    every = " ".join(flags(command) + [sub.name for sub in subcommands])
    function = "_" + name.replace("-", "_")
    return f"""# bash completion for {name}
{function}() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" word words="{every}"
  case "${{COMP_WORDS[COMP_CWORD-1]}}" in
{values}    --) return ;;
  esac
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in
      --) COMPREPLY=(); return ;;
{cases}    esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F {function} {name}
"""


def quote(text):
    return text.replace("\\", "").replace("'", "").replace("[", "(").replace("]", ")").replace(":", " ").replace("`", "")


def zsh(name, command, subcommands):
    def specs(one):
        return " \\\n".join(f"    '{flag}[{quote(option.help)[:80]}]{value(option)}'" for option in one.options for flag in option.names)

    def value(option):
        if not takes_word(option):
            return ""
        found = f"({' '.join(choices(option))})" if choices(option) else "_files"
        return f":{quote(option.argument.split()[0])}:{found}"

    cases = "".join(f"    {sub.name}) _arguments \\\n{specs(sub)} ;;\n" for sub in subcommands if sub.options)
    names = " ".join(f"'{sub.name}'" for sub in subcommands)
    choose = f" \\\n    '1: :({names})' '*:: :->rest'" if subcommands else " \\\n    '*:file:_files'"
    rest = f"  case $words[1] in\n{cases}  esac\n" if cases else ""
    return f"#compdef {name}\n_arguments -C \\\n{specs(command)}{choose}\n{rest}"


def fish(name, command, subcommands):
    lines = []

    def add(option, condition):
        for flag in option.names:
            kind = "-l" if flag.startswith("--") else "-s"
            value = f" -x -a '{' '.join(choices(option))}'" if choices(option) else " -r -F" if takes_word(option) else ""
            lines.append(f"complete -c {name} {condition}{kind} {flag.lstrip('-')} -d '{quote(option.help)[:80]}'{value}")

    if subcommands:
        lines.append(f"complete -c {name} -f")
    for option in command.options:
        add(option, "")
    for sub in subcommands:
        about = quote(" ".join(sub.about))[:80]
        lines.append(f"complete -c {name} -n __fish_use_subcommand -a {sub.name} -d '{about}'")
        for option in sub.options:
            add(option, f"-n '__fish_seen_subcommand_from {sub.name}' ")
    return "\n".join(lines) + "\n"


def main():
    programs, texts, out, version = (*(pathlib.Path(a).resolve() for a in sys.argv[1:4]), sys.argv[4])
    for text in sorted(texts.glob("*.txt")):
        name, section = text.name[: -len(".txt")].rsplit(".", 1)
        own = text.read_text()
        manuals = out / f"man{section}"
        manuals.mkdir(parents=True, exist_ok=True)
        if example := re.match(r"@example (\S+)\n", own):
            made = example_page(name, section, own[example.end():], texts / example.group(1), version)
        elif part := re.match(r"@markdown (\S+) (.*)\n", own):
            made = markdown_page(name, section, own[part.end():], texts / part.group(1), part.group(2), version)
        else:
            command = parse(name, run(programs / name, "--help"))
            subcommands = []
            for sub in command.subcommands:
                one = parse(sub.names[0], run(programs / name, sub.names[0], "--help"))
                one.about = [sub.help]
                subcommands.append(one)
            made = page(name, section, own, (command, subcommands), version)
            for shell, write, file in (("bash", bash, name), ("zsh", zsh, "_" + name), ("fish", fish, name + ".fish")):
                (out / shell).mkdir(exist_ok=True)
                (out / shell / file).write_text(write(name, command, subcommands))
        with gzip.GzipFile(manuals / f"{name}.{section}.gz", "wb", mtime=0) as packed:
            packed.write(made.encode())


main()
