#include "libsamcl/plan/accesses.h"

#include <gmock/gmock.h>

#include <cstring>

#include "libsamcl/testing/fake_driver.h"
#include "libsamcl/testing/footprints.h"

namespace samcl {
namespace {

using ::testing::ElementsAre;
using testing::Footprints;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kItems = 1 << 20;
constexpr uint64_t kBytes = kItems * sizeof(cl_uint);
constexpr Range kAll{0, kBytes}, kFirst{0, kBytes / 2}, kSecond{kBytes / 2, kBytes};

struct AccessesTest : ::testing::Test {
  testing::FakeDriver driver{2};
  std::shared_ptr<Context> context = driver.make_context();
  KernelTranslation kernel;  // of which every argument may be written, one uint at a time, unless a test says else
  std::vector<Argument> given;
  Arguments arguments() const {
    Arguments made(given.size());
    for (size_t i = 0; i < given.size(); ++i) made.set(i, given[i]);
    return made;
  }
  Ndrange ndrange{.global = {kItems, 1, 1}, .local = {64, 1, 1}};
  BufferAccesses accesses;

  std::shared_ptr<Buffer> make_buffer(uint64_t bytes = kBytes) {
    auto storage = std::make_shared<Storage>(context, bytes, nullptr);
    return Buffer::make_shared(context, storage, Range{0, bytes}, cl_mem_flags{}, nullptr, nullptr,
                               std::vector<cl_mem_properties>{});
  }
  std::shared_ptr<Buffer> part_of(const std::shared_ptr<Buffer>& parent, Range range) const {
    return Buffer::make_shared(context, parent->storage, range, cl_mem_flags{}, nullptr, parent,
                               std::vector<cl_mem_properties>{});
  }

  void pass(std::shared_ptr<Buffer> buffer, bool written = true) {
    Argument argument;
    argument.set = true;
    argument.size = sizeof(cl_mem);
    argument.buffer = std::move(buffer);
    given.push_back(argument);
    KernelArgument facts;
    facts.kind = ArgumentKind::global_buffer;
    facts.may_read = true;
    facts.may_write = written;
    facts.store_width = written ? sizeof(cl_uint) : 0;
    kernel.arguments.push_back(facts);
  }
  void pass(uint64_t value) {
    Argument argument;
    argument.set = true;
    argument.size = sizeof value;
    argument.bytes.resize(sizeof value);
    std::memcpy(argument.bytes.data(), &value, sizeof value);
    given.push_back(argument);
    KernelArgument facts;
    facts.kind = ArgumentKind::value;
    facts.size = sizeof value;
    kernel.arguments.push_back(facts);
  }

  // In two halves.
  PartitionCost share(const Footprints& footprints) {
    const double equal[] = {1, 1};
    accesses = touched();
    return partition(accesses, &kernel, footprints.made(), arguments(), ndrange, split(ndrange, equal));
  }
  BufferAccesses touched() const { return accesses_of(&kernel, nullptr, arguments(), ndrange, true); }
  BufferAccesses touched(const Footprints& footprints, bool knows_local = true) const {
    const RememberedFootprint footprint = footprints.made();
    return accesses_of(&kernel, &footprint, arguments(), ndrange, knows_local);
  }
};

TEST_F(AccessesTest, EachBufferIsTouchedWhereItIsShown) {
  const auto a = make_buffer(), b = make_buffer();
  pass(a, false);
  pass(7);
  pass(part_of(b, {4096, 8192}));
  const auto found = touched(Footprints());
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].storage, a->storage);
  EXPECT_EQ(found[0].range, kAll);
  EXPECT_FALSE(found[0].written);
  EXPECT_EQ(found[1].storage, b->storage);
  EXPECT_EQ(found[1].range, (Range{4096, 8192}));
  EXPECT_TRUE(found[1].written);
  EXPECT_EQ(found[1].width, sizeof(cl_uint));
}

TEST_F(AccessesTest, ArgumentsThatShowOneStorageAreOneTouch) {
  const auto buffer = make_buffer();
  pass(part_of(buffer, {0, 4096}), false);
  pass(part_of(buffer, {8192, 12288}));
  kernel.arguments[1].store_width = 2;
  pass(part_of(buffer, {4096, 5000}));
  const auto found = touched(Footprints());
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_EQ(found[0].range, (Range{0, 12288}));
  EXPECT_TRUE(found[0].written);
  EXPECT_EQ(found[0].width, 2u) << "of the narrowest store";
}

