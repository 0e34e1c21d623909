#!/usr/bin/env python3
"""Generates what is alike for all OpenCL entry points from the one list that the OpenCL headers give.

usage: generate_entry_points.py --compiler CXX --output DIR [--parts driver,entry_points]
                                [--overrides FILE] [--unwrap-header PATH]

<CL/cl_icd.h> is read as the compiler sees it, with its comments. The list is its struct _cl_icd_dispatch; a function's
signature is its cl_api_* type there, the names of its parameters those of its prototype. Entries without a
type on this system (Direct3D) are kept as slots without a function.

Written for the driver layer (libsamcl/driver):
  direct.cc          direct_table(): functions that call through the handle's own dispatch table;
                     unsupported_table(): functions that say CL_INVALID_OPERATION; the entries' names
Written for the entry points (libsamcl/api):
  entry_points.h     prototypes samcl::api::clXxx of all entries
  guards.cc          samcl::guarded::clXxx of all entries: what the program reaches, through table and symbols; around
                     samcl::api::clXxx, into which nothing may come that is no object, and out of which no exception
  forwarders.cc      samcl::api::clXxx of every entry that is not named in the overrides file: handles are
                     unwrapped to device 0's real objects and the call goes to the driver
  dispatch_table.cc  samcl::samcl_dispatch
  exports.cc         the exported cl* symbols
  exports.map        the linker's version script
"""

import argparse
import pathlib
import re
import subprocess
import sys
from dataclasses import dataclass, field

HANDLES = {"cl_platform_id", "cl_device_id", "cl_context", "cl_command_queue", "cl_mem", "cl_program", "cl_kernel", "cl_event",
           "cl_sampler"}

# Types that samcl virtualises; the others are the driver's own everywhere.
VIRTUALISED = HANDLES - {"cl_platform_id", "cl_sampler"}

# What the platforms' side of OpenCL (a driver bound to our symbols, the loader through such a driver) may ask
# without a handle that would tell a real object from a virtual one: here the caller decides.
CALLER_DECIDES = {
    "clGetPlatformIDs",
    "clGetPlatformInfo",
    "clGetDeviceIDs",
    "clCreateContextFromType",
    "clUnloadCompiler",
    "clUnloadPlatformCompiler",
    "clGetExtensionFunctionAddress",
    "clGetExtensionFunctionAddressForPlatform",
}

# Version nodes of entries that belong to an extension, as libOpenCL.so.1 has them; None: not exported there.
SECTION_VERSIONS = {
    "cl_ext_device_fission": "OPENCL_1.1",
    "cl_khr_gl_event": "OPENCL_1.1",
    "cl_khr_egl_image": "OPENCL_1.0",
    "cl_khr_egl_event": "OPENCL_1.0",
    "cl_khr_sub_groups": "OPENCL_2.0",
    "cl_khr_d3d10_sharing": None,
    "cl_khr_d3d11_sharing": None,
    "cl_khr_dx9_media_sharing": None,
}
VERSIONS = ["OPENCL_1.0", "OPENCL_1.1", "OPENCL_1.2", "OPENCL_2.0", "OPENCL_2.1", "OPENCL_2.2", "OPENCL_3.0"]
LAYER_SYMBOLS = ["clGetLayerInfo", "clInitLayer", "clInitLayerWithProperties", "clDeinitLayer"]
OWN_SYMBOLS = ["samcl_mark_job_begin", "samcl_mark_job_end"]  # what include/samcl/samcl.h looks up


@dataclass
class Parameter:
    name: str
    type: str  # with "(*)" where a function pointer's name stood

    def declaration(self):
        return self.type.replace("(*)", f"(*{self.name})", 1) if "(*)" in self.type else f"{self.type} {self.name}"


@dataclass
class Entry:
    name: str
    version: str = None
    result: str = None  # None: no function on this system
    parameters: list = field(default_factory=list)

    def declarations(self):
        return ", ".join(p.declaration() for p in self.parameters)

    def arguments(self):
        return ", ".join(p.name for p in self.parameters)


