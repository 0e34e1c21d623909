#include "sam-manager/protocol/names.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace samcl::protocol {
namespace {

constexpr const char* kSystem = "/run/samcl";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool is_directory(const std::string& path) {
  struct stat facts{};
  return stat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

std::string users_directory() {
  const std::string user = std::to_string(geteuid());
  if (const std::string given = variable("XDG_RUNTIME_DIR"); !given.empty()) return given + "/samcl";
  if (is_directory("/run/user/" + user)) return "/run/user/" + user + "/samcl";
  return "/tmp/samcl-" + user;
}

}  // namespace

Result<void> check_instance(const std::string& instance) {
  const bool legal = std::all_of(instance.begin(), instance.end(),
                                 [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '_' || c == '-'; });
  if (legal && !instance.empty() && instance.size() <= 64) return {};
  return fail("\"" + instance + "\" is no instance's name: expected 1 to 64 letters, digits, '.', '_' or '-'");
}

std::vector<std::string> socket_directories() {
  if (const std::string given = variable("SAMCL_RUNTIME_DIR"); !given.empty()) return {given};
  if (geteuid() == 0) return {kSystem};
  return {kSystem, users_directory()};
}

std::string own_socket_directory() {
  if (const std::string given = variable("SAMCL_RUNTIME_DIR"); !given.empty()) return given;
  struct stat facts{};
  const bool is_ours = stat(kSystem, &facts) == 0 && facts.st_uid == geteuid();
  return geteuid() == 0 || is_ours ? kSystem : users_directory();
}

std::string socket_path(const std::string& directory, const std::string& instance) {
  return directory + "/" + instance + ".sock";
}

Result<uid_t> owner_of_directory(const std::string& directory) {
  struct stat facts{};
  if (lstat(directory.c_str(), &facts) != 0) return fail(directory + ": " + std::strerror(errno));
  if (!S_ISDIR(facts.st_mode)) return fail(directory + " is no directory");
  if (facts.st_mode & (S_IWGRP | S_IWOTH)) return fail(directory + " can be written by others than its owner");
  return facts.st_uid;
}

}  // namespace samcl::protocol
