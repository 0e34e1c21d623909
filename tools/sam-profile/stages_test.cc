#include "tools/sam-profile/stages.h"

#include <gmock/gmock.h>

#include "tools/sam-profile/commands_test.h"

namespace samcl::profile {
namespace {

using ::testing::SizeIs;

Job job_of(Time begin, Time end, std::vector<Command> commands) { return {begin, end, std::move(commands)}; }

TEST(Stages, UploadLaunchDownloadWithTheHostBetween) {
  const JobStages stages =
      stages_of(job_of(100, 200, {transfer(kWrite, 105, 115), launch("k", 120, 160), transfer(kRead, 162, 190)}));
  ASSERT_THAT(stages.launches, SizeIs(1));
  ASSERT_THAT(stages.intervals, SizeIs(2));
  EXPECT_EQ(stages.intervals[0].host_before, 5);
  EXPECT_EQ(stages.intervals[0].transfers.time, 10);
  EXPECT_EQ(stages.intervals[0].host_after, 5);
  EXPECT_EQ(stages.launches[0].work.time, 40);
  EXPECT_EQ(stages.launches[0].kernel, "k");
  EXPECT_EQ(stages.intervals[1].host_before, 2);
  EXPECT_EQ(stages.intervals[1].transfers.time, 28);
  EXPECT_EQ(stages.intervals[1].host_after, 10);
  EXPECT_EQ(stages.host_time() + stages.transfer_time() + stages.launch_time(), stages.length);
  EXPECT_EQ(stages.overlap, 0);
}

TEST(Stages, TransfersBetweenTwoKernelsAreOneStage) {
  const JobStages stages =
      stages_of(job_of(0, 100, {transfer(kWrite, 2, 10), transfer(kWrite, 13, 20), launch("k", 25, 100)}));
  EXPECT_EQ(stages.intervals[0].host_before, 2);
  EXPECT_EQ(stages.intervals[0].transfers.time, 15);
  EXPECT_EQ(stages.intervals[0].transfers.section, 8);
  EXPECT_EQ(stages.intervals[0].transfer_count, 2u);
  EXPECT_EQ(stages.intervals[0].transfers.requests, 2u);
  EXPECT_EQ(stages.intervals[0].transfers.between, 3);
  EXPECT_EQ(stages.intervals[0].host_after, 5);
  EXPECT_EQ(stages.host_time(), 2 + 3 + 5);
}

Span with_host(Span span, Time host, Time longest_piece_cpu) {
  span.host = host;
  span.longest_piece_cpu = longest_piece_cpu;
  return span;
}

TEST(Stages, CpuTimeIsThatOfTheLongestDeviceAndOfAllTransfers) {
  Command write{kWrite, "", 0, 40, {with_host(link(0, 0, 20, 2, 12), 15, 9), with_host(link(0, 20, 40), 10, 10)}};
  Command split{
      kKernel, "k", 40, 100, {with_host(gpu(0, 40, 100, 4, 20), 12, 4), with_host(gpu(1, 40, 80, 2, 20), 30, 2)}};
  const JobStages stages = stages_of(job_of(0, 100, {write, split}));
  EXPECT_EQ(stages.intervals[0].transfers.host, 25);
  EXPECT_EQ(stages.intervals[0].transfers.host_section, 10);
  EXPECT_EQ(stages.launches[0].work.host, 30);
  EXPECT_EQ(stages.launches[0].work.host_section, 8) << "two slices are in flight";
}

TEST(Stages, CpuTimeThatIsNotKnownIsNotTold) {
  Command one{kKernel, "k", 0, 40, {with_host(gpu(0, 0, 20), 5, 5), gpu(0, 20, 40)}};
  EXPECT_EQ(stages_of(job_of(0, 40, {one})).launches[0].work.host, kNotTold);
  constexpr Time kMs = 1'000'000;
  Command threads{kWrite, "", 0, kMs, {with_host(link(0, 0, kMs), 3 * kMs, 3 * kMs)}};
  EXPECT_EQ(stages_of(job_of(0, kMs, {threads})).intervals[0].transfers.host, kNotTold) << "more than a CPU can do";
}

TEST(Stages, OneRequestIsWhatDoesNotWaitForTheOneBefore) {
  // Both links at once, and then one after the other within one command.
  Command write{kWrite, "", 0, 40, {link(0, 0, 40), link(1, 10, 30)}};
  EXPECT_EQ(stages_of(job_of(0, 60, {write})).intervals[0].transfers.requests, 1u);
  Command copy{kWrite, "", 0, 60, {link(0, 0, 20), link(1, 25, 40), link(0, 30, 60)}};
  const JobStages stages = stages_of(job_of(0, 60, {copy}));
  EXPECT_EQ(stages.intervals[0].transfers.requests, 2u);
  EXPECT_EQ(stages.intervals[0].transfers.between, 5);
  EXPECT_EQ(stages.intervals[0].host_after, 0);
}

TEST(Stages, AKernelThatRunsTwiceOnADeviceAsksTwice) {
  Command twice{kKernel, "k", 0, 50, {gpu(0, 0, 20), gpu(1, 0, 20), gpu(0, 24, 50)}};
  const JobStages stages = stages_of(job_of(0, 50, {twice}));
  EXPECT_EQ(stages.launches[0].work.time, 46);
  EXPECT_EQ(stages.launches[0].work.requests, 2u);
  EXPECT_EQ(stages.launches[0].work.between, 4);
  EXPECT_EQ(stages.host_time(), 4);
}

TEST(Stages, LinksThatAreInUseAtTheSameTimeCountOnce) {
  Command write{kWrite, "", 0, 60, {link(0, 0, 40), link(1, 10, 60)}};
  const JobStages stages = stages_of(job_of(0, 60, {write}));
  EXPECT_EQ(stages.transfer_time(), 60);
  EXPECT_EQ(stages.intervals[0].transfers.section, 50);
}

TEST(Stages, OfALaunchTheLongestDeviceCounts) {
  Command split{kKernel, "k", 0, 90, {gpu(0, 0, 70), gpu(1, 5, 90)}};
  const JobStages stages = stages_of(job_of(0, 90, {split}));
  EXPECT_EQ(stages.launches[0].work.time, 85);
  EXPECT_EQ(stages.launches[0].devices, 2u);
  EXPECT_EQ(stages.host_time(), 5) << "until device 1 began";
}

TEST(Stages, WhatALaunchFetchesFirstIsATransferBeforeIt) {
  // Device 1 fetches when device 0 computes already.
  Command split{kKernel, "k", 0, 100, {link(0, 0, 10), gpu(0, 10, 60), link(1, 12, 30), gpu(1, 30, 100)}};
  const JobStages stages = stages_of(job_of(0, 100, {split}));
  ASSERT_THAT(stages.launches, SizeIs(1));
  EXPECT_EQ(stages.intervals[0].transfers.time, 28);
  EXPECT_EQ(stages.launches[0].work.time, 70);
  EXPECT_EQ(stages.intervals[1].transfer_count, 0u);
  EXPECT_EQ(stages.host_time(), 2);
}

TEST(Stages, MergingIsTransfersAndHostTimeAfterTheKernel) {
  Command split{
      kKernel, "k", 0, 100, {gpu(0, 0, 50), gpu(1, 0, 50), merging(0, 55, 100), link(0, 60, 70), link(1, 70, 80)}};
  const JobStages stages = stages_of(job_of(0, 100, {split}));
  EXPECT_EQ(stages.launches[0].work.time, 50);
  EXPECT_EQ(stages.intervals[1].transfers.time, 20);
  EXPECT_EQ(stages.intervals[1].transfers.between, 0) << "each follows the one before at once";
  EXPECT_EQ(stages.intervals[1].merging.time, 30);
  EXPECT_EQ(stages.intervals[1].host_after, 0);
  EXPECT_EQ(stages.intervals[0].host_before, 0);
}

TEST(Stages, MergingHasAsManyThreadsAsItMergesIn) {
  Command split{
      kKernel,
      "k",
      0,
      100,
      {gpu(0, 0, 50), gpu(1, 0, 50), merging(0, 55, 100), merging(1, 55, 95), link(0, 60, 70), link(1, 75, 80)}};
  // The host goes on for 20, and then reads.
  const JobStages stages = stages_of(job_of(0, 130, {split, transfer(kRead, 120, 130)}));
  const BetweenLaunches& after = stages.intervals[1];
  EXPECT_EQ(after.transfers.requests, 3u);
  EXPECT_EQ(after.transfers.between, 5 + 30 + 20) << "between the first two, merging, and the host";
  EXPECT_EQ(after.transfers.threads, 2u);
  EXPECT_EQ(after.merging.time, 0) << "transfers follow";
  const BetweenLaunches at_end = stages_of(job_of(0, 130, {split})).intervals[1];
  EXPECT_EQ(at_end.merging.time, 30);
  EXPECT_EQ(at_end.merging.threads, 2u);
  EXPECT_EQ(at_end.host_after, 30) << "by one thread";
}

TEST(Stages, CpuTimeOfTransfersIsThatOfTheLinkWithMost) {
  Command write{kWrite, "", 0, 100, {link(0, 0, 40), link(1, 0, 100), link(0, 40, 60)}};
  write.spans[0].host = 10;
  write.spans[1].host = 25;
  write.spans[2].host = 5;
  for (Span& span : write.spans) span.longest_piece_cpu = span.host;
  EXPECT_EQ(stages_of(job_of(0, 100, {write})).intervals[0].transfers.host, 25);
}

TEST(Stages, OfASlicedKernelTwoSlicesCannotBeInterrupted) {
  Command sliced{kKernel, "k", 0, 100, {gpu(0, 0, 100, 10, 12)}};
  EXPECT_EQ(stages_of(job_of(0, 100, {sliced})).launches[0].work.section, 24);
  Command two{kKernel, "k", 0, 100, {gpu(0, 0, 100, 2, 60)}};
  EXPECT_EQ(stages_of(job_of(0, 100, {two})).launches[0].work.section, 100) << "no more than there is";
  Command whole{kKernel, "k", 0, 100, {gpu(0, 0, 100)}};
  EXPECT_EQ(stages_of(job_of(0, 100, {whole})).launches[0].work.section, 100);
}

TEST(Stages, OfAChunkedTransferOneChunkCannotBeInterrupted) {
  Command chunked{kWrite, "", 0, 100, {link(0, 0, 100, 4, 27)}};
  EXPECT_EQ(stages_of(job_of(0, 100, {chunked})).intervals[0].transfers.section, 27);
}

TEST(Stages, WhatOverlapsCountsInFull) {
  // The next transfer runs beside the kernel.
  const JobStages stages =
      stages_of(job_of(0, 100, {launch("k", 0, 80), transfer(kWrite, 20, 60), launch("l", 80, 100)}));
  EXPECT_EQ(stages.launch_time(), 100);
  EXPECT_EQ(stages.transfer_time(), 40);
  EXPECT_EQ(stages.overlap, 40);
}

TEST(Stages, CommandsThatNeedNoDeviceAreHostTime) {
  Command marker{0x11FE, "", 10, 11, {}};
  const JobStages stages = stages_of(job_of(0, 50, {marker, launch("k", 20, 50)}));
  EXPECT_EQ(stages.intervals[0].host_before, 20);
}

TEST(Stages, AFillRunsOnTheGpuWithoutAKernel) {
  Command fill{0x1207, "", 0, 10, {gpu(0, 0, 10)}};
  EXPECT_EQ(stages_of(job_of(0, 10, {fill})).launches[0].kernel, "(fill, copy or image)");
}

}  // namespace
}  // namespace samcl::profile
