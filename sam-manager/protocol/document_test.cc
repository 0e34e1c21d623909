#include "sam-manager/protocol/document.h"

#include <gmock/gmock.h>

#include "sam-manager/protocol/limits.h"
#include "sam-manager/protocol/messages.h"
#include "sam-manager/protocol/names.h"

namespace samcl::protocol {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string problem(const std::string& text) {
  const auto document = parse_document(text);
  return document ? "none" : document.error().message;
}

TEST(Document, IsReadAsWritten) {
  const auto document = parse_document(format_document({{"ask", "hello"}, {"task", "käse"}}));
  ASSERT_TRUE(document) << document.error().message;
  EXPECT_EQ((*document)["task"], "käse");
}

TEST(Document, EveryFaultIsNamed) {
  EXPECT_THAT(problem(""), HasSubstr("no JSON object"));
  EXPECT_THAT(problem("[]"), HasSubstr("no JSON object"));
  EXPECT_THAT(problem("{\"samcl\": 8"), HasSubstr("no JSON object"));
  EXPECT_THAT(problem("{}"), HasSubstr("its version"));
  EXPECT_THAT(problem("{\"samcl\": 99}"), HasSubstr("version 99, expected " + std::to_string(kVersion)));
  EXPECT_THAT(problem(std::string(kMaxDocumentBytes + 1, ' ')), HasSubstr("bytes, expected at most"));
  const std::string ours = "{\"samcl\":" + std::to_string(kVersion) + ",\"a\":";
  EXPECT_THAT(problem(ours + std::string(32, '[') + std::string(32, ']') + "}"), HasSubstr("nested"));
  EXPECT_EQ(problem(ours + std::string(31, '[') + std::string(31, ']') + "}"), "none");
  EXPECT_EQ(problem(ours + "\"" + std::string(99, '[') + "\\\"[\"}"), "none") << "in a string";
}

TEST(Document, NamesAreTextWithoutControlCharacters) {
  const auto wrong = [](const std::string& name) {
    const auto checked = check_name(name, 8);
    return checked ? "none" : checked.error().message;
  };
  EXPECT_EQ(wrong("pocl:0"), "none");
  EXPECT_EQ(wrong("\xc3\xa4"), "none");
  EXPECT_THAT(wrong(""), HasSubstr("expected 1 to 8"));
  EXPECT_THAT(wrong("123456789"), HasSubstr("expected 1 to 8"));
  EXPECT_THAT(wrong("a\x1b[1m"), HasSubstr("control character"));
  EXPECT_THAT(wrong("\xc2\x9b"), HasSubstr("control character"));
  for (const char* bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "a\x80"})
    EXPECT_THAT(wrong(bad), HasSubstr("no UTF-8")) << bad;
}

TEST(Fields, FirstErrorNamesItsField) {
  const json object = {{"name", "camera"}, {"count", 3}, {"big", UINT64_MAX}, {"names", {"a", 1}}, {"list", {1, 2}}};
  const auto error = [&](const std::function<void(Fields&)>& read) {
    Fields fields(object, "it");
    read(fields);
    const auto end = fields.end();
    return end ? "none" : end.error().message;
  };
  EXPECT_EQ(error([](Fields& f) { EXPECT_EQ(f.name("name", 9), "camera"); }), "none");
  EXPECT_EQ(error([](Fields& f) { EXPECT_EQ(f.integer("count", 0, 9), 3); }), "none");
  EXPECT_EQ(error([](Fields& f) { EXPECT_THAT(f.integers("list", 2, 0, 9), ElementsAre(1, 2)); }), "none");
  EXPECT_EQ(error([](Fields& f) { f.integer("count", 4, 9); }), "it: count: expected an integer, 4 to 9, not 3");
  EXPECT_EQ(error([](Fields& f) { f.integer("big", 0, 9); }), "it: big: expected an integer, 0 to 9");
  EXPECT_EQ(error([](Fields& f) { f.integer("none", 0, 9); }), "it: none: it is missing");
  EXPECT_EQ(error([](Fields& f) { f.name("none", 9); }), "it: none: expected a name");
  EXPECT_EQ(error([](Fields& f) { f.text("count", 9); }), "it: count: expected a string");
  EXPECT_EQ(error([](Fields& f) { f.names("names", 9, 9); }), "it: names: name 1 is no string");
  EXPECT_EQ(error([](Fields& f) { f.integers("list", 3, 0, 9); }), "it: list: expected 3 integers, 0 to 9");
  EXPECT_EQ(error([](Fields& f) { f.flag("name"), f.integer("count", 4, 9); }), "it: name: expected true or false");
  EXPECT_EQ(Fields(json(5), "it").end().error().message, "it: expected an object");
}

TEST(Messages, AreTakenOnlyIfTheyMakeSense) {
  const auto problem = [](const Message& message, size_t bytes = sizeof(Message)) {
    const auto parsed = parse_message(message.bytes().substr(0, bytes));
    return parsed ? "none" : parsed.error().message;
  };
  Message message;
  EXPECT_TRUE(is_message(message.bytes()));
  EXPECT_FALSE(is_message("{"));
  EXPECT_EQ(problem(message), "none");
  EXPECT_THAT(problem(message, 3), HasSubstr("it has 3 bytes"));
  message.resource = kMaxResources;
  EXPECT_THAT(problem(message), HasSubstr("expected less than 256"));
  message.kind = MessageKind::attach_thread;
  EXPECT_THAT(problem(message), HasSubstr("thread id is 0"));
  message.kind = static_cast<MessageKind>(77);
  EXPECT_THAT(problem(message), HasSubstr("kind is 77"));
}

TEST(Names, InstancesStayInsideTheirFileNames) {
  EXPECT_TRUE(check_instance("run.123_a-b"));
  for (const auto& bad : {std::string(), std::string("a/b"), std::string(65, 'x'), std::string("a b")})
    EXPECT_FALSE(check_instance(bad)) << bad;
  EXPECT_EQ(socket_path("/run/samcl", "x"), "/run/samcl/x.sock");
}

}  // namespace
}  // namespace samcl::protocol
