#include "libsamcl/merge/accumulate.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <random>
#include <vector>

namespace samcl {
namespace {

template <typename Element>
struct Operation {
  Accumulation how;
  std::function<Element(Element, Element)> apply;
};

template <typename Element>
std::vector<Operation<Element>> operations() {
  using Signed = std::make_signed_t<Element>;
  const auto as_signed = [](auto choose) {
    return [choose](Element a, Element b) {
      return static_cast<Element>(choose(static_cast<Signed>(a), static_cast<Signed>(b)));
    };
  };
  return {{Accumulation::add, std::plus<Element>()},
          {Accumulation::bit_and, std::bit_and<Element>()},
          {Accumulation::bit_or, std::bit_or<Element>()},
          {Accumulation::bit_xor, std::bit_xor<Element>()},
          {Accumulation::min_unsigned, [](Element a, Element b) { return std::min(a, b); }},
          {Accumulation::max_unsigned, [](Element a, Element b) { return std::max(a, b); }},
          {Accumulation::min_signed, as_signed([](Signed a, Signed b) { return std::min(a, b); })},
          {Accumulation::max_signed, as_signed([](Signed a, Signed b) { return std::max(a, b); })}};
}

// Operations dealt out to devices, against all of them one after another.
template <typename Element>
void compare_with_one_device(std::mt19937_64& random) {
  for (const auto& operation : operations<Element>()) {
    const unsigned devices = 1 + static_cast<unsigned>(random() % 4);
    const size_t count = 1 + random() % 50;
    std::vector<Element> one(count);
    for (Element& each : one) each = static_cast<Element>(random() >> (random() % 64));
    std::vector<Element> contents = one;
    std::vector<std::vector<Element>> apart(devices, one);
    for (size_t n = random() % 200; n > 0; --n) {
      const size_t place = random() % count;
      const Element operand = static_cast<Element>(random() >> (random() % 64));
      std::vector<Element>& there = apart[random() % devices];
      one[place] = operation.apply(one[place], operand);
      there[place] = operation.apply(there[place], operand);
    }
    uint32_t expected = 0;
    std::vector<const std::byte*> outputs;
    for (unsigned d = 0; d < devices; ++d) {
      outputs.push_back(reinterpret_cast<const std::byte*>(apart[d].data()));
      if (apart[d] != contents) expected |= 1u << d;
    }
    const uint32_t changed = combine_changes(reinterpret_cast<std::byte*>(contents.data()), outputs.data(), devices,
                                             count * sizeof(Element), sizeof(Element), operation.how);
    EXPECT_EQ(contents, one) << "operation " << static_cast<int>(operation.how) << " on " << devices;
    EXPECT_EQ(changed, expected);
  }
}

TEST(Accumulate, DealtOutOperationsGiveWhatOneDeviceGives) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int i = 0; i < 200; ++i) {
    compare_with_one_device<uint32_t>(random);
    compare_with_one_device<uint64_t>(random);
  }
}

TEST(Accumulate, BytesAfterTheLastElementStay) {
  unsigned char contents[6] = {1, 0, 0, 0, 7, 7};
  const unsigned char a[6] = {3, 0, 0, 0, 9, 9}, b[6] = {4, 0, 0, 0, 8, 8};
  const std::byte* outputs[] = {reinterpret_cast<const std::byte*>(a), reinterpret_cast<const std::byte*>(b)};
  EXPECT_EQ(combine_changes(reinterpret_cast<std::byte*>(contents), outputs, 2, 6, 4, Accumulation::add), 3u);
  EXPECT_EQ(contents[0], 6);
  EXPECT_EQ(contents[4], 7);
}

}  // namespace
}  // namespace samcl
