#include "exposition.h"

#include <gtest/gtest.h>

#include <limits>

namespace howdah::portal {
namespace {

TEST(Exposition, FamiliesHaveHelpTypeAndTheirSamplesTogether) {
  Exposition page(100);
  page.Declare("a_total", Exposition::Type::kCounter, "The first.");
  page.Declare("b", Exposition::Type::kGauge, "The second.");
  page.Declare("c", Exposition::Type::kGauge, "Without samples.");
  page.Add("b", {{"x", "1"}, {"y", "2"}}, 0.5);
  page.Add("a_total", {}, 12345678901);
  page.Add("b", {{"x", "2"}}, std::numeric_limits<double>::infinity());
  EXPECT_EQ(page.Text(),
            "# HELP a_total The first.\n# TYPE a_total counter\na_total 12345678901\n"
            "# HELP b The second.\n# TYPE b gauge\nb{x=\"1\",y=\"2\"} 0.5\nb{x=\"2\"} +Inf\n");
}

TEST(Exposition, ValuesOfLabelsCannotEndTheirLine) {
  Exposition page(100);
  page.Declare("a", Exposition::Type::kGauge, "Help.");
  page.Add("a", {{"name", "b\"} 1\n\\c\xff"}}, 1);
  EXPECT_EQ(page.Text(), "# HELP a Help.\n# TYPE a gauge\na{name=\"b\\\"} 1 \\\\c?\"} 1\n");
}

TEST(Exposition, FurtherSeriesAreCounted) {
  Exposition page(2);
  page.Declare("a", Exposition::Type::kGauge, "Help.");
  for (int i = 0; i < 5; ++i) page.Add("a", {{"i", std::to_string(i)}}, i);
  EXPECT_EQ(page.omitted(), 3);
  EXPECT_EQ(page.Text(), "# HELP a Help.\n# TYPE a gauge\na{i=\"0\"} 0\na{i=\"1\"} 1\n");
}

}  // namespace
}  // namespace howdah::portal
