// launch_loops: random loops of launches, as programs that go through the planes, rows or columns of something, one
// launch of each of some kernels for each, in one command queue or in several, which wait for each other where buffers
// tie them. What buffers hold must be what a model says, which runs all one after the other. The program knows nothing
// of what it tests: run it as it is, or under samcl.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "benchmarks/host/handle.h"
#include "benchmarks/host/session.h"
#include "tests/programs/sequences.h"

namespace {

using namespace bench;
using Words = std::vector<cl_uint>;
using Event = Handle<cl_event, clReleaseEvent>;

// Planes of so many words, as a matrix of so many rows.
constexpr size_t kPlanes = 50, kColumns = 16, kRows = 4, kWords = kColumns * kRows, kBuffers = 3, kMostQueues = 3;

constexpr char kSource[] = R"(
kernel void advance(global uint* x, global const uint* y, int z) {
  int i = get_global_id(0);
  if (i < 64) x[z * 64 + i] = 3 * x[z * 64 + i] + z + i;
}
kernel void taken(global uint* x, global const uint* y, short z) {
  int i = get_global_id(0);
  if (i < 64) x[z * 64 + i] = y[z * 64 + i] ^ (7 * z + i);
}
kernel void neighbours(global uint* x, global const uint* y, uint z) {
  uint i = get_global_id(0);
  if (i < 64) x[z * 64 + i] += y[(z - 1) * 64 + i] + 3 * y[z * 64 + i] + y[(z + 1) * 64 + i];
}
kernel void columns(global uint* x, global const uint* y, uchar z) {
  int i = get_global_id(0);
  if (i < 64) x[i * 50 + z] = 5 * x[i * 50 + z] + z - i;
}
kernel void before(global uint* x, global const uint* y, int z) {
  int i = get_global_id(0);
  if (i < 64) x[z * 64 + i] += x[(z - 1) * 64 + i];
}
kernel void reversed(global uint* x, global const uint* y, long z) {
  local uint group[16];
  size_t i = get_global_id(0), l = get_local_id(0);
  if (i < 64) group[l] = x[z * 64 + i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < 64) x[z * 64 + i] = group[15 - l] + get_group_id(0);
}
kernel void mixed(global uint* x, global const uint* y, int z) {
  int i = get_global_id(0);
  if (i < 64) x[z * 64 + i * 5 % 64] += i + 11;
}
kernel void first_plane(global uint* x, global const uint* y, int z) {
  int i = get_global_id(0);
  if (i < 64) x[z * 64 + i] += x[i] + 1;
}
kernel void matrix(global uint* x, global const uint* y, int z) {
  int c = get_global_id(0), r = get_global_id(1);
  if (c < 16 && r < 4) x[(z * 4 + r) * 16 + c] += y[(z * 4 + r) * 16 + 15 - c] * (z + 1);
}
kernel void counts(global uint* x, global const uint* y, int z) {
  int i = get_global_id(0);
  if (i < 64) atomic_add(&x[z * 64 + i / 8], i);
}
kernel void starts_at(global uint* x, global const uint* y, ulong first) {
  int i = get_global_id(0);
  if (i < 64) x[first * 32 + i] += 1 + first;
}
)";

// What each does to x at its number z, and the type of that.
struct Loop {
  const char* name;
  size_t number_bytes;
  bool is_matrix;
  std::function<void(Words& x, const Words& y, size_t z)> run;
};

const std::array<Loop, 11>& loops() {
  static const auto each = [](auto of_item) {
    return [of_item](Words& x, const Words& y, size_t z) {
      for (size_t i = 0; i < kWords; ++i) of_item(x, y, z, i);
    };
  };
  const auto word = [](size_t value) { return static_cast<cl_uint>(value); };
  static const std::array<Loop, 11> all{
      Loop{"advance", 4, false,
           each([=](Words& x, const Words&, size_t z, size_t i) { x[z * 64 + i] = 3 * x[z * 64 + i] + word(z + i); })},
      Loop{"taken", 2, false, each([=](Words& x, const Words& y, size_t z, size_t i) {
             x[z * 64 + i] = y[z * 64 + i] ^ word(7 * z + i);
           })},
      Loop{"neighbours", 4, false,
           [](Words& x, const Words& y, size_t z) {
             const Words from(y);
             for (size_t i = z * 64; i < z * 64 + 64; ++i) x[i] += from[i - 64] + 3 * from[i] + from[i + 64];
           }},
      Loop{"columns", 1, false,
           each([=](Words& x, const Words&, size_t z, size_t i) { x[i * 50 + z] = 5 * x[i * 50 + z] + word(z - i); })},
      Loop{"before", 4, false,
           each([=](Words& x, const Words&, size_t z, size_t i) { x[z * 64 + i] += x[z * 64 + i - 64]; })},
      Loop{"reversed", 8, false,
           [=](Words& x, const Words&, size_t z) {
             const Words from(x);
             for (size_t i = 0; i < kWords; ++i)
               x[z * 64 + i] = from[z * 64 + i / 16 * 16 + 15 - i % 16] + word(i / 16);
           }},
      Loop{"mixed", 4, false,
           each([=](Words& x, const Words&, size_t z, size_t i) { x[z * 64 + i * 5 % 64] += word(i + 11); })},
      Loop{"first_plane", 4, false,
           each([=](Words& x, const Words&, size_t z, size_t i) { x[z * 64 + i] += x[i] + 1; })},
      Loop{"matrix", 4, true,
           [=](Words& x, const Words& y, size_t z) {
             const Words from(y);
             for (size_t r = 0; r < 4; ++r)
               for (size_t c = 0; c < 16; ++c) x[(z * 4 + r) * 16 + c] += from[(z * 4 + r) * 16 + 15 - c] * word(z + 1);
           }},
      Loop{"counts", 4, false, each([=](Words& x, const Words&, size_t z, size_t i) { x[z * 64 + i / 8] += word(i); })},
      Loop{"starts_at", 8, false,
           each([=](Words& x, const Words&, size_t z, size_t i) { x[z * 32 + i] += word(1 + z); })}};
  return all;
}

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }

