#include "howdah/hadoop/conf/configuration.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "testing.h"

namespace howdah::hadoop::conf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(Variables, ExpansionMatchesHadoop) {
  const Environment around = Around({{"E", "env"}, {"EMPTY", ""}});
  struct Case {
    std::string raw, value;
  };
  const Case cases[] = {
      {"${a}", "A"},
      {"<${a}${b}>", "<AB-A>"},
      {"${${which}}", "A"},
      {"${unbound}", "${unbound}"},
      {"${a} ${unbound} ${a}", "A ${unbound} ${a}"},  // expansion stops at the first unbound variable
      {"${}", "${}"},
      {"${a", "${a"},
      {"$a {a}", "$a {a}"},
      {"${a b}", "${a b}"},
      {"${user.name} ${user.home} ${java.io.tmpdir} ${hadoop.tmp.dir}", "ann /home/ann /tmp /tmp/hadoop-ann"},
      {"${env.E}", "env"},
      {"${env.E:-d}", "env"},
      {"${env.E-d}", "env"},
      {"${env.NO:-d}", "d"},
      {"${env.NO-d}", "d"},
      {"${env.NO:-}", ""},
      {"${env.NO:-a-b:-c}", "a-b:-c"},
      {"${env.EMPTY:-d}", "d"},
      {"[${env.EMPTY-d}]", "[]"},
      {"${env.NO}", "${env.NO}"},
      {"${x}", "${x}"},
      {"a${x}", "a${x}"},
      {"${loop1}", "${loop1}"},
      {"${fs.default.name}", "file:///"},
  };
  for (const Case& c : cases) {
    Configuration configuration(around);
    for (const auto& [name, value] :
         Files{{"a", "A"}, {"b", "B-${a}"}, {"which", "a"}, {"loop1", "${loop2}"}, {"loop2", "${loop1}"}}) {
      configuration.Set(name, value, "here");
    }
    configuration.Set("x", c.raw, "here");
    EXPECT_EQ(configuration.Text("x"), c.value) << c.raw;
  }
}

TEST(Variables, ExpansionStopsAfterTwentySteps) {
  Configuration configuration(Around());
  for (int i = 0; i < 30; ++i) configuration.Set("v" + std::to_string(i), "${v" + std::to_string(i + 1) + "}", "here");
  configuration.Set("v20", "end", "here");
  EXPECT_EQ(configuration.Text("v0"), "end");  // takes exactly twenty expansions, the maximum
  configuration.Set("v20", "${v21}", "here");
  configuration.Set("v21", "end", "here");
  EXPECT_EQ(configuration.Text("v0"), "${v1}");
}

TEST(Types, NumbersAreParsed) {
  const std::pair<std::string, std::optional<int64_t>> cases[] = {{"64", 64},
                                                                  {"-1", -1},
                                                                  {"+5", 5},
                                                                  {"0x40", 64},
                                                                  {"0X40", 64},
                                                                  {"-0x10", -16},
                                                                  {"64k", 65536},
                                                                  {"1M", 1 << 20},
                                                                  {"2g", 2LL << 30},
                                                                  {"1t", 1LL << 40},
                                                                  {"1p", 1LL << 50},
                                                                  {"1e", 1LL << 60},
                                                                  {" 7 ", 7},
                                                                  {"1.5", {}},
                                                                  {"abc", {}},
                                                                  {"k", {}},
                                                                  {"12 k", {}},
                                                                  {"8e", {}},
                                                                  {"9223372036854775807", INT64_MAX},
                                                                  {"9223372036854775808", {}},
                                                                  {"0x", {}},
                                                                  {"true", {}}};
  for (const auto& [text, expected] : cases) {
    Configuration configuration(Around());
    configuration.Set("x", text, "/conf/a.xml");
    const auto number = configuration.Number("x", 99);
    ASSERT_EQ(number.ok(), expected.has_value()) << text;
    if (expected) {
      EXPECT_EQ(*number, *expected) << text;
    } else {
      EXPECT_EQ(number.error().message,
                "x in /conf/a.xml is '" + text + "'; it must be a whole number such as 64 or 128m");
    }
  }
  EXPECT_EQ(*Configuration(Around()).Number("x", 99), 99);
}

TEST(Types, WhiteSpaceCanBelongToAValue) {
  Configuration configuration(Around());
  EXPECT_EQ(configuration.Untrimmed("a"), std::nullopt);
  configuration.Set("a", " ${b}\n", "x.xml");
  configuration.Set("b", "ops", "x.xml");
  EXPECT_EQ(configuration.Untrimmed("a"), " ops\n");
  EXPECT_EQ(configuration.Get("a"), "ops");
  configuration.Set("a", " ", "x.xml");
  EXPECT_EQ(configuration.Untrimmed("a"), " ");
  EXPECT_EQ(configuration.Get("a"), std::nullopt);
}

