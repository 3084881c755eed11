#include "howdah/diagnosis/restart_rules.h"

#include <gtest/gtest.h>

#include <string>

namespace howdah::diagnosis {
namespace {

using Rules = std::vector<jobspec::RestartRule>;

jobspec::RestartRule Rule(std::string log, std::optional<int> exit = std::nullopt, std::string signal = "") {
  return {.log = std::move(log), .exit = exit, .signal = std::move(signal)};
}
ExitStatus Code(int code) { return {.code = code, .signal = std::nullopt}; }
ExitStatus Signal(int signal) { return {.code = std::nullopt, .signal = signal}; }

TEST(RestartRules, FirstMatchingRuleIsReturned) {
  const struct {
    Rules rules;
    ExitStatus exit;
    std::string output;
    std::optional<int> rule;
  } rows[] = {
      {{}, Code(1), "x", std::nullopt},
      {{Rule("", 75)}, Code(75), "", 0},
      {{Rule("", 75)}, Code(1), "", std::nullopt},
      {{Rule("", 75)}, Signal(9), "", std::nullopt},
      {{Rule("", {}, "SIGBUS")}, Signal(7), "", 0},
      {{Rule("", {}, "SIGBUS")}, Code(128 + 7), "", 0},
      {{Rule("", {}, "SIGBUS")}, Signal(9), "", std::nullopt},
      {{Rule("bad record")}, Code(1), "step 1\nbad record 17\nmore\n", 0},
      {{Rule("^bad .* 17$")}, Code(1), "step 1\nbad record 17\nmore\n", 0},
      {{Rule("^record")}, Code(1), "step 1\nbad record 17\n", std::nullopt},
      {{Rule("step.*record")}, Code(1), "step 1\nbad record 17\n", std::nullopt},  // matches only within a line
      {{Rule("^bad record$")}, Code(1), "\x1b[31mbad record\x1b[0m\r\n", 0},       // escapes are removed first
      {{Rule("bad record", 3)}, Code(1), "bad record\n", std::nullopt},
      {{Rule("bad record", 3), Rule("bad"), Rule("", 1)}, Code(1), "bad record\n", 1},
      {{Rule("")}, Code(0), "", std::nullopt},
      // A pathological pattern costs neither stack nor time.
      {{Rule("(a*)*b")}, Code(1), std::string(64 << 10, 'a'), std::nullopt},
  };
  int row = 0;
  for (const auto& [rules, exit, output, rule] : rows) {
    EXPECT_EQ(FirstMatching(rules, exit, output), rule) << "row " << row++;
  }
}

}  // namespace
}  // namespace howdah::diagnosis
