#include "howdah/compat/skeinspec/keys.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "specification_keys.h"

namespace howdah::compat::skeinspec {
namespace {

// Adds the names of all keys of a schema that have no keys below them, and of all maps with names chosen by the user.
void AddNames(const keyfile::Json& schema, const std::string& prefix, std::set<std::string>& names) {
  if (!schema.contains("properties") && !schema.contains("additionalProperties")) {
    names.insert(prefix);
    return;
  }
  const std::string dot = prefix.empty() ? "" : prefix + ".";
  if (schema.contains("properties")) {
    for (const auto& [name, property] : schema["properties"].items()) AddNames(property, dot + name, names);
  }
  if (schema.contains("additionalProperties") && schema["additionalProperties"].is_object()) {
    const bool is_service = prefix == "services";
    const std::string chosen = dot + (is_service ? "<service>" : "<file>");
    names.insert(is_service ? prefix : chosen);
    AddNames(schema["additionalProperties"], chosen, names);
  }
}

TEST(SkeinKeys, TableHasExactlyTheKeysOfTheReader) {
  std::set<std::string> read;
  AddNames(keyfile::SectionSchema(SpecificationKeys()), "", read);
  // The master's files have the same keys as those of a service, and the table lists these keys only once.
  std::erase_if(read, [](const std::string& name) { return name.starts_with("master.files.<file>."); });
  std::set<std::string> listed;
  for (const common::Part& part : Keys().parts()) {
    for (const common::Key& key : part.keys) {
      EXPECT_TRUE(listed.emplace(key.name).second) << key.name;
      EXPECT_FALSE(key.effect_text.empty()) << key.name;
    }
  }
  EXPECT_EQ(listed, read);
}

TEST(SkeinKeys, DocsPageEndsWithTheTable) {
  std::ifstream in(std::string(HOWDAH_SOURCE_DIR) + "/docs/skein.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_TRUE(text.str().ends_with(KeysText())) << "replace the end of docs/skein.md by: howdah skein --keys";
}

}  // namespace
}  // namespace howdah::compat::skeinspec
