// Ranks on MPI, in a library of its own: nothing else needs MPI, at build time or at run time.
#include <mpi.h>

#include "analysis/experiment/ranks.h"

namespace samcl::analysis {
namespace {

constexpr int kTag = 0;

class MpiRanks : public Ranks {
 public:
  // Only the thread of the moment calls, but not always the same one.
  MpiRanks() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    if (provided < MPI_THREAD_SERIALIZED) MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MpiRanks(const MpiRanks&) = delete;
  MpiRanks& operator=(const MpiRanks&) = delete;
  ~MpiRanks() override { MPI_Finalize(); }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const Message& message) override {
    MPI_Send(message.data(), static_cast<int>(message.size()), MPI_INT64_T, to, kTag, MPI_COMM_WORLD);
  }

  std::optional<std::pair<int, Message>> poll() override {
    int arrived = 0, count = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, MPI_COMM_WORLD, &arrived, &status);
    if (!arrived) return std::nullopt;
    MPI_Get_count(&status, MPI_INT64_T, &count);
    Message message(static_cast<size_t>(count));
    MPI_Recv(message.data(), count, MPI_INT64_T, status.MPI_SOURCE, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return std::pair(status.MPI_SOURCE, std::move(message));
  }

 private:
  int rank_ = 0, size_ = 1;
};

}  // namespace
}  // namespace samcl::analysis

extern "C" __attribute__((visibility("default"))) samcl::analysis::Ranks* samcl_open_mpi_ranks() {
  return new samcl::analysis::MpiRanks;
}