def split_parameters(text):
    parts, depth, current = [], 0, ""
    for c in text:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(current)
            current = ""
        else:
            current += c
    parts = [" ".join(p.split()) for p in parts + [current]]
    return [] if parts in ([""], ["void"]) else parts


KEYWORDS = {"const", "void", "int", "unsigned", "char", "size_t", "intptr_t"}


def parse_parameter(text, position):
    pointer = re.search(r"\(\s*\*\s*(\w*)\s*\)", text)
    if pointer:
        return Parameter(pointer[1] or f"p{position}", text[: pointer.start()] + "(*)" + text[pointer.end():])
    array = re.fullmatch(r"(.*)\[\d*\]", text)
    if array:
        inner = parse_parameter(array[1].strip(), position)
        return Parameter(inner.name, inner.type + " *")
    named = re.fullmatch(r"(.*[\s*])(\w+)", text)
    if named and named[2] not in KEYWORDS and not named[2].startswith(("cl_", "CLegl")) and named[1].strip() != "const":
        return Parameter(named[2], named[1].strip())
    return Parameter(f"p{position}", text)


def parse(text):
    """The entries of the dispatch table, in order."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", text)
    table = re.search(r"typedef struct _cl_icd_dispatch \{(.*?)\} cl_icd_dispatch;", text, re.S)
    if not table:
        sys.exit("generate_entry_points.py: no struct _cl_icd_dispatch in the headers")
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    prototypes = {}
    for match in re.finditer(r"extern\s+[\w\s*]+?\b(cl[A-Z]\w*)\s*\(((?:[^()]|\([^()]*\))*)\)\s*;", text):
        prototypes[match[1]] = [parse_parameter(p, i).name for i, p in enumerate(split_parameters(match[2]))]
    types = {}
    for match in re.finditer(r"typedef\s+([\w\s*]+?)\(\s*\*\s*cl_api_(\w+)\)\s*\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\s*;",
                             text):
        parameters = [parse_parameter(p, i) for i, p in enumerate(split_parameters(match[3]))]
        names = prototypes.get(match[2], [])
        if len(names) == len(parameters):
            for parameter, name in zip(parameters, names):
                if re.fullmatch(r"p\d+", parameter.name):
                    parameter.name = name
        types[match[2]] = (" ".join(match[1].split()), parameters)
    entries, version = [], None
    for line in re.finditer(r"/\*(.*?)\*/|cl_api_(\w+)\s+(\w+);", table[1], re.S):
        if line[1]:
            section = line[1].strip()
            if section.startswith("OpenCL "):
                version = section.replace("OpenCL ", "OPENCL_")
            elif section in SECTION_VERSIONS:
                version = SECTION_VERSIONS[section]
            else:
                sys.exit(f"generate_entry_points.py: unknown section in the dispatch table: {section}")
            continue
        if line[2] != line[3]:
            sys.exit(f"generate_entry_points.py: slot {line[3]} has the type of {line[2]}")
        result, parameters = types.get(line[2], (None, []))
        if result is None and version is not None:
            sys.exit(f"generate_entry_points.py: no type for {line[2]}")
        entries.append(Entry(line[2], version, result, parameters))
    return entries


def list_type(entry, index):
    """The handle type of a `const cl_X *` parameter that follows its count, or None."""
    match = re.fullmatch(r"const (cl_\w+) ?\*", entry.parameters[index].type)
    if match and match[1] in HANDLES and index > 0 and entry.parameters[index - 1].type == "cl_uint":
        return match[1]
    return None


def no_object(of_type):
    """The code of what is given for an object of a type, and is none."""
    return f"driver::kNoObject<{of_type}>"


def failure(entry, code):
    """Statements that leave an entry with an error code."""
    if entry.result == "cl_int":
        return f"return {code};"
    if entry.result == "void":
        return "return;"
    errors = [p.name for p in entry.parameters if p.type.replace(" ", "") == "cl_int*" and "err" in p.name]
    return (f"if ({errors[0]}) *{errors[0]} = {code}; " if errors else "") + "return nullptr;"


def unused(entry, used):
    """[[maybe_unused]] is noisy; a generated function casts what it does not use."""
    return "".join(f"(void){p.name}; " for p in entry.parameters if p.name not in used)


def direct(entry):
    """Body of a function that goes through the dispatch table of the first handle it is given."""
    call = f"return table->{entry.name}({entry.arguments()});"
    for i, p in enumerate(entry.parameters):
        if p.type in HANDLES:
            return f"const cl_icd_dispatch* table = table_of({p.name}); if (!table) {{ {failure(entry, no_object(p.type))} }} {call}"
        handle = list_type(entry, i)
        if handle:
            count = entry.parameters[i - 1].name
            return (f"const cl_icd_dispatch* table = {p.name} && {count} ? table_of({p.name}[0]) : nullptr; "
                    f"if (!table) {{ {failure(entry, 'CL_INVALID_VALUE')} }} {call}")
        if p.type.replace(" ", "") == "constcl_context_properties*" and entry.name != "clCreateContext":
            return (f"const cl_icd_dispatch* table = table_of(platform_in({p.name})); "
                    f"if (!table) {{ {failure(entry, 'CL_INVALID_PLATFORM')} }} {call}")
    if entry.name == "clGetPlatformIDs":
        return "(void)num_entries; (void)platforms; if (num_platforms) *num_platforms = 0; return CL_PLATFORM_NOT_FOUND_KHR;"
    return unused(entry, []) + failure(entry, "CL_INVALID_OPERATION")


def functions(entries, prefix, body):
    return "\n".join(f"{e.result} CL_API_CALL {prefix}{e.name}({e.declarations()}) {{ {body(e)} }}"
                     for e in entries if e.result)


def table(entries, type_and_name, prefix):
    rows = []
    for e in entries:
        absent = "absent_object" if e.name.startswith("clCreate") else "absent_command"
        rows.append(f"    .{e.name} = " + (f"{prefix}{e.name}," if e.result else f"reinterpret_cast<void*>({absent}),"))
    return type_and_name + " = {\n" + "\n".join(rows) + "\n};"


# Slots whose functions do not exist on this system are never called; they are filled all the same.
ABSENT = """[[maybe_unused]] cl_int absent_command() { return CL_INVALID_OPERATION; }
[[maybe_unused]] void* absent_object() { return nullptr; }"""

BANNER = "// Generated by libsamcl/api/generate_entry_points.py.\n"


def unsupported(entry):
    code = failure(entry, "CL_INVALID_OPERATION")
    return unused(entry, [p.name for p in entry.parameters if re.search(rf"\b{p.name}\b", code)]) + code


def driver_source(entries):
    names = "\n".join(f'    "{e.name}",' for e in entries)
    return f"""{BANNER}
