#include "kernel-translator/client/cache.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "kernel-translator/client/file_stamp.h"

namespace samcl {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxBytes = 256u << 20;
constexpr off_t kKeptBetweenCounts = 256;
constexpr char kMagic[] = "samcl-translation-2\n";

// For file names only: a hit is decided by the question itself, so two questions of one hash merely share a
// place.
std::string hash_of(const std::string& text) {
  uint64_t hash = 14695981039346656037u;
  for (unsigned char c : text) hash = (hash ^ c) * 1099511628211u;
  char name[17];
  std::snprintf(name, sizeof name, "%016llx", static_cast<unsigned long long>(hash));
  return name;
}

std::string field(const std::string& text) { return std::to_string(text.size()) + "\n" + text; }

bool take(const std::string& from, size_t& at, std::string& value) {
  const size_t line = from.find('\n', at);
  if (line == std::string::npos || line - at > 12) return false;
  size_t length = 0;
  for (size_t i = at; i < line; ++i) {
    if (from[i] < '0' || from[i] > '9') return false;
    length = length * 10 + static_cast<size_t>(from[i] - '0');
  }
  if (length > from.size() - line - 1) return false;
  value = from.substr(line + 1, length);
  at = line + 1 + length;
  return true;
}

// Lines of a path and a stamp in turn.
bool are_unchanged(const std::string& includes) {
  std::istringstream lines(includes);
  for (std::string path, stamp; std::getline(lines, path) && std::getline(lines, stamp);)
    if (stamp_of_path(path) != stamp) return false;
  return true;
}

}  // namespace

std::string TranslationCache::path_of(const std::string& question) const {
  return directory_ + "/" + hash_of(question);
}

std::optional<std::string> TranslationCache::find(const std::string& question) const {
  if (directory_.empty()) return std::nullopt;
  std::ifstream file(path_of(question), std::ios::binary);
  if (!file) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.starts_with(kMagic)) return std::nullopt;
  size_t at = sizeof kMagic - 1;
  std::string asked, includes, answer;
  if (!take(text, at, asked) || !take(text, at, includes) || !take(text, at, answer)) return std::nullopt;
  if (text.substr(at) != "end\n" || asked != question || !are_unchanged(includes)) return std::nullopt;
  return answer;
}

void TranslationCache::keep(const std::string& question, const std::string& answer,
                            const std::map<std::string, std::string>& includes) const {
  if (directory_.empty()) return;
  std::error_code error;
  fs::create_directories(directory_, error);
  std::string stamps;
  for (const auto& [name, stamp] : includes) {
    if (name.find('\n') != std::string::npos) return;
    stamps += name + "\n" + stamp + "\n";
  }
  static std::atomic<unsigned> serial{0};
  const std::string path = path_of(question);
  const std::string temporary = path + "." + std::to_string(getpid()) + "." + std::to_string(serial++);
  {
    std::ofstream file(temporary, std::ios::binary);
    file << kMagic << field(question) << field(stamps) << field(answer) << "end\n";
    file.close();
    if (!file) {
      fs::remove(temporary, error);
      return;
    }
  }
  fs::rename(temporary, path, error);
  if (error) fs::remove(temporary, error);
  if (is_to_be_counted()) bound();
}

// Counting thousands of entries takes a process longer than all else that it does here. So each one that keeps an
// entry adds a byte to a file, and who finds it full counts.
bool TranslationCache::is_to_be_counted() const {
  const int file = open((directory_ + "/.uncounted").c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return true;
  struct stat status;
  const bool is_known = write(file, ".", 1) == 1 && fstat(file, &status) == 0;
  const bool is_full = !is_known || status.st_size >= kKeptBetweenCounts;
  if (is_full && ftruncate(file, 0) != 0) unlink((directory_ + "/.uncounted").c_str());
  close(file);
  return is_full;
}

// Removes the oldest entries until half of the limit is left.
void TranslationCache::bound() const {
  struct Entry {
    fs::path path;
    uintmax_t size;
    fs::file_time_type time;
  };
  std::vector<Entry> entries;
  uintmax_t total = 0;
  std::error_code error;
  for (auto it = fs::directory_iterator(directory_, error); !error && it != fs::directory_iterator();
       it.increment(error)) {
    std::error_code gone;
    Entry entry{it->path(), it->file_size(gone), it->last_write_time(gone)};
    if (gone) continue;
    total += entry.size;
    entries.push_back(std::move(entry));
  }
  if (total <= kMaxBytes) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.time < b.time; });
  for (const Entry& entry : entries) {
    if (total <= kMaxBytes / 2) return;
    fs::remove(entry.path, error);
    total -= entry.size;
  }
}

}  // namespace samcl
