// Patterns of data flow, each as an ordinary application would write it: one queue, buffers written at the
// start, many launches that depend on each other, a blocking read at the end. `patterns NAME` runs a few jobs
// and prints one line of JSON with their times, a checksum of the result, and PASS or FAIL.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "base/json_text.h"
#include "benchmarks/host/checksum.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/session.h"
#include "patterns.cl.h"

// The kernels as functions of the host, for the work-item `item`.
namespace host {
using std::sqrt;
static int item[3];
static inline int get_global_id(int d) { return item[d]; }
static inline unsigned atomic_inc(unsigned* p) { return (*p)++; }
#define kernel [[maybe_unused]] static
#define global
#include "benchmarks/patterns/patterns.cl"
#undef kernel
#undef global
}  // namespace host

namespace {

using Bytes = std::vector<std::byte>;
using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

struct Range {
  size_t x = 1, y = 1;
  unsigned dimensions = 1;
};
Range line(size_t n) { return {(n + 63) / 64 * 64, 1, 1}; }
Range square(size_t n) { return {(n + 15) / 16 * 16, (n + 15) / 16 * 16, 2}; }

// A buffer of the application, by its place among them.
struct Buf {
  size_t number;
};

// Where launches go: to the device, or to the host's functions.
class Target {
 public:
  virtual ~Target() = default;
  template <typename... Parameters, typename... Arguments>
  void launch(const char* name, void (*function)(Parameters...), Range range, Arguments... arguments) {
    if (cl_kernel kernel = kernel_of(name)) {
      cl_uint index = 0;
      (set(kernel, index++, arguments), ...);
      const size_t items[] = {range.x, range.y}, line_group[] = {64, 1}, square_group[] = {16, 16};
      bench::check(clEnqueueNDRangeKernel(queue(), kernel, range.dimensions, nullptr, items,
                                          range.dimensions == 1 ? line_group : square_group, 0, nullptr, nullptr));
      return;
    }
    for (size_t y = 0; y < range.y; ++y)
      for (size_t x = 0; x < range.x; ++x) {
        host::item[0] = static_cast<int>(x);
        host::item[1] = static_cast<int>(y);
        function(value<Parameters>(arguments)...);
      }
  }

 protected:
  virtual cl_kernel kernel_of(const char* name) = 0;  // null: on the host
  virtual cl_command_queue queue() = 0;
  virtual cl_mem device_buffer(size_t number) = 0;
  virtual void* host_buffer(size_t number) = 0;