#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/no_object.h"

namespace samcl::driver {{
namespace {{

{ABSENT}

{functions(entries, "direct_", direct)}

{functions(entries, "unsupported_", unsupported)}

{table(entries, "const cl_icd_dispatch kDirect", "direct_")}

{table(entries, "const cl_icd_dispatch kUnsupported", "unsupported_")}

const char* const kNames[] = {{
{names}
}};

}}  // namespace

const cl_icd_dispatch& direct_table() {{ return kDirect; }}
const cl_icd_dispatch& unsupported_table() {{ return kUnsupported; }}
std::span<const char* const> entry_names() {{ return kNames; }}

}}  // namespace samcl::driver
"""


def entry_points_header(entries):
    prototypes = "\n".join(f"{e.result} CL_API_CALL {e.name}({e.declarations()});" for e in entries if e.result)
    return f"""{BANNER}// Prototypes of all OpenCL entry points: in samcl::api as samcl implements them, so that overrides are checked
// against them; in samcl::guarded as the program calls them.
#pragma once

#include <CL/cl_icd.h>

namespace samcl {{

extern const cl_icd_dispatch samcl_dispatch;

namespace api {{

{prototypes}

}}  // namespace api
namespace guarded {{

{prototypes}

}}  // namespace guarded
}}  // namespace samcl
"""


def forward(entry):
    before, arguments = "", []
    for i, p in enumerate(entry.parameters):
        handle = list_type(entry, i)
        if p.type in VIRTUALISED:
            arguments.append(f"unwrap({p.name})")
        elif handle in VIRTUALISED:
            before += f"const UnwrappedList<{handle}> real_{p.name}({entry.parameters[i - 1].name}, {p.name}); "
            arguments.append(f"real_{p.name}.get()")
        else:
            arguments.append(p.name)
    return f"{before}return driver::real().{entry.name}({', '.join(arguments)});"


def forwarders_source(entries, overridden, unwrap_header):
    rest = [e for e in entries if e.name not in overridden]
    return f"""{BANNER}
