#include "howdah/compat/slider/keys.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace howdah::compat::slider {
namespace {

TEST(SliderKeys, NamesAreUniqueAndEveryKeyHasAnEffectText) {
  for (const common::Part& part : Keys().parts()) {
    std::set<std::string_view> names;
    for (const common::Key& key : part.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name;
      EXPECT_FALSE(key.effect_text.empty()) << key.name;
    }
  }
}

TEST(SliderKeys, DocsPageEndsWithTheTables) {
  std::ifstream in(std::string(HOWDAH_SOURCE_DIR) + "/docs/slider.md");
  std::stringstream text;
  text << in.rdbuf();
  const std::string page = text.str();
  const size_t begin = page.find("\n## resources.json, per component");
  ASSERT_NE(begin, page.npos);
  EXPECT_EQ(page.substr(begin), KeysText()) << "run: howdah slider --keys, and put its output at the end";
}

}  // namespace
}  // namespace howdah::compat::slider