TEST(Types, TimesAreParsed) {
  using namespace std::chrono_literals;
  const std::pair<std::string, std::optional<Duration>> cases[] = {{"500", 500ms},
                                                                   {"500ms", 500ms},
                                                                   {"30s", 30s},
                                                                   {"30S", 30s},
                                                                   {"10m", 10min},
                                                                   {"2h", 2h},
                                                                   {"1d", 24h},
                                                                   {"7us", 7us},
                                                                   {"2000ns", 2us},
                                                                   {"-1", -1ms},
                                                                   {"-1s", -1s},
                                                                   {"1.5s", {}},
                                                                   {"s", {}},
                                                                   {"5 s", {}},
                                                                   {"1w", {}},
                                                                   {"9223372036854775807d", {}},
                                                                   {"9223372036854775807", {}}};
  for (const auto& [text, expected] : cases) {
    Configuration configuration(Around());
    configuration.Set("x", text, "here");
    const auto time = configuration.Time("x", 1s);
    ASSERT_EQ(time.ok(), expected.has_value()) << text;
    if (expected) {
      EXPECT_EQ(time->count(), expected->count()) << text;
    }
  }
  EXPECT_EQ(*Configuration(Around()).Time("x", 1s), 1s);
}

TEST(Types, BooleansAndListsAreParsed) {
  Configuration configuration(Around());
  for (const auto& [text, expected] : std::map<std::string, bool>{{"true", true}, {" TRUE ", true}, {"False", false}}) {
    configuration.Set("x", text, "here");
    EXPECT_EQ(*configuration.Bool("x", !expected), expected);
  }
  configuration.Set("x", "yes", "here");
  EXPECT_EQ(configuration.Bool("x", true).error().message, "x in here is 'yes'; it must be true or false");
  configuration.Set("x", " rm1 , rm2,,\n rm3 ", "here");
  EXPECT_THAT(configuration.List("x"), ElementsAre("rm1", "rm2", "rm3"));
  EXPECT_THAT(configuration.List("y"), IsEmpty());
}

TEST(Names, DeprecatedKeyIsAliasOfCurrentKey) {
  Configuration configuration(Around());
  configuration.Set("fs.default.name", "hdfs://nn:9000", "here");
  EXPECT_EQ(configuration.Text("fs.defaultFS"), "hdfs://nn:9000");
  EXPECT_EQ(configuration.Text("fs.default.name"), "hdfs://nn:9000");
  configuration.Set("fs.defaultFS", "hdfs://ns1", "here");
  EXPECT_EQ(configuration.Text("fs.default.name"), "hdfs://ns1");
}

TEST(Names, WhereReturnsSourceOfProperty) {
  Configuration configuration(Around());
  configuration.Set("x", "1", "/conf/a.xml");
  EXPECT_EQ(configuration.Where("x"), "x in /conf/a.xml");
  EXPECT_EQ(configuration.Where("fs.default.name"), "fs.defaultFS (a default of Hadoop)");
  EXPECT_EQ(configuration.Where("no"), "no (not set)");
}

class Directories : public ::testing::Test {
 protected:
  static std::string Make(const std::string& name, const Files& files) {
    const std::string directory = ::testing::TempDir() + "hadoopconf-" + name;
    std::filesystem::remove_all(directory);
    std::filesystem::create_directories(directory);
    for (const auto& [file, content] : files) std::ofstream(directory + "/" + file) << content;
    return directory;
  }
};

TEST_F(Directories, FilesAreReadInOrder) {
  const auto file = [](const std::string& body) { return "<configuration>" + body + "</configuration>"; };
  const std::string directory = Make("order", {{"core-site.xml", file(P("x", "core") + P("c", "1"))},
                                               {"yarn-site.xml", file(P("x", "yarn") + P("r", "yarn"))},
                                               {"resource-types.xml", file(P("r", "types"))},
                                               {"hdfs-site.xml", file(P("x", "hdfs"))},
                                               {"mapred-site.xml", file(P("m", "1"))}});
  const auto configuration = LoadConfiguration(Around({{"HADOOP_CONF_DIR", directory}, {"YARN_CONF_DIR", "/no"}}));
  ASSERT_TRUE(configuration.ok()) << configuration.error().message;
  EXPECT_EQ(configuration->Text("x"), "hdfs");
  EXPECT_EQ(configuration->Text("r"), "types");
  EXPECT_EQ(configuration->Where("c"), "c in " + directory + "/core-site.xml");
  EXPECT_FALSE(configuration->Get("m"));
}

TEST_F(Directories, EnvironmentSelectsDirectory) {
  const std::string a = Make("a", {}), home = Make("home", {});
  std::filesystem::create_directories(home + "/etc/hadoop");
  EXPECT_EQ(*ConfigurationDirectory(Around({{"YARN_CONF_DIR", a}, {"HADOOP_HOME", home}})), a);
  EXPECT_EQ(*ConfigurationDirectory(Around({{"HADOOP_CONF_DIR", ""}, {"HADOOP_HOME", home}})), home + "/etc/hadoop");
  const auto missing = ConfigurationDirectory(Around({{"HADOOP_CONF_DIR", "/no/such"}, {"YARN_CONF_DIR", a}}));
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kUsage);
  EXPECT_THAT(missing.error().message,
              HasSubstr("there is no directory /no/such ($HADOOP_CONF_DIR); set HADOOP_CONF_DIR"));
  EXPECT_THAT(missing.error().remedy, testing::StartsWith("set HADOOP_CONF_DIR"));
  const auto empty = LoadConfiguration(Around({{"HADOOP_CONF_DIR", a}}));
  ASSERT_FALSE(empty.ok());
  EXPECT_THAT(empty.error().message, HasSubstr(a + " has none of core-site.xml"));
}

}  // namespace
}  // namespace howdah::hadoop::conf