#include "entry_points.h"
#include "{unwrap_header}"
#include "libsamcl/api/unwrapped_list.h"
#include "libsamcl/driver/driver.h"

namespace samcl::api {{

{functions(rest, "", forward)}

}}  // namespace samcl::api
"""


# What only asks, sets or counts: in a trace if it takes long.
MINOR = re.compile(r"cl(Get|SetKernel|Retain|Release)")


def objects_check(entry):
    """Statements that leave an entry if something that it is given for an object is none. What is null is judged by what
    comes behind."""
    checks = []
    for i, p in enumerate(entry.parameters):
        handle = list_type(entry, i)
        if p.type in HANDLES:
            checks.append(f"if (!is_object({p.name})) {{ {failure(entry, no_object(p.type))} }}")
        elif handle:
            code = no_object(f"const {handle}*" if p.name == "event_wait_list" else handle)
            checks.append(f"if (!are_objects({entry.parameters[i - 1].name}, {p.name})) {{ {failure(entry, code)} }}")
    return " ".join(checks)


def guard(entry):
    """What the program gives for objects are objects. No exception reaches the program: what it would have said becomes
    the error code. A thread's cancellation, which unwinds like an exception, goes on."""
    is_minor = "true" if MINOR.match(entry.name) else "false"
    return f"""try {{ const ProgramCall call("{entry.name}", {is_minor}); {objects_check(entry)}
    return api::{entry.name}({entry.arguments()}); }}
  catch (abi::__forced_unwind&) {{ throw; }}
  catch (const std::bad_alloc&) {{ {failure(entry, "CL_OUT_OF_HOST_MEMORY")} }}
  catch (...) {{ {failure(entry, "CL_OUT_OF_RESOURCES")} }}"""


def guards_source(entries, unwrap_header):
    return f"""{BANNER}
#include <cxxabi.h>

#include <new>

#include "entry_points.h"
#include "{unwrap_header}"
#include "libsamcl/driver/no_object.h"

namespace samcl::guarded {{
namespace {{

template <typename Handle>
bool are_objects(cl_uint count, const Handle* handles) {{
  for (cl_uint i = 0; handles && i < count; ++i)
    if (!is_object(handles[i])) return false;
  return true;
}}

}}  // namespace

{functions(entries, "", guard)}

}}  // namespace samcl::guarded
"""


def dispatch_source(entries):
    return f"""{BANNER}
#include "entry_points.h"

namespace samcl {{
namespace {{
{ABSENT}
}}  // namespace

{table(entries, "const cl_icd_dispatch samcl_dispatch", "guarded::")}

}}  // namespace samcl
"""


