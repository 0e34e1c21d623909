#include "tools/sam-run/program.h"

#include <elf.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace samcl::run {
namespace {

enum class Executable { yes, absent, directory, no };

Executable check(const std::string& file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return Executable::absent;
  if (S_ISDIR(status.st_mode)) return Executable::directory;
  return access(file.c_str(), X_OK) == 0 ? Executable::yes : Executable::no;
}

constexpr bool k64Bit = sizeof(void*) == 8;
using Header = Elf64_Ehdr;
using Segment = Elf64_Phdr;

bool has_other_rights(const std::string& file) {
  struct stat status;
  if (stat(file.c_str(), &status) != 0) return false;
  const bool other_user = (status.st_mode & S_ISUID) && status.st_uid != geteuid();
  const bool other_group = (status.st_mode & S_ISGID) && status.st_gid != getegid();
  const bool capabilities = geteuid() != 0 && getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
  return other_user || other_group || capabilities;
}

// The interpreter of a script's first line; empty if `start` is no script.
std::string script_interpreter(const std::string& start) {
  if (!start.starts_with("#!")) return {};
  std::istringstream line(start.substr(2, start.find('\n') - 2));
  std::string interpreter;
  line >> interpreter;
  return interpreter;
}

void look_at(const std::string& file, int depth, std::vector<std::string>& obstacles) {
  std::ifstream in(file, std::ios::binary);
  std::string start(4096, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<size_t>(in.gcount()));
  if (const std::string interpreter = script_interpreter(start); !interpreter.empty()) {
    if (depth < 4) look_at(interpreter, depth + 1, obstacles);
    return;
  }
  if (has_other_rights(file))
    obstacles.push_back(file + " runs with the rights of another user or group; the system preloads nothing into it");
  if (start.size() < sizeof(Header) || !start.starts_with(ELFMAG)) return;
  Header header;
  std::memcpy(&header, start.data(), sizeof(header));
  if ((header.e_ident[EI_CLASS] == ELFCLASS64) != k64Bit) {
    obstacles.push_back(file + " is a program for " + (k64Bit ? "32" : "64") + " bits; libsamcl.so is for " +
                        (k64Bit ? "64" : "32"));
    return;
  }
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Segment segment;
    in.clear();
    in.seekg(static_cast<std::streamoff>(header.e_phoff + i * header.e_phentsize));
    if (!in.read(reinterpret_cast<char*>(&segment), sizeof(segment))) return;
    if (segment.p_type == PT_INTERP) return;
  }
  obstacles.push_back(file + " is linked statically; nothing can be preloaded into it");
}

}  // namespace

Result<std::string> find_program(const std::string& name, const std::string& path) {
  if (name.empty()) return fail("the program's name is empty");
  if (name.find('/') != std::string::npos) {
    switch (check(name)) {
      case Executable::yes: return name;
      case Executable::absent: return fail("there is no program " + name);
      case Executable::directory: return fail(name + " is a directory, not a program");
      case Executable::no: return fail(name + " is not executable: " + std::strerror(EACCES));
    }
  }
  std::istringstream directories(path);
  std::string not_executable;
  for (std::string directory; std::getline(directories, directory, ':');) {
    std::string file = (directory.empty() ? "." : directory) + "/" + name;
    const Executable kind = check(file);
    if (kind == Executable::yes) return file;
    if (kind == Executable::no) not_executable = file;
  }
  if (!not_executable.empty()) return fail(not_executable + " is not executable");
  const bool here = check("./" + name) == Executable::yes;
  return fail("there is no program '" + name + "' in PATH" + (here ? "; did you mean ./" + name + "?" : ""));
}

std::vector<std::string> preload_obstacles(const std::string& file) {
  std::vector<std::string> obstacles;
  look_at(file, 0, obstacles);
  return obstacles;
}

}  // namespace samcl::run
