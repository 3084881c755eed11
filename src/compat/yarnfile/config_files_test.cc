// The texts are those of Hadoop's PublishedConfigurationOutputter: Configuration.writeXml, Properties.store, Jackson
// with INDENT_OUTPUT, and ConfigUtils.replaceProps. Differences: no comment with the date, and YAML with quotes.
#include "config_files.h"

#include <gtest/gtest.h>

namespace howdah::compat::yarnfile {
namespace {

TEST(ConfigFiles, EachTypeHasItsText) {
  const Pairs properties = {{"a.port", "8080"}, {"b c", "x=<1 & \"2\">"}};
  const struct {
    ConfigType type;
    const char* text;
  } rows[] = {
      {ConfigType::kJson, "{\n  \"a.port\" : \"8080\",\n  \"b c\" : \"x=<1 & \\\"2\\\">\"\n}"},
      {ConfigType::kYaml, "\"a.port\": \"8080\"\n\"b c\": \"x=<1 & \\\"2\\\">\"\n"},
      {ConfigType::kProperties, "a.port=8080\nb\\ c=x\\=<1 & \"2\">\n"},
      {ConfigType::kEnv, "a.port=8080\nb c=x=<1 & \"2\">\n"},
      {ConfigType::kHadoopXml,
       "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n<configuration>\n"
       "<property><name>a.port</name><value>8080</value></property>\n"
       "<property><name>b c</name><value>x=&lt;1 &amp; \"2\"&gt;</value></property>\n</configuration>\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(ConfigText(row.type, properties), row.text);
  EXPECT_EQ(ConfigText(ConfigType::kXml, properties), ConfigText(ConfigType::kHadoopXml, properties));
}

TEST(ConfigFiles, TemplateReplacesTheOtherProperties) {
  const Pairs properties = {{"content", "Hello ${who} and {{who}}, ${OTHER}"}, {"who", "world"}};
  EXPECT_EQ(ConfigText(ConfigType::kTemplate, properties), "Hello world and world, ${OTHER}");
  EXPECT_EQ(ConfigText(ConfigType::kEnv, properties), "Hello world and world, ${OTHER}");
}

TEST(ConfigFiles, PropertiesAreEscapedAsJavaReadsThem) {
  EXPECT_EQ(ConfigText(ConfigType::kProperties, {{"a:b#", " c\\d\ne\t!"}}), "a\\:b\\#=\\ c\\\\d\\ne\\t\\!\n");
  EXPECT_EQ(ConfigText(ConfigType::kJson, {}), "{ }");
  EXPECT_EQ(ConfigText(ConfigType::kYaml, {}), "{}\n");
}

}  // namespace
}  // namespace howdah::compat::yarnfile