TEST_F(AccessesTest, NullBuffersAreNoTouches) {
  pass(nullptr);
  EXPECT_THAT(touched(), IsEmpty());
  pass(make_buffer());
  const PartitionCost cost =
      share(Footprints().element(0, Footprints::surely_writes).element(1, Footprints::surely_writes));
  EXPECT_EQ(cost.to_merge, 0u);
  EXPECT_THAT(accesses, SizeIs(1));
}

TEST_F(AccessesTest, OfAnUnknownKernelEveryBufferMayBeWrittenByteByByte) {
  pass(make_buffer(), false);
  const auto found = accesses_of(nullptr, nullptr, arguments(), ndrange, true);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_TRUE(found[0].written);
  EXPECT_EQ(found[0].width, 1u);
}

TEST_F(AccessesTest, DisjointWritesAreShares) {
  pass(make_buffer());
  const PartitionCost cost = share(Footprints().element(0, Footprints::surely_writes));
  EXPECT_EQ(cost, (PartitionCost{0, 2}));
  ASSERT_THAT(accesses[0].shares, SizeIs(2));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(kFirst));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(kSecond));
  EXPECT_THAT(accesses[0].needs(0), IsEmpty()) << "surely overwritten";
  EXPECT_FALSE(accesses[0].to_merge(2));
}

TEST_F(AccessesTest, WhatMayStayUnwrittenIsNeeded) {
  pass(make_buffer());
  share(Footprints().element(0, Footprints::may_write));
  EXPECT_THAT(accesses[0].needs(0), ElementsAre(kFirst));
  EXPECT_THAT(accesses[0].needs(1), ElementsAre(kSecond));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(kSecond));
}

TEST_F(AccessesTest, ReadsMayOverlap) {
  pass(make_buffer(), false);
  const PartitionCost cost = share(Footprints().element(0, Footprints::reads, -1).element(0, Footprints::reads, 1));
  EXPECT_EQ(cost.to_merge, 0u);
  EXPECT_THAT(accesses[0].needs(0), ElementsAre(Range{0, kBytes / 2 + 4})) << "with its neighbour on the right";
  EXPECT_THAT(accesses[0].needs(1), ElementsAre(Range{kBytes / 2 - 4, kBytes}));
  EXPECT_THAT(accesses[0].shares[0].writes, IsEmpty());
}

TEST_F(AccessesTest, UnknownReadsAreOfAllThatIsReached) {
  pass(part_of(make_buffer(), kSecond), false);
  pass(make_buffer(), false);
  share(Footprints().anywhere(0, Footprints::reads).anywhere(1, Footprints::reads));
  for (const size_t part : {0, 1}) {
    EXPECT_THAT(accesses[0].needs(part), ElementsAre(kAll)) << "the parent";
    EXPECT_THAT(accesses[1].needs(part), ElementsAre(kAll));
  }
}

TEST_F(AccessesTest, OverlappingWritesAreMerged) {
  pass(make_buffer());
  const PartitionCost cost =
      share(Footprints().element(0, Footprints::surely_writes).element(0, Footprints::surely_writes, 1));
  EXPECT_EQ(cost.to_merge, 1u);
  EXPECT_THAT(accesses[0].shares, IsEmpty());
  EXPECT_TRUE(accesses[0].to_merge(2));
  EXPECT_FALSE(accesses[0].to_merge(1)) << "one part has nobody to merge with";
  EXPECT_THAT(accesses[0].needs(1), ElementsAre(kAll));
}

TEST_F(AccessesTest, OneElementThatAllWriteIsMerged) {
  pass(make_buffer());
  EXPECT_EQ(share(Footprints().first(0, Footprints::adds)).to_merge, 1u);
}

TEST_F(AccessesTest, UnknownWritesAreMerged) {
  pass(make_buffer());
  pass(make_buffer());
  const PartitionCost cost =
      share(Footprints().anywhere(0, Footprints::may_write).element(1, Footprints::surely_writes));
  EXPECT_EQ(cost.to_merge, 1u) << "the other buffer is known";
  EXPECT_THAT(accesses[0].shares, IsEmpty());
  EXPECT_THAT(accesses[1].shares, SizeIs(2));
}

TEST_F(AccessesTest, UnknownValuesAreUnderstoodAtTheLaunch) {
  pass(make_buffer(2 * kBytes));
  pass(kItems);
  share(Footprints().beyond(0, Footprints::surely_writes, 1));
  ASSERT_THAT(accesses[0].shares, SizeIs(2));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(Range{kBytes, kBytes + kBytes / 2}));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(Range{kBytes + kBytes / 2, 2 * kBytes}));
}

