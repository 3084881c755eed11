#include "configured_values.h"

#include <utility>

#include "howdah/keyfile/variables.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

// A string that is written even if it is empty.
ValueType<std::string> AnyText() {
  ValueType<std::string> type = OptionalText();
  type.write = [](const std::string& text) { return Json(EscapeDollars(text)); };
  return type;
}

const Section<Configured>& ConfiguredKeys() {
  static const Section<Configured> section = {
      {Row("value", &Configured::value, AnyText(), "The value", "4"),
       Row("source", &Configured::source, OptionalText(), "The file or flag that sets it")}};
  return section;
}

ValueType<Configured> ConfiguredValue() {
  return OrShort<Configured, std::string>(
      SectionType(&ConfiguredKeys), AnyText(),
      [](std::string value) {
        return Configured{"", std::move(value), ""};
      },
      [](const Configured& c) { return c.source.empty() ? std::optional(c.value) : std::nullopt; });
}

}  // namespace

ValueType<std::vector<Configured>> Configuration() {
  const ValueType<Configured> type = ConfiguredValue();
  return {
      [type](Reader& r, const Node& n, std::vector<Configured>& out) {
        if (!CheckIsMap(r, n)) return false;
        return ForEachEntry(r, n, [&](const Entry& entry) {
          Configured read;
          if (entry.value->kind != Node::Kind::kNull && !type.read(r, *entry.value, read)) return false;
          read.name = entry.key;
          out.push_back(std::move(read));
          return true;
        });
      },
      [type](const std::vector<Configured>& values) {
        Json object;
        for (const Configured& value : values) object[value.name] = type.write(value);
        return object;
      },
      [type] {
        return Json{{"title", "map of names and values"}, {"type", "object"}, {"additionalProperties", type.schema()}};
      }};
}

}  // namespace howdah::jobspec
