#include "base/json_text.h"

#include <gtest/gtest.h>

namespace samcl {
namespace {

using nlohmann::json;

TEST(JsonText, TextAndValueAreEachOthers) {
  const json value = {{"b", {1, 2.5, nullptr}}, {"a", "\"\n"}};
  EXPECT_EQ(json_text(value), R"({"a":"\"\n","b":[1,2.5,null]})");
  EXPECT_EQ(read_json(json_text(value, 2)), value);
  EXPECT_EQ(try_read_json(json_text(value)), value);
}

TEST(JsonText, OrderedKeepsTheOrder) {
  EXPECT_EQ(json_text(read_ordered_json(R"({"b": 1, "a": 2})")), R"({"b":1,"a":2})");
}

TEST(JsonText, WhatIsNoUtf8IsReplaced) { EXPECT_EQ(json_text(json("a\xff")), "\"a\uFFFD\""); }

TEST(JsonText, NoJsonThrowsOrIsDiscarded) {
  for (const char* text : {"", "{", "nul", "[1,]", "{} {}"}) {
    EXPECT_THROW(read_json(text), json::parse_error) << text;
    EXPECT_THROW(read_ordered_json(text), json::parse_error) << text;
    EXPECT_TRUE(try_read_json(text).is_discarded()) << text;
  }
}

TEST(JsonText, CborKeepsBinary) {
  const json value = {{"bytes", json::binary({0, 255})}, {"n", 7}};
  EXPECT_EQ(read_cbor(cbor_of(value)), value);
  EXPECT_EQ(read_cbor(cbor_string(value)), value);
  EXPECT_THROW(read_cbor(std::string("\xff")), json::parse_error);
  EXPECT_THROW(read_cbor(cbor_string(value).substr(0, 5)), json::parse_error);
}

}  // namespace
}  // namespace samcl
