#include "howdah/compat/tony/config/keys.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace howdah::compat::tony::config {
namespace {

TEST(Keys, ExactNameTakesPrecedenceOverPattern) {
  const struct {
    const char* name;
    const char* key;
  } rows[] = {
      {"tony.worker.instances", "tony.<job>.instances"},
      {"tony.am.memory", "tony.am.memory"},
      {"tony.my-job2.memory", "tony.<job>.memory"},
      {"tony.docker.worker.image", "tony.docker.<job>.image"},
      {"tony.docker.containers.image", "tony.docker.containers.image"},
      {"tony.application.group.A", "tony.application.group.<G>"},
      {"tony.application.dependency.worker.timeout.after.A", "tony.application.dependency.<job>.timeout.after.<G>"},
      {"tony.application.dependency.worker.timeout.after.A.ignored",
       "tony.application.dependency.<job>.timeout.after.<G>.ignored"},
      {"tony.task.max-total-gpus", "tony.task.max-total-<resource>"},
      {"tony.task.max-total-instances", "tony.task.max-total-instances"},
      {"tony.worker.memroy", nullptr},
      {"tony.a.b.memory", nullptr},
      {"tony..memory", nullptr},
      {"tony", nullptr}};
  for (const auto& row : rows) {
    const common::Key* key = Keys().Find(row.name);
    ASSERT_EQ(key != nullptr, row.key != nullptr) << row.name;
    if (key != nullptr) {
      EXPECT_EQ(key->name, row.key) << row.name;
    }
  }
}

TEST(Keys, NamesAreUniqueAndEveryKeyHasAnEffectText) {
  std::set<std::string_view> names;
  for (const common::Part& part : Keys().parts()) {
    for (const common::Key& key : part.keys) {
      EXPECT_TRUE(names.insert(key.name).second) << key.name;
      EXPECT_FALSE(key.effect_text.empty()) << key.name;
      EXPECT_TRUE(key.name.starts_with("tony.")) << key.name;
    }
  }
}

TEST(Keys, NearestKeyCorrectsTypos) {
  EXPECT_EQ(Keys().Nearest("tony.worker.memroy", "<job>", {"ps", "worker"}), "tony.worker.memory");
  EXPECT_EQ(Keys().Nearest("tony.aplication.name", "<job>", {}), "tony.application.name");
  EXPECT_EQ(Keys().Nearest("tony.task.max-missed-heartbeat", "<job>", {}), "tony.task.max-missed-heartbeats");
}

TEST(Keys, DocsPageMatchesTheTable) {
  std::ifstream in(std::string(HOWDAH_SOURCE_DIR) + "/docs/tony-keys.md");
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), KeysPage()) << "run: howdah tony -keys > docs/tony-keys.md";
}

}  // namespace
}  // namespace howdah::compat::tony::config
