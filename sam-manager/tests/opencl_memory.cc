// A program whose buffers together are larger than what it uses at a time: opencl_memory BUFFERS MIB [COMMAND] changes
// one buffer after the other, twice, and runs COMMAND between. Exit 0 if they hold what they should.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "benchmarks/host/session.h"

namespace {

constexpr char kSource[] = R"CL(
__kernel void change(__global int* values, int by) { values[get_global_id(0)] = values[get_global_id(0)] * 3 + by; }
)CL";

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 4;
  try {
    const size_t items = std::strtoul(argv[2], nullptr, 10) * ((1 << 20) / sizeof(cl_int));
    bench::Session session = bench::Session::open(0, 0);
    const bench::Program program = session.build(kSource);
    const bench::Kernel change = bench::make_kernel(program, "change");
    std::vector<bench::Buffer> buffers;
    std::vector<cl_int> values(items);
    for (size_t i = 0; i < items; ++i) values[i] = static_cast<cl_int>(i);
    for (long b = std::strtol(argv[1], nullptr, 10); b > 0; --b) {
      buffers.push_back(session.make_buffer(CL_MEM_READ_WRITE, items * sizeof(cl_int)));
      bench::check(clEnqueueWriteBuffer(session.queue.get(), buffers.back().get(), CL_TRUE, 0, items * sizeof(cl_int),
                                        values.data(), 0, nullptr, nullptr));
    }
    for (const cl_int half : {0, 1}) {
      if (half == 1 && argc > 3 && std::system(argv[3]) != 0) return 2;
      for (size_t b = 0; b < buffers.size(); ++b) {
        bench::set_arguments(change, buffers[b], static_cast<cl_int>(b));
        bench::check(clEnqueueNDRangeKernel(session.queue.get(), change.get(), 1, nullptr, &items, nullptr, 0, nullptr,
                                            nullptr));
      }
      bench::check(clFinish(session.queue.get()));
    }
    for (size_t b = 0; b < buffers.size(); ++b) {
      bench::check(clEnqueueReadBuffer(session.queue.get(), buffers[b].get(), CL_TRUE, 0, items * sizeof(cl_int),
                                       values.data(), 0, nullptr, nullptr));
      for (size_t i = 0; i < items; ++i)
        if (values[i] != static_cast<cl_int>(9 * i + 4 * b)) return 1;
    }
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "opencl_memory: %s\n", error.what());
    return 3;
  }
}
