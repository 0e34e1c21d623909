// AES encryption. The blocks go in chunks through three queues, for writing, computing and reading, tied by
// events, so that a chunk can travel while another is encrypted; a chunk's kernel starts at a global offset.
#include <algorithm>

#include "AESEncrypt.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/host/compare.h"
#include "benchmarks/host/random.h"
#include "benchmarks/host/run.h"
#include "benchmarks/reference/aes.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr size_t kChunks = 4;
constexpr size_t kChecked = 1 << 16;  // blocks compared with the reference, if there are more

class AESEncrypt : public Workload {
 public:
  const char* name() const override { return "AESEncrypt"; }
  void add_sizes(Sizes& sizes) override {
    sizes.add("--blocks", blocks_, {.usual = 1 << 20, .small = 1009, .least = 1, .most = 1 << 26},
              "Blocks of 16 bytes");
    sizes.add("--key-bits", key_bits_, {.usual = 128, .small = 192, .least = 128, .most = 256},
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
    plain_.resize(blocks_);
    cipher_.resize(blocks_);
    for (Aes::Block& block : plain_)
      for (uint8_t& byte : block) byte = static_cast<uint8_t>(random.next());
    plain_[0] = example.plain;
    first_cipher_ = example.cipher;

    std::vector<cl_uint> table;
    for (uint8_t s : Aes::s_box())
      table.push_back(Aes::product(s, 2) | s << 8 | s << 16 | cl_uint{Aes::product(s, 3)} << 24);
    std::vector<Aes::Block> round_keys = aes_->round_keys();
    device_table_ =
        session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(table), table.data());
    device_keys_ =
        session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(round_keys), round_keys.data());
    device_plain_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(plain_));
    device_cipher_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(cipher_));
    writing_ = session.make_queue();
    computing_ = session.make_queue();
    reading_ = session.make_queue();
    program_ = session.build(kAESEncryptCl);
    kernel_ = make_kernel(program_, "encrypt");
    set_arguments(kernel_, device_plain_, device_cipher_, device_keys_, cl_uint{aes_->rounds()},
                  device_table_, blocks_);
  }

  void upload(JobEvents& events) override {
    for (const Chunk& chunk : chunks())
      check(clEnqueueWriteBuffer(writing_.get(), device_plain_.get(), CL_FALSE,
                                 chunk.first * sizeof(Aes::Block), chunk.count * sizeof(Aes::Block),
                                 &plain_[chunk.first], 0, nullptr, events.upload.add()));
    check(clFlush(writing_.get()));
  }
  void launch(JobEvents& events) override {
    const size_t local = kLocal;
    size_t i = 0;
    for (const Chunk& chunk : chunks()) {
      const size_t global = round_up(chunk.count, kLocal);
      check(clEnqueueNDRangeKernel(computing_.get(), kernel_.get(), 1, &chunk.first, &global, &local, 1,
                                   &events.upload.data()[i++], events.kernel.add()));
    }
    check(clFlush(computing_.get()));
  }
  void download(JobEvents& events) override {
    size_t i = 0;
    for (const Chunk& chunk : chunks())
      check(clEnqueueReadBuffer(reading_.get(), device_cipher_.get(), CL_FALSE,
                                chunk.first * sizeof(Aes::Block), chunk.count * sizeof(Aes::Block),
                                &cipher_[chunk.first], 1, &events.kernel.data()[i++], events.download.add()));
    check(clFinish(reading_.get()));
  }

  std::span<std::byte> result() override { return std::as_writable_bytes(std::span(cipher_)); }

  // Exact: the first block against the standard's example, all or a sample against the reference.
  std::string verify() override {
    std::string wrong = compare(cipher_[0], first_cipher_);
    for (size_t at : to_verify(blocks_, kChecked, seed_ + 1)) {
      if (!wrong.empty()) break;
      wrong = compare(cipher_[at], aes_->encrypt(plain_[at]));
      if (!wrong.empty()) wrong += " in block " + std::to_string(at);
    }
    return wrong;
  }

 private:
  struct Chunk {
    size_t first, count;
  };
  // Whole work-groups each, save the last.
  std::vector<Chunk> chunks() const {
    std::vector<Chunk> cut;
    const size_t each = round_up((blocks_ + kChunks - 1) / kChunks, kLocal);
    for (size_t first = 0; first < blocks_; first += each)
      cut.push_back({first, std::min(each, blocks_ - first)});
    return cut;
  }

  cl_uint blocks_ = 0;
  size_t key_bits_ = 0;
  uint64_t seed_ = 0;
  std::unique_ptr<Aes> aes_;
  std::vector<Aes::Block> plain_, cipher_;
  Aes::Block first_cipher_{};
  Queue writing_, computing_, reading_;
  Buffer device_table_, device_keys_, device_plain_, device_cipher_;
  Program program_;
  Kernel kernel_;
};

}  // namespace

int main(int argc, char** argv) {
  AESEncrypt program;
  return run(program, argc, argv);
}
