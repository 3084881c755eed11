#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "howdah/jobspec/job_file.h"
#include "key_table.h"
#include "testing.h"

namespace howdah::jobspec {

namespace {

using ::testing::HasSubstr;

TEST(Schema, HasEveryKeyOfTheTable) {
  const keyfile::Json schema = keyfile::Json::parse(JsonSchema());
  EXPECT_EQ(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema["required"], keyfile::Json({"roles"}));
  for (const auto& key : JobKeys().keys) EXPECT_TRUE(schema["properties"].contains(key.name)) << key.name;
  const keyfile::Json& role = schema["properties"]["roles"]["additionalProperties"];
  EXPECT_EQ(role["required"], keyfile::Json({"memory", "command"}));
  for (const auto& key : RoleKeys().keys) {
    ASSERT_TRUE(role["properties"].contains(key.name)) << key.name;
    EXPECT_TRUE(role["properties"][std::string(key.name)].contains("title")) << key.name;
  }
  EXPECT_EQ(role["properties"]["vcores"]["default"], 1);
  EXPECT_EQ(role["properties"]["instances"]["default"], 1);
  EXPECT_EQ(schema["properties"]["timeouts"]["properties"]["gang"]["default"], "15m");
}

TEST(Reference, HasARowForEveryKey) {
  const std::string page = ReferencePage();
  for (const auto& key : JobKeys().keys) EXPECT_THAT(page, HasSubstr("| `" + std::string(key.name) + "` |"));
  for (const auto& key : RoleKeys().keys)
    EXPECT_THAT(page, HasSubstr("| `roles.NAME." + std::string(key.name) + "` |"));
  for (const char* row :
       {"| `roles.NAME.memory` | memory size | required | Memory per task |", "| `roles.NAME.after[].finished` |",
        "| `files[].unpack` | true or false | `false` |", "| `roles.NAME.instances.min` |",
        "| `checkpoint.grace` | duration | `10s` |", "| `framework` | plain pytorch tensorflow jax"}) {
    EXPECT_THAT(page, HasSubstr(row));
  }
}

}  // namespace
}  // namespace howdah::jobspec
