// Fourier transforms by clFFT, which writes a kernel for each length: one to three dimensions, lengths with
// factors 2 to 13, both layouts, in and out of place, there and back. Prints a hash of each result's bytes.

#include <clFFT.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

cl_context context;
cl_command_queue queue;

void must(int error, const char* what) {
  if (error == CL_SUCCESS) return;
  std::printf("%s: error %d\n", what, error);
  std::exit(EXIT_FAILURE);
}

enum class Layout { interleaved, planar };
enum class Place { in, out };
struct Transform {
  std::vector<std::size_t> lengths;
  std::size_t batch;
  Layout layout;
  Place place;
};

std::string name(const Transform& t) {
  std::string text;
  for (std::size_t length : t.lengths) text += (text.empty() ? "" : " by ") + std::to_string(length);
  return text + (t.layout == Layout::planar ? " planar" : "") + (t.place == Place::out ? " out" : "");
}

cl_mem buffer(std::vector<float>& values) {
  cl_int error = CL_SUCCESS;
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, values.size() * sizeof(float),
                                 values.data(), &error);
  must(error, "buffer");
  return memory;
}

// One buffer of interleaved numbers, or one of real and one of imaginary parts.
struct Numbers {
  std::vector<std::vector<float>> parts;
  std::vector<cl_mem> buffers;

  Numbers(std::size_t count, Layout layout, bool zero) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> number(-1, 1);
    parts.assign(layout == Layout::planar ? 2 : 1, {});
    for (auto& part : parts) {
      part.resize(layout == Layout::planar ? count : 2 * count);
      for (float& value : part) value = zero ? 0 : number(random);
      buffers.push_back(buffer(part));
    }
  }
  ~Numbers() {
    for (cl_mem memory : buffers) clReleaseMemObject(memory);
  }
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;

  void show(const std::string& name) {
    std::uint64_t hash = 14695981039346656037u;  // FNV-1a
    for (std::size_t p = 0; p < parts.size(); ++p) {
      must(clEnqueueReadBuffer(queue, buffers[p], CL_TRUE, 0, parts[p].size() * sizeof(float), parts[p].data(), 0,
                               nullptr, nullptr),
           "read");
      const auto* bytes = reinterpret_cast<const unsigned char*>(parts[p].data());
      for (std::size_t i = 0; i < parts[p].size() * sizeof(float); ++i) hash = (hash ^ bytes[i]) * 1099511628211u;
    }
    std::printf("%-24s %016lx, first %.7g\n", name.c_str(), hash, parts[0][0]);
  }
};

clfftPlanHandle plan(const Transform& t) {
  const auto layout = t.layout == Layout::planar ? CLFFT_COMPLEX_PLANAR : CLFFT_COMPLEX_INTERLEAVED;
  clfftPlanHandle made = 0;
  must(clfftCreateDefaultPlan(&made, context, static_cast<clfftDim>(t.lengths.size()), t.lengths.data()), "plan");
  must(clfftSetLayout(made, layout, layout), "layout");
  must(clfftSetResultLocation(made, t.place == Place::out ? CLFFT_OUTOFPLACE : CLFFT_INPLACE), "place");
  must(clfftSetPlanBatchSize(made, t.batch), "batch");
  must(clfftBakePlan(made, 1, &queue, nullptr, nullptr), "kernels");
  return made;
}

void run(const Transform& t) {
  clfftPlanHandle made = plan(t);
  const std::size_t count = std::accumulate(t.lengths.begin(), t.lengths.end(), t.batch, std::multiplies<>());
  Numbers input(count, t.layout, false), output(count, t.layout, true);
  const bool out = t.place == Place::out;
  const auto transform = [&](clfftDirection direction) {
    must(clfftEnqueueTransform(made, direction, 1, &queue, 0, nullptr, nullptr, input.buffers.data(),
                               out ? output.buffers.data() : nullptr, nullptr),
         "transform");
    (out ? output : input).show(name(t) + (direction == CLFFT_FORWARD ? "" : " back"));
  };
  transform(CLFFT_FORWARD);
  if (!out) transform(CLFFT_BACKWARD);
  clfftDestroyPlan(&made);
}

}  // namespace

int main() {
  cl_int error = CL_SUCCESS;
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  must(clGetPlatformIDs(1, &platform, nullptr), "platform");
  must(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
  must(error, "context");
  queue = clCreateCommandQueue(context, device, 0, &error);
  must(error, "queue");
  clfftSetupData setup;
  must(clfftInitSetupData(&setup), "set-up");
  must(clfftSetup(&setup), "set-up");
  run({{64}, 40, Layout::interleaved, Place::in});
  run({{1001}, 9, Layout::interleaved, Place::in});
  run({{512}, 50, Layout::planar, Place::in});
  run({{4096}, 3, Layout::interleaved, Place::out});
  run({{128, 60}, 2, Layout::interleaved, Place::in});
  run({{32, 16, 9}, 2, Layout::interleaved, Place::out});
  must(clfftTeardown(), "tear-down");
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}
