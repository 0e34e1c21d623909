// AES decryption. Cipher and plain text lie in the program's own memory (CL_MEM_USE_HOST_PTR), handed over by
// mapping and unmapping. Written with OpenCL's C++ bindings.
#include <algorithm>

#include "AESDecrypt.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/cpp_bindings.h"
#include "benchmarks/programs/aes_blocks.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;

class AESDecrypt : public AesBlocks {
 public:
  AESDecrypt() : AesBlocks(Direction::kDecrypt) {}

  const char* name() const override { return "AESDecrypt"; }
  void set_up(const Session& session, uint64_t seed) override {
    make_input(seed);
    shared_cipher_.resize(blocks_);
    shared_plain_.resize(blocks_);

    const cl::Context context = cpp_context(session);
    queue_ = cpp_queue(session);
    std::vector<Aes::Block> round_keys = aes_->round_keys();
    std::array<uint8_t, 256> inverse = Aes::inverse_s_box();
    device_keys_ = cl::Buffer(context, round_keys.begin(), round_keys.end(), /*readOnly=*/true);
    device_inverse_ = cl::Buffer(context, inverse.begin(), inverse.end(), /*readOnly=*/true);
    device_cipher_ =
        cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes_of(shared_cipher_), shared_cipher_.data());
    device_plain_ =
        cl::Buffer(context, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes_of(shared_plain_), shared_plain_.data());
    const cl::Program program(context, std::string(kAESDecryptCl), /*build=*/true);
    kernel_ = cl::Kernel(program, "decrypt");
    kernel_.setArg(0, device_cipher_);
    kernel_.setArg(1, device_plain_);
    kernel_.setArg(2, device_keys_);
    kernel_.setArg(3, cl_uint{aes_->rounds()});
    kernel_.setArg(4, device_inverse_);
    kernel_.setArg(5, 4 * blocks_);
    kernel_.setArg(6, cl::Local(kLocal * sizeof(cl_uchar4)));
  }

  void upload(JobEvents& events) override {
    void* mapped = queue_.enqueueMapBuffer(device_cipher_, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                           bytes_of(shared_cipher_), nullptr, Into(events.upload));
    std::copy(given_.begin(), given_.end(), static_cast<Aes::Block*>(mapped));
    queue_.enqueueUnmapMemObject(device_cipher_, mapped, nullptr, Into(events.upload));
  }
  void launch(JobEvents& events) override {
    queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(round_up(4 * blocks_, kLocal)), cl::NDRange(kLocal),
                                nullptr, Into(events.kernel));
  }
  void download(JobEvents& events) override {
    void* mapped = queue_.enqueueMapBuffer(device_plain_, CL_TRUE, CL_MAP_READ, 0, bytes_of(shared_plain_), nullptr,
                                           Into(events.download));
    std::copy(shared_plain_.begin(), shared_plain_.end(), result_.begin());
    queue_.enqueueUnmapMemObject(device_plain_, mapped, nullptr, Into(events.download));
  }

 private:
  std::vector<Aes::Block> shared_cipher_, shared_plain_;  // the buffers' memory
  cl::CommandQueue queue_;
  cl::Buffer device_keys_, device_inverse_, device_cipher_, device_plain_;
  cl::Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  AESDecrypt program;
  return run(program, argc, argv);
}
