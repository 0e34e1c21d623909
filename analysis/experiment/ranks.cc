// Messages. To the leader: {kAsk}: a thread wants a block; {block, counts...}: it has counted that and wants
// the next one; {kLeft}: the process's threads have all ended. To a follower: {block} or {kNoMore}, one per
// want.
#include "analysis/experiment/ranks.h"

#include <chrono>
#include <thread>

namespace samcl::analysis {
namespace {

constexpr int64_t kAsk = -1, kLeft = -2, kNoMore = -3;
constexpr auto kPause = std::chrono::microseconds(200);  // short beside a block, long beside a look

std::pair<int, Message> receive(Ranks& ranks) {
  while (true) {
    if (auto arrived = ranks.poll()) return *std::move(arrived);
    std::this_thread::sleep_for(kPause);
  }
}

void serve(BlockQueue& queue, Ranks& ranks) {
  for (int left = ranks.size() - 1; left > 0;) {
    const auto [from, message] = receive(ranks);
    if (message[0] == kLeft) {
      --left;
      continue;
    }
    if (message[0] != kAsk) queue.finish(message[0], {message.begin() + 1, message.end()});
    ranks.send(from, {queue.next().value_or(kNoMore)});
  }
}

}  // namespace

void lead(const BlockExperiment& experiment, BlockQueue& queue, int threads, Ranks& ranks) {
  std::thread counting([&] { count_blocks(experiment, queue, threads); });
  serve(queue, ranks);
  counting.join();
}

void follow(const BlockExperiment& experiment, int threads, Ranks& ranks) {
  std::mutex talking;
  const auto exchange = [&](const Message& message) {
    const std::lock_guard lock(talking);
    ranks.send(0, message);
    return receive(ranks).second[0];
  };
  on_threads(threads, [&] {
    for (int64_t block = exchange({kAsk}); block != kNoMore;) {
      Message result = {block};
      const Counts counts = experiment.count(block);
      result.insert(result.end(), counts.begin(), counts.end());
      block = exchange(result);
    }
  });
  ranks.send(0, {kLeft});
}

}  // namespace samcl::analysis