// What queues have done to buffers, and others have not waited for.
class Ties {
 public:
  // Whether a command of that queue has to wait for the other one.
  bool has_to_wait(size_t queue, size_t other, size_t buffer, bool writes) const {
    const Use use = left_[queue][other][buffer];
    return queue != other && (use == Use::writes || (use == Use::reads && writes));
  }
  void has_waited(size_t queue, size_t other) { left_[queue][other] = {}; }
  void uses(size_t queue, size_t buffer, bool writes) {
    for (auto& of : left_) of[queue][buffer] = std::max(of[queue][buffer], writes ? Use::writes : Use::reads);
  }

 private:
  enum class Use : unsigned char { nothing, reads, writes };
  std::array<std::array<std::array<Use, kBuffers>, kMostQueues>, kMostQueues> left_{};  // by who waits, by whom for
};

class Loops {
 public:
  Loops(const Session& session, const Program& program, uint64_t seed) : random_(seed) {
    const size_t queues = in(50) ? 1 : 2 + below(kMostQueues - 1);
    for (size_t q = 0; q < queues; ++q) queues_.push_back(session.make_queue(0));
    for (const Loop& each : loops()) kernels_.push_back(make_kernel(program, each.name));
    for (size_t b = 0; b < kBuffers; ++b) {
      buffers_[b] = session.make_buffer(CL_MEM_READ_WRITE, kPlanes * kWords * sizeof(cl_uint));
      model_[b].resize(kPlanes * kWords);
      for (cl_uint& word : model_[b]) word = static_cast<cl_uint>(random_());
      check(clEnqueueWriteBuffer(queues_[0].get(), buffers_[b].get(), CL_TRUE, 0, model_[b].size() * sizeof(cl_uint),
                                 model_[b].data(), 0, nullptr, nullptr));
    }
  }

