#include "base/files.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>

namespace samcl {
namespace {

tl::unexpected<Error> wrong(const std::string& path, const char* otherwise) {
  return fail(path + ": " + (errno ? std::strerror(errno) : otherwise));
}

}  // namespace

Result<std::string> read_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  in.peek();  // of a folder it fails, where the iterator would throw
  if (!in.is_open() || in.bad()) return wrong(path, "cannot be read");
  return std::string(std::istreambuf_iterator<char>(in.rdbuf()), {});
}

Result<void> write_file(const std::string& path, const std::string& text) {
  errno = 0;
  std::ofstream out(path, std::ios::binary);
  out << text << std::flush;
  if (!out) return wrong(path, "cannot be written");
  return {};
}

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "samcl.XXXXXX";
  if (!mkdtemp(name.data())) throw std::system_error(errno, std::generic_category(), name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace samcl
