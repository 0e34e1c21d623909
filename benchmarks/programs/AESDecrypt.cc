// AES decryption. Cipher and plain text lie in the program's own memory (CL_MEM_USE_HOST_PTR), handed over by
// mapping and unmapping. Written with OpenCL's C++ bindings.
#include <algorithm>

#include "AESDecrypt.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/cpp_bindings.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"
#include "benchmarks/reference/aes.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr size_t kChecked = 1 << 16;  // blocks compared with the reference, if there are more

class AESDecrypt : public Workload {
 public:
  const char* name() const override { return "AESDecrypt"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--blocks", blocks_, {.usual = 1 << 20, .small = 1009, .least = 1, .most = 1 << 26},
              "Blocks of 16 bytes");
    sizes.add("--key-bits", key_bits_, {.usual = 128, .small = 256, .least = 128, .most = 256},
              "128, 192 or 256");
  }
  std::string size() const override {
    return std::to_string(blocks_) + " blocks, AES-" + std::to_string(key_bits_);
  }

  void set_up(const Session& session, uint64_t seed) override {
    seed_ = seed;
    const AesExample example = aes_example(key_bits_);
    aes_ = std::make_unique<Aes>(example.key);
    Random random(seed);
    cipher_.resize(blocks_);
    for (Aes::Block& block : cipher_)
      for (uint8_t& byte : block) byte = static_cast<uint8_t>(random.next());
    cipher_[0] = example.cipher;
    first_plain_ = example.plain;
    shared_cipher_.resize(blocks_);
    shared_plain_.resize(blocks_);
    plain_.resize(blocks_);

    const cl::Context context = cpp_context(session);
    queue_ = cpp_queue(session);
    std::vector<Aes::Block> round_keys = aes_->round_keys();
    std::array<uint8_t, 256> inverse = Aes::inverse_s_box();
    device_keys_ = cl::Buffer(context, round_keys.begin(), round_keys.end(), /*readOnly=*/true);
    device_inverse_ = cl::Buffer(context, inverse.begin(), inverse.end(), /*readOnly=*/true);
    device_cipher_ = cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, bytes_of(shared_cipher_),
                                shared_cipher_.data());
    device_plain_ = cl::Buffer(context, CL_MEM_WRITE_ONLY | CL_MEM_USE_HOST_PTR, bytes_of(shared_plain_),
                               shared_plain_.data());
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
    std::copy(cipher_.begin(), cipher_.end(), static_cast<Aes::Block*>(mapped));
    queue_.enqueueUnmapMemObject(device_cipher_, mapped, nullptr, Into(events.upload));
  }
  void launch(JobEvents& events) override {
    queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(round_up(4 * blocks_, kLocal)),
                                cl::NDRange(kLocal), nullptr, Into(events.kernel));
  }
  void download(JobEvents& events) override {
    void* mapped = queue_.enqueueMapBuffer(device_plain_, CL_TRUE, CL_MAP_READ, 0, bytes_of(shared_plain_),
                                           nullptr, Into(events.download));
    std::copy(shared_plain_.begin(), shared_plain_.end(), plain_.begin());
    queue_.enqueueUnmapMemObject(device_plain_, mapped, nullptr, Into(events.download));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(plain_)); }

  // Exact: the first block against the standard's example, all or a sample against the reference.
  std::string verify() override {
    std::string wrong = compare(plain_[0], first_plain_);
    for (size_t at : to_verify(blocks_, kChecked, seed_ + 1)) {
      if (!wrong.empty()) break;
      wrong = compare(plain_[at], aes_->decrypt(cipher_[at]));
      if (!wrong.empty()) wrong += " in block " + std::to_string(at);
    }
    return wrong;
  }

 private:
  cl_uint blocks_ = 0;
  size_t key_bits_ = 0;
  uint64_t seed_ = 0;
  std::unique_ptr<Aes> aes_;
  std::vector<Aes::Block> cipher_, plain_;
  Aes::Block first_plain_{};
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
