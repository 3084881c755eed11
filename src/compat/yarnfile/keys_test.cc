#include "howdah/compat/yarnfile/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

#include "records.h"

namespace howdah::compat::yarnfile {
namespace {

TEST(YarnfileKeys, NamesAreUniqueAndEveryKeyHasAnEffectText) {
  std::set<std::string_view> names;
  for (const common::Part& part : Keys().parts()) {
    for (const common::Key& key : part.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name;
      EXPECT_FALSE(key.effect_text.empty()) << key.name;
    }
  }
}

// The records that are read, and the table from which the page is made, must not differ.
TEST(YarnfileKeys, TableHasExactlyTheKeysThatAreRead) {
  std::set<std::string> accepted;
  for (const std::string& name : AcceptedKeys()) accepted.insert(name);
  for (const std::string& name : accepted) EXPECT_NE(Keys().Find(name), nullptr) << name;
  for (const common::Part& part : Keys().parts()) {
    for (const common::Key& key : part.keys) {
      const std::string name(key.name);
      const bool property = name.starts_with("yarn.service.") || name.starts_with("dns.") || name == "docker.network" ||
                            name.starts_with("YARN_") || name.find("readiness_check.properties.") != name.npos;
      EXPECT_EQ(property, !accepted.contains(name)) << name;
    }
  }
}

TEST(YarnfileKeys, DocsPageContainsTheTable) {
  std::ifstream in(std::string(HOWDAH_SOURCE_DIR) + "/docs/yarnfile.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str().ends_with(KeysPage()))
      << "replace the sections from '## Keys of the service' to the end by the output of: howdah yarn-app -keys";
}

}  // namespace
}  // namespace howdah::compat::yarnfile
