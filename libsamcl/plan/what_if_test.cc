// Imagined machines, by what follows of a launch: where it is split, what the longest part computes and what moves.
#include "libsamcl/plan/what_if.h"

#include <gtest/gtest.h>

#include "libsamcl/objects/context.h"
#include "libsamcl/observe/prediction.h"
#include "libsamcl/testing/simulated_machine.h"

namespace samcl {
namespace {

using testing::Footprints;
using testing::SimulatedMachine;
using testing::Translated;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kItems = 1 << 16;
constexpr uint64_t kBytes = kItems * sizeof(cl_uint);
// 1 GB/s, so that bytes are ns.
const std::string kLink = ",link=1GB/s,latency=10us,start=1us";

struct WhatIfTest : ::testing::Test {
  WhatIfTest() { prediction::begin("a test's", {1, 1, 1, 1}); }

  SimulatedMachine machine{1};
  const std::shared_ptr<Context>& context = machine.context;

  LaunchRequest request(const Translated& translated, const std::vector<BufferPtr>& arguments) {
    const auto kernel = machine.kernel(translated, [](size_t, const auto&) {});
    for (cl_uint i = 0; i < arguments.size(); ++i) {
      const cl_mem handle = arguments[i]->api();
      kernel->set_argument(i, sizeof handle, &handle);
    }
    LaunchRequest request{kernel, kernel->arguments(), {}, true, {}};
    request.ndrange.global[0] = kItems;
    request.ndrange.local[0] = 16;
    return request;
  }
  WhatIf::Launch follow(WhatIf& what_if, const LaunchRequest& request, uint64_t whole_ns) {
    return what_if.follow(request, options_of(request, *context, Interest::whole).whole, *context, whole_ns);
  }
  BufferPtr filled_by_program() {
    auto buffer = machine.buffer(kItems);
    buffer->storage->written_by_program({0, kBytes}, only(kHost));
    return buffer;
  }

