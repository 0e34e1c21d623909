#include "contract/translation_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace samcl {
namespace {

using nlohmann::json;

KernelTranslation every_field() {
  KernelTranslation kernel;
  kernel.name = "k";
  kernel.arguments = {{"p", "int*", ArgumentKind::global_buffer, 0, true, true, 4, Accumulation::max_unsigned},
                      {"n", "uint", ArgumentKind::value, 4, false, false, 0, Accumulation::none}};
  kernel.affected_builtins = {"get_group_id", "get_num_groups"};
  kernel.needs_ndrange_argument = true;
  kernel.may_split_disjoint = true;
  kernel.may_slice = true;
  kernel.splits_in_one_memory = true;
  kernel.exchanges = true;
  kernel.why_not_split = "writes volatile global memory";
  kernel.depends_on_local_size = false;
  kernel.depends_on_addresses = true;
  kernel.required_work_group_size = {8, 4, 1};
  kernel.gathers_by = {1};
  kernel.footprint = "2 0";
  return kernel;
}

std::string error_of(const json& kernel) {
  try {
    kernel.get<KernelTranslation>();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(TranslationJson, reads_what_it_wrote) {
  EXPECT_EQ(json(every_field()).get<KernelTranslation>(), every_field());
  EXPECT_EQ(json(KernelTranslation()).get<KernelTranslation>(), KernelTranslation());
  EXPECT_EQ(json(every_field()).at("arguments").at(0).at("accumulates"), "max_unsigned");
  EXPECT_EQ(json(KernelTranslation()).at("required_work_group_size"), nullptr);
  EXPECT_EQ(json(every_field()).at("gathers_by"), json({1}));
}

TEST(TranslationJson, reads_the_texts_of_a_source) {
  const json source = {{"source", nullptr}, {"options", "-w"}, {"gathered", "kernel void k() {}"}};
  EXPECT_EQ(json(source.get<TranslatedSource>()), source);
  EXPECT_EQ(json(TranslatedSource()).at("gathered"), nullptr);
}

TEST(TranslationJson, names_what_is_missing_or_unknown) {
  json kernel = every_field();
  kernel["arguments"][0]["accumulates"] = "product";
  EXPECT_EQ(error_of(kernel), "\"product\" is unknown");
  kernel = every_field();
  kernel["arguments"][1]["kind"] = "gift";
  EXPECT_EQ(error_of(kernel), "\"gift\" is unknown");
  kernel = every_field();
  kernel.erase("may_slice");
  EXPECT_THAT(error_of(kernel), testing::HasSubstr("may_slice"));
}

}  // namespace
}  // namespace samcl
