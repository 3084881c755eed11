#include <cstdio>
#include <cstdlib>

#include "howdah/web/routes.h"

namespace howdah::web {
namespace {

// The handler asks for a parameter that its route does not declare.
[[noreturn]] void Undeclared(std::string_view name) {
  std::fprintf(stderr, "the route does not declare the parameter '%.*s' with this type\n",
               static_cast<int>(name.size()), name.data());
  std::abort();
}

template <typename T>
const T& As(std::string_view name, const Arguments::Value& value) {
  const T* typed = std::get_if<T>(&value);
  if (typed == nullptr) Undeclared(name);
  return *typed;
}

template <typename T>
std::optional<T> Optional(std::string_view name, const std::optional<Arguments::Value>& value) {
  if (!value) return std::nullopt;
  return As<T>(name, *value);
}

}  // namespace

const std::optional<Arguments::Value>& Arguments::Find(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) Undeclared(name);
  return found->second;
}

bool Arguments::Has(std::string_view name) const { return Find(name).has_value(); }

const std::string& Arguments::Text(std::string_view name) const {
  static const std::string kNone;
  const auto& value = Find(name);
  return value ? As<std::string>(name, *value) : kNone;
}

std::optional<int64_t> Arguments::Integer(std::string_view name) const { return Optional<int64_t>(name, Find(name)); }

std::optional<double> Arguments::Number(std::string_view name) const { return Optional<double>(name, Find(name)); }

bool Arguments::Flag(std::string_view name) const { return Optional<bool>(name, Find(name)).value_or(false); }

std::optional<Duration> Arguments::Length(std::string_view name) const { return Optional<Duration>(name, Find(name)); }

std::optional<Instant> Arguments::Time(std::string_view name) const { return Optional<Instant>(name, Find(name)); }

const std::vector<std::string>& Arguments::Texts(std::string_view name) const {
  static const std::vector<std::string> kNone;
  const auto& value = Find(name);
  return value ? As<std::vector<std::string>>(name, *value) : kNone;
}

}  // namespace howdah::web