def export(entry):
    call = f"return samcl::guarded::{entry.name}({entry.arguments()});"
    handles = any(p.type in HANDLES or list_type(entry, i) or p.type.startswith("const cl_context_properties")
                  for i, p in enumerate(entry.parameters))
    beneath = f"return samcl::driver::direct_table().{entry.name}({entry.arguments()});"
    if entry.name in CALLER_DECIDES:
        if not handles:
            beneath = (f"if (auto own = samcl::driver::own_function<cl_api_{entry.name}>(__builtin_return_address(0), "
                       f'"{entry.name}")) return own({entry.arguments()});')
        return f"if (samcl::driver::is_opencl_code(__builtin_return_address(0))) {{ {beneath} }} {call}"
    # Before anyone asked for the platforms only OpenCL's own machinery can hold a handle.
    return (f"if (!samcl::driver::opened()) [[unlikely]] {beneath} " if handles else "") + call


def exports_source(entries):
    exported = [e for e in entries if e.version]
    return f"""{BANNER}
#include "entry_points.h"
#include "libsamcl/driver/dispatch.h"
#include "libsamcl/driver/driver.h"
#include "libsamcl/driver/modules.h"

#pragma GCC visibility push(default)
extern "C" {{

{functions(exported, "", export)}

}}
#pragma GCC visibility pop
"""


def version_script(entries):
    nodes, previous = [], ""
    for version in VERSIONS:
        names = [e.name for e in entries if e.version == version]
        if version == VERSIONS[0]:
            names += LAYER_SYMBOLS
        lines = "".join(f"    {n};\n" for n in names)
        local = "  local:\n    *;\n" if version == VERSIONS[0] else ""
        nodes.append(f"{version} {{\n  global:\n{lines}{local}}}{previous};\n")
        previous = " " + version
    nodes.append("SAMCL_1 {\n  global:\n" + "".join(f"    {n};\n" for n in OWN_SYMBOLS) + "};\n")
    return "# Generated by libsamcl/api/generate_entry_points.py.\n" + "\n".join(nodes)


def headers(compiler):
    command = [compiler, "-E", "-P", "-C", "-DCL_TARGET_OPENCL_VERSION=300", "-xc++", "-"]
    run = subprocess.run(command, input="#include <CL/cl_icd.h>\n", capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"generate_entry_points.py: {' '.join(command)} failed:\n{run.stderr}")
    return run.stdout


def main():
    arguments = argparse.ArgumentParser(description="Generates the OpenCL entry points.")
    arguments.add_argument("--compiler", default="c++")
    arguments.add_argument("--overrides", type=pathlib.Path, help="lines SAMCL_OVERRIDE(clXxx)")
    arguments.add_argument("--unwrap-header", default="libsamcl/api/unwrap.h")
    arguments.add_argument("--output", required=True, type=pathlib.Path)
    arguments.add_argument("--parts", default="driver,entry_points")
    options = arguments.parse_args()

    entries = parse(headers(options.compiler))
    files = {}
    if "driver" in options.parts.split(","):
        files["direct.cc"] = driver_source(entries)
    if "entry_points" in options.parts.split(","):
        overridden = re.findall(r"^\s*SAMCL_OVERRIDE\((\w+)\)", options.overrides.read_text(), re.M)
        known = {e.name for e in entries if e.result}
        unknown = [name for name in overridden if name not in known]
        if unknown:
            sys.exit(f"{options.overrides}: not an OpenCL entry point: {', '.join(unknown)}")
        files["entry_points.h"] = entry_points_header(entries)
        files["guards.cc"] = guards_source(entries, options.unwrap_header)
        files["forwarders.cc"] = forwarders_source(entries, set(overridden), options.unwrap_header)
        files["dispatch_table.cc"] = dispatch_source(entries)
        files["exports.cc"] = exports_source(entries)
        files["exports.map"] = version_script(entries)
    options.output.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (options.output / name).write_text(text)


if __name__ == "__main__":
    main()