TEST_F(AccessesTest, SubBuffersAreRangesOfTheirStorage) {
  const auto parent = make_buffer(2 * kBytes);
  pass(part_of(parent, {kBytes, 2 * kBytes}));
  share(Footprints().element(0, Footprints::may_write));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(Range{kBytes, kBytes + kBytes / 2}));
  EXPECT_THAT(accesses[0].shares[0].needs, ElementsAre(Range{kBytes, kBytes + kBytes / 2}));
}

TEST_F(AccessesTest, FootprintsEndWithTheParentOfASubBuffer) {
  const auto parent = make_buffer();
  pass(part_of(parent, {kBytes / 4, kBytes / 2}));
  share(Footprints().element(0, Footprints::may_write));
  ASSERT_THAT(accesses[0].shares, SizeIs(2));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(Range{kBytes / 4, 3 * kBytes / 4}));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(Range{3 * kBytes / 4, kBytes}));
}

TEST_F(AccessesTest, SubBuffersAreTouchedAsFarAsTheirKernelsMayGo) {
  const auto parent = make_buffer(4 * kBytes);
  const Range all{0, 4 * kBytes}, part{kBytes, 2 * kBytes};
  pass(part_of(parent, part));
  const auto of_elements = Footprints().element(0, Footprints::may_write);
  EXPECT_EQ(touched(of_elements)[0].range, part);
  EXPECT_EQ(touched(of_elements, false)[0].range, all) << "it may depend on a local size that is not known";
  kernel.depends_on_local_size = false;
  EXPECT_EQ(touched(of_elements, false)[0].range, part);
  EXPECT_EQ(touched(Footprints().element(0, Footprints::may_write, kItems))[0].range, (Range{kBytes, 3 * kBytes}));
  EXPECT_EQ(touched(Footprints().anywhere(0, Footprints::reads))[0].range, all);
  EXPECT_EQ(touched()[0].range, all);
  // Not of what is known to go nowhere.
  EXPECT_EQ(touched(Footprints())[0].range, part);
}

// Part 1 through the first argument and part 0 through the second write the same bytes of the parent.
TEST_F(AccessesTest, WritesThroughOverlappingSubBuffersAreMerged) {
  const auto parent = make_buffer(2 * kBytes);
  pass(part_of(parent, {0, kBytes}));
  pass(part_of(parent, {kBytes / 2, kBytes + kBytes / 2}));
  const auto both = Footprints().element(0, Footprints::surely_writes).element(1, Footprints::surely_writes);
  EXPECT_EQ(share(both).to_merge, 1u);
  EXPECT_THAT(accesses[0].shares, IsEmpty());
}

TEST_F(AccessesTest, WritesThroughApartSubBuffersAreShares) {
  const auto parent = make_buffer(2 * kBytes);
  pass(part_of(parent, {0, kBytes}));
  pass(part_of(parent, {kBytes, 2 * kBytes}));
  const auto both = Footprints().element(0, Footprints::surely_writes).element(1, Footprints::surely_writes);
  EXPECT_EQ(share(both).to_merge, 0u);
  ASSERT_THAT(accesses, SizeIs(1));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(kFirst, Range{kBytes, kBytes + kBytes / 2}));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(kSecond, Range{kBytes + kBytes / 2, 2 * kBytes}));
}

// The same buffer twice, in place: sure writes through one argument do not undo reads through the other.
TEST_F(AccessesTest, ReadsThroughAnAliasAreNeeded) {
  const auto buffer = make_buffer();
  pass(buffer, false);
  pass(buffer);
  share(Footprints().element(0, Footprints::reads).element(1, Footprints::surely_writes));
  ASSERT_THAT(accesses, SizeIs(1));
  EXPECT_THAT(accesses[0].needs(0), ElementsAre(kFirst));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(kFirst));
}

TEST_F(AccessesTest, UnknownWritesThroughAnAliasSpoilTheOther) {
  const auto buffer = make_buffer();
  pass(buffer);
  pass(buffer);
  const auto both = Footprints().element(0, Footprints::surely_writes).anywhere(1, Footprints::may_write);
  EXPECT_EQ(share(both).to_merge, 1u);
}

// Every second element: as many ranges as work-items.
TEST_F(AccessesTest, TooManySingleWritesAreOneWithWhatLiesBetweenThem) {
  pass(make_buffer(2 * kBytes));
  EXPECT_EQ(share(Footprints().element(0, Footprints::surely_writes, 0, 8)).to_merge, 0u);
  ASSERT_THAT(accesses[0].shares, SizeIs(2));
  EXPECT_THAT(accesses[0].shares[0].writes, ElementsAre(Range{0, kBytes - 4}));
  EXPECT_THAT(accesses[0].needs(0), ElementsAre(Range{0, kBytes - 4}));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(Range{kBytes, 2 * kBytes - 4}));
}

