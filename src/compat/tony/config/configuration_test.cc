#include "howdah/compat/tony/config/configuration.h"

#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::compat::tony::config {
namespace {

std::string Xml(const std::string& name, const std::string& value, bool is_final = false) {
  return "<configuration><property><name>" + name + "</name><value>" + value + "</value>" +
         (is_final ? "<final>true</final>" : "") + "</property></configuration>";
}

TEST(Configuration, LaterSourcesOverrideAndFlagsOverrideFinalValues) {
  Flags flags;
  const std::vector<ConfigurationFile> files = {{"tony.xml", Xml("tony.worker.instances", "1")},
                                                {"tony-site.xml", Xml("tony.worker.instances", "2", true)}};
  auto configuration = ReadConfiguration(flags, files, {}, testing::NoFile);
  ASSERT_TRUE(configuration.ok());
  EXPECT_EQ(configuration->Text("tony.worker.instances"), "2");
  EXPECT_EQ(configuration->Find("tony.worker.instances")->origin, "tony-site.xml");
  flags.conf = {{"tony.worker.instances", "3"}};
  configuration = ReadConfiguration(flags, files, {}, testing::NoFile);
  EXPECT_EQ(configuration->Text("tony.worker.instances"), "3");
  EXPECT_EQ(configuration->Find("tony.worker.instances")->origin, "-conf");
}

TEST(Configuration, ConfFlagAppendsToKeysWithSeveralValues) {
  Flags flags;
  flags.conf = {{"tony.containers.resources", "b.zip"},
                {"tony.containers.resources", "c.zip"},
                {"tony.yarn.queue", "x"},
                {"tony.yarn.queue", "y"}};
  const auto configuration =
      ReadConfiguration(flags, {{"tony.xml", Xml("tony.containers.resources", "a.zip")}}, {}, testing::NoFile);
  EXPECT_EQ(configuration->Text("tony.containers.resources"), "a.zip,b.zip,c.zip");
  EXPECT_EQ(configuration->Text("tony.yarn.queue"), "y");
}

TEST(Configuration, CommandIsBuiltFromFlags) {
  const struct {
    const char *executes, *python, *venv, *params, *command;
  } rows[] = {{"a.py", "", "", "", "a.py"},
              {"a.py", "bin/python", "", "", "bin/python a.py"},
              {"a.py", "bin/python", "venv.zip", "", "venv/bin/python a.py"},
              {"a.py", "/usr/bin/python", "venv.zip", "", "/usr/bin/python a.py"},
              {"a.py", "python", "", "--x 1", "python a.py --x 1"}};
  for (const auto& row : rows) {
    Flags flags;
    flags.executes = row.executes;
    flags.python_binary_path = row.python;
    flags.python_venv = row.venv;
    flags.task_params = row.params;
    const auto configuration = ReadConfiguration(flags, {}, {}, testing::NoFile);
    EXPECT_EQ(configuration->Text("tony.containers.command"), row.command);
  }
}

TEST(Configuration, InvalidFileIsNamedInTheError) {
  const auto configuration = ReadConfiguration({}, {{"tony.xml", "<configuration><property>"}}, {}, testing::NoFile);
  ASSERT_FALSE(configuration.ok());
  EXPECT_NE(configuration.error().message.find("tony.xml:"), std::string::npos);
}

}  // namespace
}  // namespace howdah::compat::tony::config
