// Values of options, and ${...} in them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/compat/slider/conf_tree.h"

namespace howdah::compat::slider {

class Values {
 public:
  explicit Values(std::vector<std::string>& problems) : problems_(problems) {}

  // Returns the whole number of an option, or the fallback if there is none. Reports a problem for another value.
  int64_t Number(const std::vector<Option>& options, const std::string& name, int64_t fallback, int64_t least,
                 int64_t most);
  void Fail(const Place& place, const std::string& text) { problems_.push_back(place.With(text)); }

 private:
  std::vector<std::string>& problems_;
};

// A value of appConfig.json for the tasks of one component.
struct Value {
  std::string literal;   // if it has no variables of the task
  std::string shell;     // the value for a shell: "$HOWDAH_PORT", with literal parts as they are
  std::string quoted;    // the same in double quotes: "\"$HOWDAH_PORT\""
  bool of_task = false;  // only known in the task
  std::string foreign;   // another component whose port it needs; empty: none
  std::string unknown;   // the first ${...} that is not one of these names; empty: none
  bool fixed() const { return !of_task && foreign.empty() && unknown.empty(); }
};

// The names that ${...} stands for.
struct Names {
  std::string user, application, component;
};

// Replaces ${USER_NAME}, ${CLUSTER_NAME}, ${AGENT_WORK_ROOT}, ${X.ALLOCATED_PORT}{DEFAULT_n}{PER_CONTAINER} and so on.
Value Replaced(const std::string& text, const Names& names);

// The component of ${X.ALLOCATED_PORT}, or "" if the text has none.
std::string ComponentOfPort(const std::string& text);

// Quotes a word for a shell, if it needs quotes.
std::string ShellWord(const std::string& word);

}  // namespace howdah::compat::slider
