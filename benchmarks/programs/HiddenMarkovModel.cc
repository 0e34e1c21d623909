// The Viterbi algorithm: a chain of launches, one per observation, in an out-of-order queue (where there is
// one), ordered by events alone; the last is an OpenCL 1.x task.
#include <algorithm>
#include <cmath>

#include "HiddenMarkovModel.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr cl_uint kSymbols = 64;  // what can be observed

class HiddenMarkovModel : public Workload {
 public:
  const char* name() const override { return "HiddenMarkovModel"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--states", states_, {.usual = 2048, .small = 71, .least = 2, .most = 16384}, "Hidden states");
    sizes.add("--observations", length_, {.usual = 128, .small = 23, .least = 2, .most = 10000}, "Observations");
  }
  std::string size() const override {
    return std::to_string(states_) + " states, " + std::to_string(length_) + " observations";
  }

  void set_up(const Session& session, uint64_t seed) override {
    Random random(seed);
    initial_ = distributions(random, 1, states_);
    transition_ = distributions(random, states_, states_);
    emission_ = distributions(random, kSymbols, states_);  // column by column, these need not sum to 1
    observed_.resize(length_);
    for (cl_uint& symbol : observed_) symbol = random.below(kSymbols);
    path_.resize(length_);

    cl_command_queue_properties offered = 0;
    check(clGetDeviceInfo(session.device, CL_DEVICE_QUEUE_PROPERTIES, sizeof offered, &offered, nullptr));
    queue_ = session.make_queue(offered & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    device_initial_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(initial_));
    device_transition_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(transition_));
    device_emission_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(emission_));
    for (Buffer& likelihood : device_likelihood_)
      likelihood = session.make_buffer(CL_MEM_READ_WRITE, states_ * sizeof(cl_float));
    device_came_from_ = session.make_buffer(CL_MEM_READ_WRITE, (length_ - 1) * states_ * sizeof(cl_uint));
    device_path_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(path_));
    program_ = session.build(kHiddenMarkovModelCl);
    start_ = make_kernel(program_, "start");
    arrive_ = make_kernel(program_, "arrive");
    walk_back_ = make_kernel(program_, "walk_back");
  }

  void upload(JobEvents& events) override {
    write(queue_.get(), device_initial_, initial_, events.upload);
    write(queue_.get(), device_transition_, transition_, events.upload);
    write(queue_.get(), device_emission_, emission_, events.upload);
  }
  void launch(JobEvents& events) override {
    set_arguments(start_, device_initial_, device_emission_, device_likelihood_[0], states_, observed_[0]);
    enqueue(queue_.get(), start_, {round_up(states_, kLocal)}, {kLocal}, events.kernel,
            {events.upload.data(), events.upload.size()});
    for (cl_uint at = 1; at < length_; ++at) {
      set_arguments(arrive_, device_likelihood_[(at - 1) % 2], device_transition_, device_emission_,
                    device_likelihood_[at % 2], device_came_from_, states_, at - 1, observed_[at],
                    LocalMemory{kLocal * sizeof(cl_float)}, LocalMemory{kLocal * sizeof(cl_uint)});
      const cl_event before = events.kernel.last();
      enqueue(queue_.get(), arrive_, {states_ * kLocal}, {kLocal}, events.kernel, {&before, 1});
    }
    const cl_event before = events.kernel.last();
    set_arguments(walk_back_, device_likelihood_[(length_ - 1) % 2], device_came_from_, device_path_, states_, length_);
    check(clEnqueueTask(queue_.get(), walk_back_.get(), 1, &before, events.kernel.add()));
  }
  void download(JobEvents& events) override {
    const cl_event before = events.kernel.last();
    check(clEnqueueReadBuffer(queue_.get(), device_path_.get(), CL_TRUE, 0, bytes_of(path_), path_.data(), 1, &before,
                              events.download.add()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(path_)); }

  // Exact: a path's logarithm is summed in the order of its steps, each addition rounded once, on the host as
  // well.
  std::string verify() override {
    std::vector<float> likelihood(states_), next(states_);
    std::vector<cl_uint> came_from(size_t{length_} * states_);
    for (size_t state = 0; state < states_; ++state)
      likelihood[state] = initial_[state] + emission_[observed_[0] * states_ + state];
    for (size_t at = 1; at < length_; ++at) {
      std::fill(next.begin(), next.end(), -INFINITY);
      for (cl_uint from = 0; from < states_; ++from)
        for (size_t state = 0; state < states_; ++state) {
          const float path = likelihood[from] + transition_[size_t{from} * states_ + state];
          if (path <= next[state]) continue;
          next[state] = path;
          came_from[at * states_ + state] = from;
        }
      for (size_t state = 0; state < states_; ++state)
        likelihood[state] = next[state] + emission_[observed_[at] * states_ + state];
    }
    std::vector<cl_uint> expected(length_);
    expected.back() = static_cast<cl_uint>(std::max_element(likelihood.begin(), likelihood.end()) - likelihood.begin());
    for (size_t at = length_ - 1; at > 0; --at) expected[at - 1] = came_from[at * states_ + expected[at]];
    return compare(path_, expected);
  }

 private:
  // Logarithms of the probabilities of `columns` outcomes, a distribution per row.
  static std::vector<cl_float> distributions(Random& random, size_t rows, size_t columns) {
    std::vector<cl_float> logarithms(rows * columns);
    std::vector<double> weight(columns);
    for (size_t row = 0; row < rows; ++row) {
      double sum = 0;
      for (double& w : weight) sum += w = 1.0 + random.below(1000);
      for (size_t i = 0; i < columns; ++i)
        logarithms[row * columns + i] = static_cast<cl_float>(std::log(weight[i] / sum));
    }
    return logarithms;
  }

  cl_uint states_ = 0, length_ = 0;
  std::vector<cl_float> initial_, transition_;
  std::vector<cl_float> emission_;  // a row per symbol
  std::vector<cl_uint> observed_, path_;
  Queue queue_;
  Buffer device_initial_, device_transition_, device_emission_, device_likelihood_[2], device_came_from_, device_path_;
  Program program_;
  Kernel start_, arrive_, walk_back_;
};

}  // namespace

int main(int argc, char** argv) {
  HiddenMarkovModel program;
  return run(program, argc, argv);
}
