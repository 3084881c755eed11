// The constants of YARN services, such as ${SERVICE_NAME} (org.apache.hadoop.yarn.service.api.ServiceApiConstants), in
// the texts of a Yarnfile. YARN replaces them in the texts of each container before it starts the container. Here the
// translation replaces those that are the same in all containers of a component, and the task replaces the others, as
// variables of bash.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace howdah::compat::yarnfile {

// A text in which some places depend on the task.
struct Filled {
  struct Piece {
    std::string text;
    bool variable = false;  // true: `text` is the name of a variable of bash
    friend bool operator==(const Piece&, const Piece&) = default;
  };
  std::vector<Piece> pieces;
  bool Fixed() const;          // whether the text is the same in every task
  std::string ToText() const;  // with variables as ${NAME}
};

class Constants {
 public:
  // `components`: the names of the components with their numbers of containers.
  Constants(std::string service, std::string user, std::map<std::string, int, std::less<>> components);

  // Replaces the constants in a text of a component. `environment`: further names that become variables. ${X} is kept
  // if X is none of these. A host name of YARN's registry, such as web-0.${SERVICE_NAME}.${USER}.${DOMAIN}, becomes the
  // host of the task. Adds to `unknown` the constants that have no value in Howdah.
  Filled Fill(std::string_view text, const std::string& component, const std::set<std::string>& environment,
              std::set<std::string>& unknown) const;

  // One line of bash that sets a variable which Fill has used; "" for a variable of the environment.
  static std::string Definition(const std::string& variable);
  // Whether the value of the variable comes from the function host_of of bash (HostFunction).
  static bool IsHost(std::string_view variable);
  // Whether the variable is the host of the task itself.
  static bool IsSelf(std::string_view variable);
  // The constants whose values are the same in all containers of a component.
  std::map<std::string, std::string, std::less<>> Fixed(const std::string& component) const;

  // A reference to the host of a task, which Link replaces.
  static std::string HostReference(const std::string& component, int index);
  // Replaces the variables in the text of a filled quick link. host(role, index) returns the host of a task.
  static std::string Link(const std::string& text,
                          const std::function<std::string(const std::string& role, int index)>& host);

 private:
  // The variable for a constant that depends on the task; "" if there is none.
  std::string VariableOf(std::string_view name) const;
  // The variable for the host of an instance, such as "web-0"; "" if there is no such instance.
  std::string HostOf(std::string_view instance) const;

  std::string service_, user_;
  std::map<std::string, int, std::less<>> components_;
};

// The names of the constants that depend on the task and are not hosts.
const std::vector<std::string>& TaskConstants();

// The bash function `host_of ROLE INDEX`, which prints the host of a task, or nothing while it is not known.
std::string_view HostFunction();
// The bash function `fill FROM TO`, which copies a text and replaces the constants in the associative array `constants`
// and the hosts of tasks. It needs HostFunction.
std::string_view FillFunction();

// Quotes a text for bash, if it needs quotes.
std::string ShellWord(std::string_view text);
// Quotes a text for bash in double quotes; its variables are expanded.
std::string ShellText(const Filled& filled);
// A text that is bash already: variables within single quotes are moved out of them.
std::string ShellScript(const Filled& filled);

}  // namespace howdah::compat::yarnfile