  // b[i] = a[i]; b[i] = a[i] + a[i + 1]; b[i] = a[anywhere].
  static Translated each() {
    return Translated("each").reads().writes().footprint(
        Footprints().element(0, Footprints::surely_reads).element(1, Footprints::surely_writes));
  }
  static Translated neighbours() {
    return Translated("neighbours")
        .reads()
        .writes()
        .footprint(Footprints()
                       .element(0, Footprints::surely_reads)
                       .element(0, Footprints::reads, 1)
                       .element(1, Footprints::surely_writes));
  }
};

WhatIf imagine(const std::string& devices) {
  return WhatIf(parse_imagined_machines("devices=" + devices + kLink).value());
}

TEST_F(WhatIfTest, OneDeviceComesFirst) {
  EXPECT_EQ(imagine("2,64").devices(), (std::vector<unsigned>{1, 2, 64}));
  EXPECT_EQ(imagine("1,2").devices(), (std::vector<unsigned>{1, 2}));
}

TEST_F(WhatIfTest, EachDeviceComputesAndUploadsItsPart) {
  WhatIf what_if = imagine("2,64,512");
  const auto on = follow(what_if, request(each(), {filled_by_program(), machine.buffer(kItems)}), 1000 * kMs).on;
  ASSERT_EQ(on.size(), 4u);
  EXPECT_FALSE(on[0].is_split);
  EXPECT_EQ(on[0].share, 1);
  EXPECT_EQ(on[0].moving_ns, 10'000 + kBytes);
  EXPECT_TRUE(on[1].is_split);
  EXPECT_EQ(on[1].share, 0.5);
  EXPECT_EQ(on[1].moving_ns, 10'000 + kBytes / 2 + kHandOver);
  EXPECT_TRUE(on[2].is_split);
  EXPECT_EQ(on[2].share, 1.0 / 64);
  EXPECT_EQ(on[2].moving_ns, 10'000 + kBytes / 64 + kHandOver + 62'000);
  EXPECT_EQ(on[3].moving_ns, 10'000 + kBytes / 512 + kHandOver + 510'000) << "more devices than a mask has bits";
}

TEST_F(WhatIfTest, TheHostsUplinkCarriesWhatAllNeed) {
  WhatIf what_if(parse_imagined_machines("devices=64,uplink=500MB/s" + kLink).value());
  const auto on = follow(what_if, request(each(), {filled_by_program(), machine.buffer(kItems)}), 1000 * kMs).on;
  EXPECT_EQ(on[1].moving_ns, 2 * kBytes + kHandOver + 62'000);
}

TEST_F(WhatIfTest, AStencilThatGoesOnMovesItsHalosOnly) {
  WhatIf what_if = imagine("4");
  const auto a = filled_by_program(), b = machine.buffer(kItems);
  follow(what_if, request(neighbours(), {a, b}), 1000 * kMs);
  const auto on = follow(what_if, request(neighbours(), {b, a}), 1000 * kMs).on;
  EXPECT_EQ(on[0].moving_ns, 0u);
  EXPECT_TRUE(on[1].is_split);
  EXPECT_EQ(on[1].moving_ns, 10'000 + sizeof(cl_uint) + kHandOver + 2'000);
}

TEST_F(WhatIfTest, WhatIsShortOrUnknownStaysWhole) {
  WhatIf what_if = imagine("4");
  const auto one = request(each(), {filled_by_program(), machine.buffer(kItems)});
  EXPECT_FALSE(follow(what_if, one, 0).on[1].is_split);
  EXPECT_FALSE(follow(what_if, one, kHandOver).on[1].is_split);
}

TEST_F(WhatIfTest, KernelsHaveNoPartsBeforeTheyHaveTakenAsLongAsTheseTakeToBuild) {
  machine.build_ns = 100 * kMs;
  WhatIf what_if = imagine("2");
  const auto one = request(each(), {filled_by_program(), machine.buffer(kItems)});
  const auto before = follow(what_if, one, 60 * kMs);
  EXPECT_FALSE(before.on[1].is_split);
  EXPECT_TRUE(before.on[1].is_unbuilt);
  EXPECT_EQ(before.on[1].parts, 1u);
  one.kernel->cost_model->took_ns = 120 * kMs;
  auto beside = follow(what_if, one, 60 * kMs);
  EXPECT_FALSE(beside.on[1].is_split) << "they are being built";
  EXPECT_TRUE(beside.on[1].is_unbuilt);
  what_if.took(beside, 120 * kMs);
  const auto after = follow(what_if, one, 60 * kMs);
  EXPECT_TRUE(after.on[1].is_split);
  EXPECT_FALSE(after.on[1].is_unbuilt);
  EXPECT_EQ(after.on[1].parts, 2u);
}

TEST_F(WhatIfTest, ALongLaunchWaitsUntilItsPartsAreBuilt) {
  machine.build_ns = 100 * kMs;
  WhatIf what_if = imagine("2");
  const auto on = follow(what_if, request(each(), {filled_by_program(), machine.buffer(kItems)}), 1000 * kMs).on;
  EXPECT_TRUE(on[1].is_split);
  EXPECT_EQ(on[1].moving_ns, 100 * kMs + 10'000 + kBytes / 2 + kHandOver);
}

// Each launch loses 25 us on one device; to go over takes half of the bytes and a margin.
TEST_F(WhatIfTest, AProgramGoesOverWhenItHasLostMoreThanThatTakes) {
  WhatIf what_if = imagine("2");
  const auto one = request(each(), {filled_by_program(), machine.buffer(kItems)});
  unsigned whole = 0;
  while (whole < 20 && !follow(what_if, one, 100'000).on[1].is_split) ++whole;
  EXPECT_GE(whole, 2u);
  EXPECT_LE(whole, 6u);
}

TEST_F(WhatIfTest, WhatMustNotBeSplitIsNot) {
  WhatIf what_if = imagine("4");
  const auto on =
      follow(what_if, request(each().stays_whole("says so"), {filled_by_program(), machine.buffer(kItems)}), 1000 * kMs)
          .on;
  EXPECT_FALSE(on[1].is_split);
  EXPECT_EQ(on[1].share, 1);
}

// Building it for more devices would change nothing.
TEST_F(WhatIfTest, WhatMustNotBeSplitIsNotWaitingForItsParts) {
  machine.build_ns = 100 * kMs;
  WhatIf what_if = imagine("4");
  const auto one = request(each().stays_whole("says so"), {filled_by_program(), machine.buffer(kItems)});
  EXPECT_FALSE(follow(what_if, one, 60 * kMs).on[1].is_unbuilt);
}

// Four work-groups for 64 devices.
TEST_F(WhatIfTest, DevicesBeyondTheWorkGroupsDoNothing) {
  WhatIf what_if = imagine("64");
  auto few = request(each(), {filled_by_program(), machine.buffer(kItems)});
  few.ndrange.global[0] = 64;
  EXPECT_EQ(follow(what_if, few, 1000 * kMs).on[1].parts, 4u);
}

TEST_F(WhatIfTest, ACopyLiesWhereItsSourceDid) {
  WhatIf what_if = imagine("4");
  const auto a = filled_by_program(), b = machine.buffer(kItems), c = machine.buffer(kItems);
  follow(what_if, request(each(), {a, b}), 1000 * kMs);
  what_if.copied(*b->storage, {0, kBytes}, *c->storage, 0);
  const auto on = follow(what_if, request(each(), {c, a}), 1000 * kMs).on;
  EXPECT_TRUE(on[1].is_split);
  EXPECT_EQ(on[1].moving_ns, kHandOver + 2'000) << "each has its part already";
}

TEST_F(WhatIfTest, ZerosMoveNowhere) {
  WhatIf what_if = imagine("4");
  const auto a = filled_by_program();
  what_if.filled_with_zeros(*a->storage, {0, kBytes});
  EXPECT_EQ(follow(what_if, request(each(), {a, machine.buffer(kItems)}), 1000 * kMs).on[1].moving_ns,
            kHandOver + 2'000);
}

}  // namespace
}  // namespace samcl
