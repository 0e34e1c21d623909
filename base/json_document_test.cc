#include "base/json_document.h"

#include <gtest/gtest.h>

#include "base/cbor_text.h"
#include "base/json_text.h"

namespace samcl {
namespace {

TEST(JsonDocument, TakesApartWhatHoldsOthers) {
  nlohmann::json value = read_json(R"({"a": [1, [2, {"b": "text"}]], "c": {"d": {}}, "e": null})");
  take_apart(value);
  EXPECT_EQ(value, nlohmann::json::object());
}

TEST(JsonDocument, LeavesOtherValuesAsTheyAre) {
  nlohmann::json text = "text";
  take_apart(text);
  EXPECT_EQ(text, "text");
}

TEST(CborText, IsWhatTheLibraryReads) {
  CborText written;
  written.map(3).text("list").list(2).text("one").nothing().text("number").number(1).text("empty").map(0);
  EXPECT_EQ(read_cbor(written.take()), read_json(R"({"list": ["one", null], "number": 1, "empty": {}})"));
}

TEST(CborText, WritesNumbersInAsFewBytesAsTheLibrary) {
  for (const uint64_t number :
       {0ull, 23ull, 24ull, 255ull, 256ull, 65535ull, 65536ull, 0xffffffffull, 0x100000000ull, ~0ull})
    EXPECT_EQ(CborText().number(number).take(), cbor_string(number)) << number;
}

TEST(CborText, WritesTextsOfAnyLength) {
  for (const size_t length : {0u, 23u, 24u, 255u, 256u, 70000u}) {
    const std::string text(length, 'x');
    EXPECT_EQ(CborText().text(text).take(), cbor_string(text)) << length;
  }
}

}  // namespace
}  // namespace samcl