 private:
  void set(cl_kernel kernel, cl_uint index, Buf buffer) {
    cl_mem object = device_buffer(buffer.number);
    bench::check(clSetKernelArg(kernel, index, sizeof object, &object));
  }
  void set(cl_kernel kernel, cl_uint index, int number) {
    bench::check(clSetKernelArg(kernel, index, sizeof number, &number));
  }
  template <typename P>
  P value(Buf buffer) {
    return static_cast<P>(host_buffer(buffer.number));
  }
  template <typename P>
  P value(int number) {
    return number;
  }
};
#define LAUNCH(target, name, ...) target.launch(#name, host::name, __VA_ARGS__)

struct Sizes {
  int n, steps;
};

struct Pattern {
  const char* name;
  Sizes small, usual, large;
  std::function<std::vector<Bytes>(Sizes, bench::Random&)> input;
  std::function<void(Target&, Sizes)> job;
  std::vector<size_t> results;  // buffers that are read back; the first is uint and counts if `any_order`
  bool floats = true;
  bool any_order = false;  // results[1] holds as many words as results[0] says, in any order
};

Bytes floats(bench::Random& random, size_t count, float scale = 1, float offset = 0) {
  std::vector<float> values = random.units(count);
  for (float& value : values) value = value * scale + offset;
  Bytes made(count * sizeof(float));
  std::memcpy(made.data(), values.data(), made.size());
  return made;
}
Bytes words(const std::vector<uint32_t>& values) {
  Bytes made(values.size() * sizeof(uint32_t));
  std::memcpy(made.data(), values.data(), made.size());
  return made;
}
size_t squared(Sizes s) { return static_cast<size_t>(s.n) * static_cast<size_t>(s.n); }
size_t cubed(Sizes s) { return squared(s) * static_cast<size_t>(s.n); }

// Random matrices of n x n, and then vectors of n.
auto random_inputs(int matrices, int vectors) {
  return [=](Sizes s, bench::Random& random) {
    std::vector<Bytes> made;
    for (int i = 0; i < matrices; ++i) made.push_back(floats(random, squared(s)));
    for (int i = 0; i < vectors; ++i) made.push_back(floats(random, static_cast<size_t>(s.n)));
    return made;
  };
}

constexpr size_t kPerRow = 16;  // entries of the sparse matrix
constexpr size_t kBranches = 8;

std::vector<Pattern> patterns() {
  std::vector<Pattern> all;
  all.push_back({"jacobi1d",
                 {20000, 40},
                 {1 << 24, 100},
                 {1 << 26, 200},
                 [](Sizes s, auto& r) {
                   const Bytes a = floats(r, s.n);
                   return std::vector<Bytes>{a, a};
                 },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) LAUNCH(t, jacobi1d, line(s.n), Buf(i % 2), Buf(1 - i % 2), s.n);
                 },
                 {0, 1}});
  all.push_back({"jacobi2d",
                 {300, 20},
                 {4096, 60},
                 {8192, 100},
                 [](Sizes s, auto& r) {
                   const Bytes a = floats(r, squared(s));
                   return std::vector<Bytes>{a, a};
                 },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) LAUNCH(t, jacobi2d, square(s.n), Buf(i % 2), Buf(1 - i % 2), s.n);
                 },
                 {0, 1}});
  all.push_back({"fdtd2d",
                 {200, 20},
                 {4096, 30},
                 {8192, 60},
                 random_inputs(3, 0),
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) {
                     LAUNCH(t, fdtd_ey, square(s.n), Buf{1}, Buf{2}, s.n, i);
                     LAUNCH(t, fdtd_ex, square(s.n), Buf{0}, Buf{2}, s.n);
                     LAUNCH(t, fdtd_hz, square(s.n), Buf{2}, Buf{0}, Buf{1}, s.n);
                   }
                 },
                 {2}});
  all.push_back({"adi",
                 {256, 6},
                 {2048, 10},
                 {4096, 20},
                 random_inputs(2, 0),
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) {
                     LAUNCH(t, adi_rows, line(s.n), Buf{0}, Buf{1}, s.n);
                     LAUNCH(t, adi_columns, line(s.n), Buf{0}, Buf{1}, s.n);
                   }
                 },
                 {0}});
  all.push_back({"lu",
                 {96, 1},
                 {1024, 1},
                 {4096, 1},
                 [](Sizes s, auto& r) {
                   Bytes a = floats(r, squared(s));
                   for (int i = 0; i < s.n; ++i) {  // dominant, so that no pivots are needed
                     const float value = static_cast<float>(s.n);
                     std::memcpy(a.data() + (static_cast<size_t>(i) * s.n + i) * sizeof value, &value, sizeof value);
                   }
                   return std::vector<Bytes>{a};
                 },
                 [](Target& t, Sizes s) {
                   for (int k = 0; k < s.n - 1; ++k) {
                     LAUNCH(t, lu_column, line(s.n), Buf{0}, s.n, k);
                     LAUNCH(t, lu_rest, square(s.n), Buf{0}, s.n, k);
                   }
                 },
                 {0}});
  all.push_back({"gemver",
                 {300, 1},
                 {8192, 1},
                 {16384, 1},
                 random_inputs(1, 4),
                 [](Target& t, Sizes s) {
                   LAUNCH(t, gemver_rank2, square(s.n), Buf{0}, Buf{1}, Buf{2}, s.n);
                   LAUNCH(t, times_transposed, line(s.n), Buf{0}, Buf{2}, Buf{3}, s.n);
                   LAUNCH(t, times, line(s.n), Buf{0}, Buf{3}, Buf{4}, s.n);
                 },
                 {3, 4}});
  all.push_back({"conv3d",
                 {40, 1},
                 {384, 1},
                 {640, 1},
                 [](Sizes s, auto& r) { return std::vector<Bytes>{floats(r, cubed(s)), floats(r, cubed(s))}; },
                 [](Target& t, Sizes s) {
                   for (int z = 1; z < s.n - 1; ++z) LAUNCH(t, conv3d_plane, square(s.n), Buf{0}, Buf{1}, s.n, z);
                 },
                 {1}});
  all.push_back({"doitgen",
                 {40, 1},
                 {256, 1},
                 {384, 1},
                 [](Sizes s, auto& r) {
                   return std::vector<Bytes>{floats(r, cubed(s)), floats(r, squared(s)), floats(r, cubed(s))};
                 },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.n; ++i) {
                     LAUNCH(t, doitgen_sum, square(s.n), Buf{0}, Buf{1}, Buf{2}, s.n, i);
                     LAUNCH(t, doitgen_back, square(s.n), Buf{0}, Buf{2}, s.n, i);
                   }
                 },
                 {0}});
  all.push_back({"gemm",
                 {128, 1},
                 {2048, 1},
                 {4096, 1},
                 random_inputs(3, 0),
                 [](Target& t, Sizes s) { LAUNCH(t, gemm, square(s.n), Buf{0}, Buf{1}, Buf{2}, s.n); },
                 {2}});
  all.push_back({"atax",
                 {300, 1},
                 {8192, 1},
                 {16384, 1},
                 random_inputs(1, 3),
                 [](Target& t, Sizes s) {
                   LAUNCH(t, times, line(s.n), Buf{0}, Buf{1}, Buf{2}, s.n);
                   LAUNCH(t, times_transposed, line(s.n), Buf{0}, Buf{2}, Buf{3}, s.n);
                 },
                 {3}});
  all.push_back({"mvt",
                 {300, 1},
                 {8192, 1},
                 {16384, 1},
                 random_inputs(1, 3),
                 [](Target& t, Sizes s) {
                   LAUNCH(t, times, line(s.n), Buf{0}, Buf{1}, Buf{2}, s.n);
                   LAUNCH(t, times_transposed, line(s.n), Buf{0}, Buf{1}, Buf{3}, s.n);
                 },
                 {2, 3}});
  all.push_back({"gramschmidt",
                 {64, 1},
                 {512, 1},
                 {1024, 1},
                 [](Sizes s, auto& r) {
                   return std::vector<Bytes>{floats(r, squared(s), 1, 2), Bytes(squared(s) * 4), Bytes(squared(s) * 4)};
                 },
                 [](Target& t, Sizes s) {
                   for (int k = 0; k < s.n; ++k) {
                     LAUNCH(t, gs_norm, line(1), Buf{0}, Buf{1}, s.n, k);
                     LAUNCH(t, gs_scale, line(s.n), Buf{0}, Buf{1}, Buf{2}, s.n, k);
                     LAUNCH(t, gs_project, line(s.n), Buf{0}, Buf{1}, Buf{2}, s.n, k);
                   }
                 },
                 {2}});
  all.push_back({"permutation",
                 {20000, 4},
                 {1 << 24, 10},
                 {1 << 26, 20},
                 [](Sizes s, auto& r) {
                   std::vector<uint32_t> index(s.n);
                   std::iota(index.begin(), index.end(), 0u);
                   for (size_t i = index.size(); i > 1; --i)
                     std::swap(index[i - 1], index[r.below(static_cast<uint32_t>(i))]);
                   const Bytes a = words(r.words(s.n));
                   return std::vector<Bytes>{a, words(index), a};
                 },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i)
                     LAUNCH(t, permute, line(s.n), Buf(i % 2 ? 2 : 0), Buf{1}, Buf(i % 2 ? 0 : 2), s.n);
                 },
                 {0, 2},
                 false});
  all.push_back(
      {"compaction",
       {20000, 1},
       {1 << 24, 1},
       {1 << 27, 1},
       [](Sizes s, auto& r) { return std::vector<Bytes>{words(r.words(s.n)), Bytes(size_t(s.n) * 4), Bytes(4)}; },
       [](Target& t, Sizes s) { LAUNCH(t, compact, line(s.n), Buf{0}, Buf{1}, Buf{2}, s.n); },
       {2, 1},
       false,
       true});
  all.push_back({"spmv",
                 {5000, 10},
                 {1 << 20, 20},
                 {1 << 22, 40},
                 [](Sizes s, auto& r) {
                   std::vector<uint32_t> first(s.n + 1), column(size_t(s.n) * kPerRow);
                   for (size_t i = 0; i < first.size(); ++i) first[i] = static_cast<uint32_t>(i * kPerRow);
                   for (uint32_t& value : column) value = r.below(static_cast<uint32_t>(s.n));
                   const Bytes x = floats(r, s.n);
                   return std::vector<Bytes>{words(first), words(column), floats(r, column.size(), 0.25f), x, x};
                 },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i)
                     LAUNCH(t, spmv, line(s.n), Buf{0}, Buf{1}, Buf{2}, Buf(i % 2 ? 4 : 3), Buf(i % 2 ? 3 : 4), s.n);
                 },
                 {3, 4}});
  all.push_back({"exchange",
                 {20000, 20},
                 {1 << 24, 50},
                 {1 << 26, 100},
                 [](Sizes s, auto& r) { return std::vector<Bytes>{words(r.words(s.n))}; },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) LAUNCH(t, exchange, line(s.n / 2), Buf{0}, s.n, i % 2);
                 },
                 {0},
                 false});
  all.push_back({"triangle",
                 {300, 4},
                 {16384, 20},
                 {24576, 40},
                 [](Sizes s, auto& r) {
                   const Bytes x = floats(r, s.n);
                   return std::vector<Bytes>{floats(r, squared(s)), x, x};
                 },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i)
                     LAUNCH(t, triangle, line(s.n), Buf{0}, Buf(i % 2 ? 2 : 1), Buf(i % 2 ? 1 : 2), s.n);
                 },
                 {1, 2}});
  all.push_back({"escape",
                 {100, 2},
                 {2048, 20},
                 {4096, 40},
                 [](Sizes s, auto&) { return std::vector<Bytes>{Bytes(squared(s) * 4)}; },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) LAUNCH(t, escape, square(s.n), Buf{0}, s.n, 200 + i);
                 },
                 {0},
                 false});
  all.push_back({"search",
                 {20000, 2},
                 {1 << 22, 5},
                 {1 << 24, 20},
                 [](Sizes s, auto&) { return std::vector<Bytes>{Bytes(size_t(s.n) * 4), Bytes(4)}; },
                 [](Target& t, Sizes s) {
                   for (int i = 0; i < s.steps; ++i) LAUNCH(t, search, line(s.n), Buf{0}, Buf{1}, s.n, 200, i);
                 },
                 {1, 0},
                 false,
                 true});
  all.push_back({"branches",
                 {500, 20},
                 {1 << 12, 60'000},
                 {1 << 13, 200'000},
                 [](Sizes s, auto& r) {
                   std::vector<Bytes> made;
                   for (size_t branch = 0; branch < kBranches; ++branch) made.push_back(words(r.words(s.n)));
                   return made;
                 },
                 [](Target& t, Sizes s) {
                   for (size_t b = 0; b < kBranches; ++b) LAUNCH(t, branch, line(s.n), Buf{b}, s.n, s.steps);
                   for (size_t b = 1; b < kBranches; ++b) LAUNCH(t, bring_together, line(s.n), Buf{0}, Buf{b}, s.n);
                 },
                 {0},
                 false});
  return all;
}

class OnHost : public Target {
 public:
  explicit OnHost(std::vector<Bytes> buffers) : buffers_(std::move(buffers)) {}
  const Bytes& buffer(size_t number) const { return buffers_[number]; }

 private:
  cl_kernel kernel_of(const char*) override { return nullptr; }
  cl_command_queue queue() override { return nullptr; }
  cl_mem device_buffer(size_t) override { return nullptr; }
  void* host_buffer(size_t number) override { return buffers_[number].data(); }
  std::vector<Bytes> buffers_;
};

class OnDevice : public Target {
 public:
  OnDevice(const bench::Session& session, const std::vector<Bytes>& input) : session_(session), input_(input) {
    program_ = session.build(kpatternsCl);
    for (const Bytes& bytes : input) buffers_.push_back(session.make_buffer(CL_MEM_READ_WRITE, bytes.size()));
  }
  void upload() {
    for (size_t i = 0; i < input_.size(); ++i)
      bench::check(clEnqueueWriteBuffer(queue(), buffers_[i].get(), CL_TRUE, 0, input_[i].size(), input_[i].data(), 0,
                                        nullptr, nullptr));
  }
  void finish() { bench::check(clFinish(queue())); }
  Bytes read(size_t number) {
    Bytes into(input_[number].size());
    bench::check(clEnqueueReadBuffer(queue(), buffers_[number].get(), CL_TRUE, 0, into.size(), into.data(), 0, nullptr,
                                     nullptr));
    return into;
  }

 private:
  cl_kernel kernel_of(const char* name) override {
    bench::Kernel& kernel = kernels_[name];
    if (!kernel.get()) kernel = bench::make_kernel(program_, name);
    return kernel.get();
  }
  cl_command_queue queue() override { return session_.queue.get(); }
  cl_mem device_buffer(size_t number) override { return buffers_[number].get(); }
  void* host_buffer(size_t) override { return nullptr; }

  const bench::Session& session_;
  const std::vector<Bytes>& input_;
  bench::Program program_;
  std::vector<bench::Buffer> buffers_;
  std::map<std::string, bench::Kernel> kernels_;
};

// Where the order is free, it is made the ascending one.
void put_in_order(const Pattern& pattern, std::vector<Bytes>& results) {
  if (!pattern.any_order) return;
  uint32_t count = 0;
  std::memcpy(&count, results[0].data(), sizeof count);
  std::vector<uint32_t> values(results[1].size() / sizeof count);
  std::memcpy(values.data(), results[1].data(), results[1].size());
  std::sort(values.begin(), values.begin() + static_cast<ptrdiff_t>(std::min<size_t>(count, values.size())));
  std::memcpy(results[1].data(), values.data(), results[1].size());
}

// Empty: alike. Floats may differ by 1e-3 of their size (the device may contract a * b + c, and sums grow).
std::string compare(const Pattern& pattern, const std::vector<Bytes>& is, const std::vector<Bytes>& expected) {
  for (size_t k = 0; k < is.size(); ++k)
    for (size_t i = 0; i + 4 <= is[k].size(); i += 4) {
      if (std::memcmp(is[k].data() + i, expected[k].data() + i, 4) == 0) continue;
      float one = 0, other = 0;
      std::memcpy(&one, is[k].data() + i, 4);
      std::memcpy(&other, expected[k].data() + i, 4);
      if (pattern.floats && std::abs(one - other) <= 1e-3f * (std::abs(other) + 1)) continue;
      return "buffer " + std::to_string(pattern.results[k]) + " differs from the reference at word " +
             std::to_string(i / 4);
    }
  return {};
}

struct Options {
  std::string name, size = "usual";
  unsigned platform = 0, device = 0, jobs = 5;
  uint64_t seed = 1;
  long flip_byte = -1;
};

int run(const Pattern& pattern, const Options& options) {
  const Sizes sizes = options.size == "small" ? pattern.small : options.size == "large" ? pattern.large : pattern.usual;
  bench::Random random(options.seed);
  const std::vector<Bytes> input = pattern.input(sizes, random);
  const bench::Session session = bench::Session::open(options.platform, options.device);
  OnDevice device(session, input);
  nlohmann::json kernel_ms, whole_ms;
  std::string wrong;
  uint64_t sum = 0;
  for (unsigned job = 0; job < options.jobs; ++job) {
    const auto start = Clock::now();
    device.upload();
    const auto launched = Clock::now();
    pattern.job(device, sizes);
    device.finish();
    kernel_ms.push_back(ms_since(launched));
    std::vector<Bytes> results;
    for (size_t number : pattern.results) results.push_back(device.read(number));
    whole_ms.push_back(ms_since(start));
    put_in_order(pattern, results);
    if (options.flip_byte >= 0)
      results[0][static_cast<size_t>(options.flip_byte) % results[0].size()] ^= std::byte{0xff};
    uint64_t found = 0;
    for (const Bytes& bytes : results) found = bench::checksum(bytes, found);
    if (job > 0 && found != sum) wrong = "job " + std::to_string(job) + " gave another result than the first";
    sum = found;
    if (job > 0 || options.size != "small") continue;
    OnHost reference(input);
    pattern.job(reference, sizes);
    std::vector<Bytes> expected;
    for (size_t number : pattern.results) expected.push_back(reference.buffer(number));
    put_in_order(pattern, expected);
    wrong = compare(pattern, results, expected);
  }
  char text[32];
  std::snprintf(text, sizeof text, "0x%016" PRIx64, sum);
  nlohmann::json line{{"name", pattern.name},   {"size", options.size},
                      {"n", sizes.n},           {"steps", sizes.steps},
                      {"kernel_ms", kernel_ms}, {"whole_ms", whole_ms},
                      {"checksum", text},       {"verdict", wrong.empty() ? "PASS" : "FAIL"}};
  if (!wrong.empty()) line["wrong"] = wrong;
  std::printf("%s\n", samcl::json_text(line).c_str());
  return wrong.empty() ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("patterns: patterns of data flow between dependent kernels; 'list' names them");
  Options options;
  app.add_option("name", options.name, "Which, or 'list'")->required();
  app.add_option("--size", options.size, "small also compares with a reference on the host")
      ->capture_default_str()
      ->check(CLI::IsMember({"small", "usual", "large"}));
  app.add_option("--jobs", options.jobs, "How many, the first one included")
      ->capture_default_str()
      ->check(CLI::Range(1, 100000));
  app.add_option("--seed", options.seed, "Of the input")->capture_default_str();
  app.add_option("--platform", options.platform, "Index of the OpenCL platform")->capture_default_str();
  app.add_option("--device", options.device, "Index of the device in the platform's list")->capture_default_str();
  app.add_option("--flip-byte", options.flip_byte,
                 "Damage a byte of the result before it is compared: must end in FAIL");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) ? 2 : 0;
  }
  try {
    for (const Pattern& pattern : patterns()) {
      if (options.name == "list") std::printf("%s\n", pattern.name);
      if (options.name == pattern.name) return run(pattern, options);
    }
    if (options.name == "list") return 0;
    std::fprintf(stderr, "patterns: there is no pattern '%s'; 'patterns list' names them\n", options.name.c_str());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "patterns: %s\n", error.what());
    return 1;
  }
}