  void play(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      loop();
      if (in(60)) compare();
    }
    compare();
  }

 private:
  bool in(unsigned percent) { return random_() % 100 < percent; }
  size_t below(size_t count) { return random_() % count; }

  // What it launches is kept for some: programs do the same job again.
  struct Launch {
    size_t kernel, x, y;
    int past;  // numbers before or behind the loop's
    bool has_local;
    size_t queue;
  };
  struct Job {
    std::vector<Launch> launches;
    int first, step, count;
  };

  void loop() {
    if (!job_ || !in(40)) {
      Job made;
      const size_t kernels = in(50) ? 1 : 1 + below(3), one_queue = below(queues_.size());
      const bool has_one_queue = in(40);
      for (size_t i = 0; i < kernels; ++i) {
        const size_t x = below(kBuffers);
        made.launches.push_back({below(kernels_.size()), x, (x + (in(80) ? 1 + below(kBuffers - 1) : 0)) % kBuffers,
                                 in(80) ? 0 : static_cast<int>(below(3)) - 1, in(80),
                                 has_one_queue ? one_queue : below(queues_.size())});
      }
      made.step = std::array{1, 1, 1, 2, 3, -1, -1, -2}[below(8)];
      made.first = made.step > 0 ? 2 + static_cast<int>(below(3)) : 46 - static_cast<int>(below(3));
      made.count = (made.step > 0 ? 46 - made.first : made.first - 2) / std::abs(made.step);
      job_ = made;
    }
    for (int i = 0; i < job_->count; ++i) {
      for (const Launch& each : job_->launches) launch(each, job_->first + i * job_->step + each.past);
      if (in(2)) interrupt();
    }
  }

  void interrupt() {
    if (in(30)) return compare();
    const size_t queue = below(queues_.size());
    if (in(50)) return check(clFlush(queues_[queue].get()));
    const size_t x = below(kBuffers);
    launch({below(kernels_.size()), x, below(kBuffers), 0, in(50), queue}, 1 + static_cast<int>(below(46)));
  }

  // The next command of that queue comes after all that it has to come after. Returns what its wait list is to have.
  std::vector<Event> wait_for_others(size_t queue, size_t buffer, bool writes) {
    std::vector<Event> waits;
    for (size_t other = 0; other < queues_.size(); ++other) {
      if (!ties_.has_to_wait(queue, other, buffer, writes)) continue;
      ties_.has_waited(queue, other);
      if (in(20)) {
        check(clFinish(queues_[other].get()));
        continue;
      }
      cl_event marker = nullptr;
      check(clEnqueueMarkerWithWaitList(queues_[other].get(), 0, nullptr, &marker));
      waits.emplace_back(marker);
      check(clFlush(queues_[other].get()));
      if (in(50)) continue;
      check(clEnqueueBarrierWithWaitList(queues_[queue].get(), 1, &marker, nullptr));
      waits.pop_back();
    }
    ties_.uses(queue, buffer, writes);
    return waits;
  }

  static std::vector<cl_event> handles(const std::vector<Event>& events) {
    std::vector<cl_event> all;
    for (const Event& each : events) all.push_back(each.get());
    return all;
  }

  void launch(const Launch& wanted, int number) {
    const Loop& loop = loops()[wanted.kernel];
    // One that reads what others of its work-items write would be a race.
    const size_t other = loop.is_matrix && wanted.x == wanted.y ? (wanted.y + 1) % kBuffers : wanted.y;
    const cl_mem x = buffers_[wanted.x].get(), y = buffers_[other].get();
    cl_kernel kernel = kernels_[wanted.kernel].get();
    check(clSetKernelArg(kernel, 0, sizeof x, &x));
    check(clSetKernelArg(kernel, 1, sizeof y, &y));
    const auto value = static_cast<int64_t>(number);
    check(clSetKernelArg(kernel, 2, loop.number_bytes, &value));
    const std::array<size_t, 2> size{loop.is_matrix ? kColumns : kWords, kRows}, local{kColumns, 1};
    const bool has_local = wanted.has_local || loop.name == std::string("reversed");
    std::vector<Event> waits = wait_for_others(wanted.queue, wanted.x, true);
    if (other != wanted.x)
      for (Event& each : wait_for_others(wanted.queue, other, false)) waits.push_back(std::move(each));
    const std::vector<cl_event> list = handles(waits);
    cl_event event = nullptr;
    check(clEnqueueNDRangeKernel(queues_[wanted.queue].get(), kernel, loop.is_matrix ? 2 : 1, nullptr, size.data(),
                                 has_local ? local.data() : nullptr, static_cast<cl_uint>(list.size()),
                                 list.empty() ? nullptr : list.data(), in(1) ? &event : nullptr));
    if (event) check(clReleaseEvent(event));
    loop.run(model_[wanted.x], model_[other], static_cast<size_t>(number));
  }

  void compare() {
    const size_t queue = below(queues_.size());
    for (size_t b = 0; b < kBuffers; ++b) {
      Words words(model_[b].size());
      const std::vector<Event> waits = wait_for_others(queue, b, false);
      const std::vector<cl_event> list = handles(waits);
      check(clEnqueueReadBuffer(queues_[queue].get(), buffers_[b].get(), CL_TRUE, 0, words.size() * sizeof(cl_uint),
                                words.data(), static_cast<cl_uint>(list.size()), list.empty() ? nullptr : list.data(),
                                nullptr));
      for (size_t i = 0; i < words.size(); ++i)
        if (words[i] != model_[b][i])
          fail("buffer " + std::to_string(b) + " has " + std::to_string(words[i]) + " at " + std::to_string(i) +
               ", expected " + std::to_string(model_[b][i]) + told());
    }
  }

  std::string told() const {
    std::string text = ", after " + std::to_string(job_->count) + " rounds from " + std::to_string(job_->first) +
                       " by " + std::to_string(job_->step) + " in " + std::to_string(queues_.size()) + " queues of";
    for (const Launch& each : job_->launches)
      text += std::string(" ") + loops()[each.kernel].name + "(" + std::to_string(each.x) + ", " +
              std::to_string(each.y) + ", " + std::to_string(each.past) + ") in " + std::to_string(each.queue);
    return text;
  }

  std::mt19937_64 random_;
  std::vector<Queue> queues_;
  Ties ties_;
  std::vector<Kernel> kernels_;
  std::array<Buffer, kBuffers> buffers_;
  std::array<Words, kBuffers> model_;
  std::optional<Job> job_;
};

}  // namespace

int main(int argc, char** argv) {
  uint64_t seed = 1;
  size_t count = 20, jobs = 40;
  unsigned most_rest_ms = 0;
  CLI::App app("launch_loops: random loops of launches, compared with a model");
  app.add_option("--seed", seed, "Seed of the first sequence; the next ones follow")->capture_default_str();
  app.add_option("--count", count, "How many sequences")->capture_default_str();
  app.add_option("--loops", jobs, "Loops in each")->capture_default_str();
  app.add_option("--rest", most_rest_ms, "Up to so many ms in the middle of each sequence in which nothing happens");
  CLI11_PARSE(app, argc, argv);
  const Session session = Session::open(0, 0);
  const Program program = session.build(kSource);
  return play_sequences(seed, count, [&](uint64_t each) {
    Loops loops(session, program, each);
    loops.play(jobs / 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(std::mt19937_64(each)() % (most_rest_ms + 1)));
    loops.play(jobs - jobs / 2);
  });
}
