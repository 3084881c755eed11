#include "exposition.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "howdah/base/text.h"

namespace howdah::portal {
namespace {

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  std::array<char, 32> text;
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : "NaN";
}

std::string Quoted(std::string_view value) {
  std::string quoted = "\"";
  for (const char c : Shown(value)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace

void Exposition::Declare(std::string_view name, Type type, std::string_view help) {
  Family& family = families_.emplace_back();
  family.name = name;
  family.head = "# HELP " + family.name + " " + std::string(help) + "\n# TYPE " + family.name +
                (type == Type::kCounter ? " counter\n" : " gauge\n");
}

void Exposition::Add(std::string_view name, const Labels& labels, double value) {
  const auto family =
      std::find_if(families_.begin(), families_.end(), [&](const Family& each) { return each.name == name; });
  if (family == families_.end()) {
    std::fprintf(stderr, "the metric %s is not declared\n", std::string(name).c_str());
    std::abort();
  }
  if (count_ >= most_) {
    ++omitted_;
    return;
  }
  ++count_;
  std::string text;
  for (const auto& [label, of_label] : labels) text += (text.empty() ? "" : ",") + label + "=" + Quoted(of_label);
  family->samples += family->name + (text.empty() ? "" : "{" + text + "}") + " " + NumberText(value) + "\n";
}

std::string Exposition::Text() const {
  std::string text;
  for (const Family& family : families_) {
    if (!family.samples.empty()) text += family.head + family.samples;
  }
  return text;
}

}  // namespace howdah::portal
