#include "howdah/jobspec/configuration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::jobspec {

using namespace keyfile;

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

template <typename T>
std::vector<std::string> ProblemsOf(const Parsed<T>& parsed) {
  std::vector<std::string> texts;
  for (const Problem& problem : parsed.problems) texts.push_back(problem.ToText());
  return texts;
}

TEST(Configuration, BackendAndPricesAreRead) {
  const auto parsed = ParseConfiguration(
      "# mine\n"
      "on: yarn\n"
      "prices: {currency: EUR, vcore_hour: 0.02, gib_hour: 0.004, gpu_hour: 1.10, labels: {a100: {gpu_hour: 2.40}}}\n",
      "c.yaml");
  EXPECT_THAT(ProblemsOf(parsed), IsEmpty());
  EXPECT_EQ(parsed.value.on, "yarn");
  EXPECT_EQ(parsed.value.on_line, 2);
  const Prices expected{"EUR", {0.02, 0.004, 1.10}, {{"a100", {std::nullopt, std::nullopt, 2.40}}}};
  EXPECT_EQ(parsed.value.prices, expected);
}

TEST(Configuration, LoginIsRead) {
  const auto parsed = ParseConfiguration("kerberos: {principal: ann@EXAMPLE.COM, keytab: ~/ann.keytab}\n", "c.yaml");
  EXPECT_THAT(ProblemsOf(parsed), IsEmpty());
  EXPECT_EQ(parsed.value.kerberos, (KeytabLogin{"ann@EXAMPLE.COM", "~/ann.keytab"}));
}

TEST(Configuration, LoginNeedsKeytab) {
  EXPECT_THAT(
      ProblemsOf(ParseConfiguration("on: yarn\nkerberos: {principal: ann}\n", "c.yaml")),
      ElementsAre("c.yaml:2: kerberos.keytab: missing; write the path of a keytab, as in keytab: ~/ann.keytab"));
  EXPECT_THAT(ProblemsOf(ParseConfiguration("kerberos: {carry: true}\n", "c.yaml")),
              ElementsAre("c.yaml:1: kerberos.carry: unknown key; the keys here are principal, keytab"));
}

TEST(Configuration, AutoscalerIsAUriOrAnAbsolutePath) {
  for (const std::string place : {"hdfs:///howdah/autoscale.json", "/mnt/howdah/autoscale.json"}) {
    const auto parsed = ParseConfiguration("autoscaler: " + place + "\n", "c.yaml");
    EXPECT_THAT(ProblemsOf(parsed), IsEmpty());
    EXPECT_EQ(parsed.value.autoscaler, place);
  }
  EXPECT_THAT(ProblemsOf(ParseConfiguration("autoscaler: autoscale.json\n", "c.yaml")),
              ElementsAre("c.yaml:1: autoscaler: must be a URI or an absolute path; write autoscaler: "
                          "hdfs:///howdah/autoscale.json"));
}

TEST(Configuration, EmptyFileHasNoSettings) {
  for (const char* text : {"", "---\n", "# nothing\n"}) {
    const auto parsed = ParseConfiguration(text, "c.yaml");
    EXPECT_THAT(ProblemsOf(parsed), IsEmpty()) << text;
    EXPECT_EQ(parsed.value.on, std::nullopt);
    EXPECT_EQ(parsed.value.prices, std::nullopt);
  }
}

TEST(Configuration, AllMistakesAreReportedWithLineAndRemedy) {
  const auto parsed = ParseConfiguration(
      "onn: local\n"
      "on: [local]\n"
      "prices:\n"
      "  currency: EUR\n"
      "  gpu_hours: 1\n"
      "  gib_hour: cheap\n"
      "  vcore_hour: -1\n"
      "  labels: {a100: {gpu: 2}}\n"
      "  gib_hour: 1\n",
      "c.yaml");
  EXPECT_THAT(ProblemsOf(parsed),
              ElementsAre("c.yaml:1: onn: unknown key; did you mean 'on'?",
                          "c.yaml:2: on: must be a word; write on: local or on: yarn",
                          "c.yaml:5: prices.gpu_hours: unknown key; did you mean 'gpu_hour'?",
                          "c.yaml:6: prices.gib_hour: must be a number from 0 to 1000000000, the price for one hour; "
                          "write gib_hour: 0.25",
                          "c.yaml:7: prices.vcore_hour: must be a number from 0 to 1000000000, the price for one hour; "
                          "write vcore_hour: 0.25",
                          "c.yaml:8: prices.labels.a100.gpu: unknown key; did you mean 'gpu_hour'?",
                          "c.yaml:9: prices.gib_hour: the key occurs twice; keep one of the two"));
}

TEST(Configuration, FileWithOnlyPricesIsRead) {
  EXPECT_EQ(ParsePrices("{currency: USD, gpu_hour: 3}", "p.yaml").value, (Prices{"USD", {{}, {}, 3.0}, {}}));
  EXPECT_THAT(ProblemsOf(ParsePrices("gpu_hour: 3\n", "p.yaml")),
              ElementsAre("p.yaml:1: currency: missing; write the currency of the prices, as in currency: EUR"));
  EXPECT_THAT(ProblemsOf(ParsePrices("", "p.yaml")),
              ElementsAre("p.yaml: the file is empty; write {currency: EUR, gpu_hour: 1.10}"));
  EXPECT_THAT(ProblemsOf(ParsePrices("7", "p.yaml")),
              ElementsAre("p.yaml:1: must be a map; write {currency: EUR, vcore_hour: 0.02, gib_hour: 0.004, gpu_hour: "
                          "1.10}"));
  EXPECT_EQ(ParsePrices("{", "p.yaml").problems.size(), 1u);
  EXPECT_EQ(ParsePrices(std::string(kLongestConfiguration + 1, ' '), "p.yaml").problems.size(), 1u);
}

}  // namespace
}  // namespace howdah::jobspec
