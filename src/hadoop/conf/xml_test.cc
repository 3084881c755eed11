#include <gmock/gmock.h>

#include "testing.h"

namespace howdah::hadoop::conf {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Status Add(Configuration& configuration, const std::string& body, const Files& files = {},
           const std::string& path = "/conf/a.xml") {
  return AddXml(configuration, path, "<?xml version='1.0'?>\n<configuration>" + body + "</configuration>",
                Reader(files));
}

const std::string kFinal = "<final>true</final>";

TEST(Xml, PropertiesAreParsed) {
  struct Case {
    std::string body;
    std::optional<std::string> x;
  };
  const Case cases[] = {
      {P("x", "1"), "1"},
      {P(" x\n", " 1 "), "1"},
      {P("x", "1") + P("x", "2"), "2"},
      {P("x", "1", kFinal) + P("x", "2"), "1"},
      {P("x", "1", "<final>false</final>") + P("x", "2"), "2"},
      {P("x", "1") + P("x", ""), std::nullopt},
      {P("x", "1") + "<property><name>x</name><value/></property>", std::nullopt},
      {P("x", "1") + "<property><name>x</name></property>", "1"},  // a property without a value has no effect
      {"<property name='x' value='1'/>", "1"},
      {"<property name='x' value='1' final='true'/>" + P("x", "2"), "1"},
      {"<property name='x'><value>1</value></property>", "1"},
      {P("x", "<![CDATA[a<b&c]]>"), "a<b&c"},
      {P("x", "a&lt;b&amp;&#99;"), "a<b&c"},
      {P("x", "a<!-- no -->b"), "ab"},
      {P("x", "1", "<description>said <b>so</b></description><source>s</source><tag>T</tag>"), "1"},
      {"<!--" + P("x", "1") + "-->", std::nullopt},
      {"<other>" + P("x", "1") + "</other>", std::nullopt},
      {"<property><value>1</value></property>", std::nullopt},
  };
  for (const Case& c : cases) {
    Configuration configuration(Around());
    ASSERT_TRUE(Add(configuration, c.body).ok()) << c.body;
    EXPECT_EQ(configuration.Get("x"), c.x) << c.body;
  }
}

TEST(Xml, DocumentTypeAndExternalEntitiesAreIgnored) {
  Configuration configuration(Around());
  const std::string xml = "<!DOCTYPE configuration [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><configuration>" +
                          P("x", "&e;") + "</configuration>";
  ASSERT_TRUE(AddXml(configuration, "/conf/a.xml", xml, Reader({})).ok());
  EXPECT_EQ(configuration.Get("x"), "&e;");
}

TEST(Xml, FinalPropertyOverridesLaterFilesWithWarning) {
  Configuration configuration(Around());
  ASSERT_TRUE(Add(configuration, P("x", "1", kFinal) + P("y", "1", kFinal), {}, "/conf/a-site.xml").ok());
  ASSERT_TRUE(Add(configuration, P("x", "2") + P("y", "1"), {}, "/conf/b-site.xml").ok());
  EXPECT_EQ(configuration.Get("x"), "1");
  EXPECT_THAT(configuration.warnings,
              ElementsAre("x is final in /conf/a-site.xml; its value in /conf/b-site.xml is ignored"));
  configuration.Set("x", "3", "the command line");
  EXPECT_EQ(configuration.Get("x"), "3");
}

TEST(Xml, IncludesAreRead) {
  const Files files = {{"/conf/b.xml", "<configuration>" + P("x", "b") + "</configuration>"},
                       {"/conf/sub/c.xml", "<configuration><include href='../b.xml'/></configuration>"},
                       {"/conf/sub/../b.xml", "<configuration>" + P("x", "up") + "</configuration>"},
                       {"/etc/d.xml", "<configuration>" + P("x", "d", kFinal) + "</configuration>"}};
  struct Case {
    std::string body, x;
  };
  const std::string xi = "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href=";
  const Case cases[] = {
      {xi + "'b.xml'/>", "b"},
      {P("x", "1") + xi + "'b.xml'/>", "b"},
      {xi + "'b.xml'/>" + P("x", "1"), "1"},
      {xi + "'sub/c.xml'/>", "up"},
      {xi + "'/etc/d.xml'/>" + P("x", "1"), "d"},
      {xi + "'file:///etc/d.xml'/>", "d"},
      {xi + "'no.xml'><xi:fallback>" + P("x", "fallen") + "</xi:fallback></xi:include>", "fallen"},
      {P("x", "1") + xi + "'no.xml'><xi:fallback/></xi:include>", "1"},
      {xi + "'b.xml'><xi:fallback>" + P("x", "fallen") + "</xi:fallback></xi:include>", "b"},
      {xi + "'no.xml'><xi:fallback>" + xi + "'b.xml'/></xi:fallback></xi:include>", "b"},
      {xi + "'http://example.com/x.xml'><xi:fallback>" + P("x", "fallen") + "</xi:fallback></xi:include>", "fallen"},
  };
  for (const Case& c : cases) {
    Configuration configuration(Around());
    const Status added = Add(configuration, c.body, files);
    ASSERT_TRUE(added.ok()) << c.body << added.error().message;
    EXPECT_EQ(configuration.Text("x"), c.x) << c.body;
  }
  Configuration configuration(Around());
  ASSERT_TRUE(Add(configuration, "<include href='b.xml'/>", files).ok());
  EXPECT_EQ(configuration.Where("x"), "x in /conf/b.xml");
}

TEST(Xml, MistakesAreReportedWithLine) {
  const Files loop = {{"/conf/a.xml", "<configuration><include href='a.xml'/></configuration>"}};
  struct Case {
    std::string xml, message;
  };
  const Case cases[] = {
      {"", "/conf/a.xml:1: not well-formed XML"},
      {"<configuration>\n\n<property>\n</configuration>", "/conf/a.xml:4: not well-formed XML"},
      {"\n<beans/>", "/conf/a.xml:2: its outermost element is <beans>, not <configuration>"},
      {"<configuration>\n<include href='no.xml'/></configuration>",
       "/conf/a.xml:2: including /conf/no.xml: reading /conf/no.xml: No such file"},
      {"<configuration><include href='a.xml'/></configuration>", "nested more than 32 deep"},
  };
  for (const Case& c : cases) {
    Configuration configuration(Around());
    const Status added = AddXml(configuration, "/conf/a.xml", c.xml, Reader(loop));
    ASSERT_FALSE(added.ok()) << c.xml;
    EXPECT_THAT(added.error().message, HasSubstr(c.message));
    EXPECT_EQ(added.error().code, ErrorCode::kUsage);
  }
}

TEST(Xml, WrittenConfigurationIsReadBack) {
  Configuration configuration(Around({{"HOST", "rm7"}}));
  configuration.Set("a", "x < y & \"z\" > ${env.HOST}\r\n", "here");
  configuration.Set("b", "1", "here", true);
  configuration.Set("c", "käse\ttab", "here");
  configuration.Set("d", std::string("a\0b", 3), "here");  // XML cannot represent the NUL
  Configuration again(Around());
  ASSERT_TRUE(AddXml(again, "sent.xml", WriteXml(configuration), Reader({})).ok());
  EXPECT_EQ(again.Text("a"), "x < y & \"z\" > rm7");
  EXPECT_TRUE(again.Find("b")->is_final);
  EXPECT_EQ(again.Text("c"), "käse\ttab");
  EXPECT_EQ(again.properties().size(), 3u);
}

// Random mutations (fixed seeds) of a file that uses every feature: the parser always returns, and input that it
// accepts can be written and read again. Sanitizers check memory accesses.
TEST(Xml, MutatedFilesAreSafe) {
  const std::string seed = "<?xml version='1.0'?><!DOCTYPE configuration><configuration xmlns:xi='x'>" +
                           P("fs.default.name", "hdfs://${env.H:-h}:8020") + P("a", "<![CDATA[${b}]]>", kFinal) +
                           "<property name='b' value='&#x41;${a}' final='true'/>" +
                           "<xi:include href='b.xml'><xi:fallback>" + P("f", "1") +
                           "</xi:fallback></xi:include></configuration>";
  const Files files = {{"/conf/b.xml", "<configuration>" + P("x", "b") + "<include href='c.xml'/></configuration>"},
                       {"/conf/c.xml", "<configuration>" + P("y", "c") + "</configuration>"}};
  uint64_t state = 7;
  const auto next = [&state](size_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % below;
  };
  int accepted = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string xml = seed;
    for (size_t edits = 1 + next(4); edits > 0; --edits) {
      const size_t at = next(xml.size());
      switch (next(4)) {
        case 0:
          xml[at] = static_cast<char>(next(256));
          break;
        case 1:
          xml.erase(at, 1 + next(20));
          break;
        case 2:
          xml.insert(at, xml.substr(next(xml.size()), next(60)));
          break;
        default:
          xml[at] = "<>&;'\"/${}"[next(10)];
      }
      if (xml.empty()) xml = "<";
    }
    Configuration configuration(Around());
    if (!AddXml(configuration, "/conf/a.xml", xml, Reader(files)).ok()) continue;
    ++accepted;
    for (const auto& [name, property] : configuration.properties()) (void)configuration.Get(name);
    Configuration again(Around());
    EXPECT_TRUE(AddXml(again, "again", WriteXml(configuration), Reader({})).ok()) << xml;
  }
  EXPECT_GT(accepted, 100);  // if the parser rejected almost all mutations, the test would cover little
}

}  // namespace
}  // namespace howdah::hadoop::conf