// The parts' elements lie between each other's.
TEST_F(AccessesTest, TooManySingleWritesOfSeveralPartsAreMerged) {
  pass(make_buffer(2 * kBytes));
  Footprints both;
  both.element(0, Footprints::surely_writes, 0, 8).element(0, Footprints::surely_writes, kItems / 4, 8);
  EXPECT_EQ(share(both).to_merge, 1u);
}

TEST_F(AccessesTest, FewSingleWritesAreThemselves) {
  pass(make_buffer(2 * kBytes));
  ndrange.global[0] = 128;
  EXPECT_EQ(share(Footprints().element(0, Footprints::surely_writes, 0, 8)).to_merge, 0u);
  ASSERT_THAT(accesses[0].shares, SizeIs(2));
  EXPECT_THAT(accesses[0].shares[0].writes, SizeIs(64));
  EXPECT_EQ(accesses[0].shares[1].writes.front(), (Range{512, 516}));
}

TEST_F(AccessesTest, OfManyRowsWhatLiesBetweenThemIsWrittenToo) {
  pass(make_buffer(2 * kBytes));
  ndrange.global[0] = 256;
  EXPECT_EQ(share(Footprints().element(0, Footprints::surely_writes, 0, 8)).to_merge, 0u);
  ASSERT_THAT(accesses[0].shares, SizeIs(2));
  EXPECT_THAT(accesses[0].shares[1].writes, ElementsAre(Range{1024, 2044}));
  EXPECT_THAT(accesses[0].needs(1), ElementsAre(Range{1024, 2044})) << "so that it is valid there";
  EXPECT_THAT(written_bytes(accesses, 2), ElementsAre(512, 512)) << "what is between them is no work";
}

// A column of a matrix: the rest of it would move from device to device.
TEST_F(AccessesTest, RowsThatAreShortForWhatLiesBetweenThemStayApart) {
  pass(make_buffer(32 * kBytes));
  ndrange.global[0] = 256;
  EXPECT_EQ(share(Footprints().element(0, Footprints::surely_writes, 0, 64)).to_merge, 0u);
  EXPECT_THAT(accesses[0].shares[0].writes, SizeIs(128));
  EXPECT_THAT(accesses[0].needs(0), IsEmpty());
}

TEST_F(AccessesTest, WhatIsWrittenIsKnownOfAllBuffersOrOfNone) {
  pass(make_buffer());
  pass(make_buffer());
  share(Footprints().element(0, Footprints::surely_writes).element(1, Footprints::surely_writes));
  EXPECT_THAT(written_bytes(accesses, 2), ElementsAre(kBytes, kBytes));
  share(Footprints().element(0, Footprints::surely_writes).anywhere(1, Footprints::may_write));
  EXPECT_THAT(written_bytes(accesses, 2), IsEmpty());
}

TEST_F(AccessesTest, SmallGapsBetweenNeedsAreMovedToo) {
  pass(make_buffer(2 * kBytes), false);
  share(Footprints().element(0, Footprints::reads, 0, 8));
  EXPECT_THAT(accesses[0].needs(0), ElementsAre(Range{0, kBytes - 4}));
}

TEST_F(AccessesTest, LargeGapsBetweenNeedsAreNotMoved) {
  constexpr int64_t kStep = 1 << 20;
  pass(make_buffer(128 * kStep), false);
  ndrange.global[0] = 128;
  share(Footprints().element(0, Footprints::reads, 0, kStep));
  ASSERT_THAT(accesses[0].needs(1), SizeIs(64));
  EXPECT_EQ(accesses[0].needs(1)[1], (Range{65 * kStep, 65 * kStep + 4}));
}

TEST_F(AccessesTest, SharesOfAnEarlierCutAreForgotten) {
  pass(make_buffer());
  ASSERT_EQ(share(Footprints().element(0, Footprints::surely_writes)).to_merge, 0u);
  const double equal[] = {1, 1};
  const PartitionCost cost = partition(accesses, &kernel, Footprint(), arguments(), ndrange, split(ndrange, equal));
  EXPECT_EQ(cost.to_merge, 1u);
  EXPECT_THAT(accesses[0].shares, IsEmpty());
}

}  // namespace
}  // namespace samcl
