// AES encryption. The blocks go in chunks through three queues, for writing, computing and reading, tied by
// events, so that a chunk can travel while another is encrypted; a chunk's kernel starts at a global offset.
#include <algorithm>

#include "AESEncrypt.cl.h"
#include "benchmarks/host/commands.h"
#include "benchmarks/programs/aes_blocks.h"

namespace {

using namespace bench;

constexpr size_t kLocal = 64;
constexpr size_t kChunks = 4;

class AESEncrypt : public AesBlocks {
 public:
  AESEncrypt() : AesBlocks(Direction::kEncrypt) {}

  const char* name() const override { return "AESEncrypt"; }
  void set_up(const Session& session, uint64_t seed) override {
    make_input(seed);
    std::vector<cl_uint> table;
    for (uint8_t s : Aes::s_box())
      table.push_back(Aes::product(s, 2) | s << 8 | s << 16 | cl_uint{Aes::product(s, 3)} << 24);
    std::vector<Aes::Block> round_keys = aes_->round_keys();
    device_table_ = session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(table), table.data());
    device_keys_ =
        session.make_buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, bytes_of(round_keys), round_keys.data());
    device_plain_ = session.make_buffer(CL_MEM_READ_ONLY, bytes_of(given_));
    device_cipher_ = session.make_buffer(CL_MEM_WRITE_ONLY, bytes_of(result_));
    writing_ = session.make_queue();
    computing_ = session.make_queue();
    reading_ = session.make_queue();
    program_ = session.build(kAESEncryptCl);
    kernel_ = make_kernel(program_, "encrypt");
    set_arguments(kernel_, device_plain_, device_cipher_, device_keys_, cl_uint{aes_->rounds()}, device_table_,
                  blocks_);
  }

  void upload(JobEvents& events) override {
    for (const Chunk& chunk : chunks())
      check(clEnqueueWriteBuffer(writing_.get(), device_plain_.get(), CL_FALSE, chunk.first * sizeof(Aes::Block),
                                 chunk.count * sizeof(Aes::Block), &given_[chunk.first], 0, nullptr,
                                 events.upload.add()));
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
      check(clEnqueueReadBuffer(reading_.get(), device_cipher_.get(), CL_FALSE, chunk.first * sizeof(Aes::Block),
                                chunk.count * sizeof(Aes::Block), &result_[chunk.first], 1, &events.kernel.data()[i++],
                                events.download.add()));
    check(clFinish(reading_.get()));
  }

 private:
  struct Chunk {
    size_t first, count;
  };
  // Whole work-groups each, save the last.
  std::vector<Chunk> chunks() const {
    std::vector<Chunk> cut;
    const size_t each = round_up((blocks_ + kChunks - 1) / kChunks, kLocal);
    for (size_t first = 0; first < blocks_; first += each) cut.push_back({first, std::min(each, blocks_ - first)});
    return cut;
  }

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
