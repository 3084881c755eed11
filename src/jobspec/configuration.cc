#include "howdah/jobspec/configuration.h"

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/parse.h"

namespace howdah::jobspec {

using namespace keyfile;

namespace {

constexpr double kHighestPrice = 1e9;

// Reads one file, and collects its problems.
class ConfigurationReader {
 public:
  explicit ConfigurationReader(std::string file) : file_(std::move(file)) {}

  std::vector<Problem> TakeProblems() { return std::move(problems_); }

  // Returns the tree of the text; nullptr if it is empty or cannot be read.
  const Node* Parse(std::string_view yaml) {
    if (yaml.size() > kLongestConfiguration) {
      Report(0, "", "the file is larger than " + std::to_string(kLongestConfiguration >> 10) + " KiB; shorten it");
      return nullptr;
    }
    const ParsedTree parsed = ParseYaml(yaml, tree_, /*from_set=*/false);
    if (parsed.error) Report(parsed.error->line, "", parsed.error->text);
    return parsed.error ? nullptr : parsed.root;
  }

  Configuration ReadConfiguration(const Node& root) {
    Configuration configuration;
    ReadMap(root, "", {"on", "prices", "kerberos", "autoscaler"},
            "on: local, or prices: {currency: EUR, gpu_hour: 1.10}", [&](const Entry& entry) {
              if (entry.key == "prices") {
                configuration.prices = ReadPrices(*entry.value, "prices");
              } else if (entry.key == "kerberos") {
                configuration.kerberos = ReadLogin(*entry.value, entry.mark.line);
              } else if (entry.key == "autoscaler") {
                configuration.autoscaler = ReadPlace(entry);
              } else if (const auto text = ReadText(entry, "on", "on: local or on: yarn")) {
                configuration.on = *text;
                configuration.on_line = entry.mark.line;
              }
            });
    return configuration;
  }

  KeytabLogin ReadLogin(const Node& node, int line) {
    constexpr char kExample[] = "{principal: ann@EXAMPLE.COM, keytab: ~/ann.keytab}";
    KeytabLogin login;
    ReadMap(node, "kerberos", {"principal", "keytab"}, kExample, [&](const Entry& entry) {
      std::string& field = entry.key == "keytab" ? login.keytab : login.principal;
      field = ReadText(entry, Under("kerberos", entry.key), kExample).value_or("");
    });
    if (login.keytab.empty() && problems_.empty()) {
      Report(line, "kerberos.keytab", "missing; write the path of a keytab, as in keytab: ~/ann.keytab");
    }
    return login;
  }

  Prices ReadPrices(const Node& node, const std::string& path) {
    constexpr char kExample[] = "{currency: EUR, vcore_hour: 0.02, gib_hour: 0.004, gpu_hour: 1.10}";
    Prices prices;
    ReadMap(node, path, {"currency", "vcore_hour", "gib_hour", "gpu_hour", "labels"}, kExample,
            [&](const Entry& entry) {
              const std::string key = Under(path, entry.key);
              if (entry.key == "currency") {
                prices.currency = ReadText(entry, key, "currency: EUR").value_or("");
              } else if (entry.key == "labels") {
                ReadLabels(*entry.value, key, prices);
              } else {
                ReadPrice(entry, key, prices.usual);
              }
            });
    if (prices.currency.empty() && problems_.empty()) {
      Report(node.mark.line, Under(path, "currency"), "missing; write the currency of the prices, as in currency: EUR");
    }
    return prices;
  }

 private:
  static std::string Under(const std::string& path, const std::string& key) {
    return path.empty() ? key : path + "." + key;
  }

  void Report(int line, const std::string& key, std::string text) {
    problems_.push_back({file_, line, key, std::move(text)});
  }

  // Calls `read` for each known key. If `keys` is empty, every key is known.
  void ReadMap(const Node& node, const std::string& path, const std::vector<std::string_view>& keys,
               const std::string& example, const std::function<void(const Entry&)>& read) {
    if (node.kind == Node::Kind::kNull) return;
    if (node.kind != Node::Kind::kMap) return Report(node.mark.line, path, "must be a map; write " + example);
    std::set<std::string> seen;
    for (const Entry& entry : node.entries) {
      const std::string key = Under(path, entry.key);
      if (!seen.insert(entry.key).second) {
        Report(entry.mark.line, key, "the key occurs twice; keep one of the two");
      } else if (!keys.empty() && std::find(keys.begin(), keys.end(), entry.key) == keys.end()) {
        Report(entry.mark.line, key, "unknown key; " + Remedy(entry.key, keys));
      } else {
        read(entry);
      }
    }
  }

  static std::string Remedy(const std::string& key, const std::vector<std::string_view>& keys) {
    const std::string_view nearest = Nearest(key, keys);
    if (!nearest.empty()) return "did you mean '" + std::string(nearest) + "'?";
    std::string known;
    for (const std::string_view one : keys) known += (known.empty() ? "" : ", ") + std::string(one);
    return "the keys here are " + known;
  }

  std::optional<std::string> ReadText(const Entry& entry, const std::string& key, const std::string& example) {
    if (entry.value->kind == Node::Kind::kScalar && !entry.value->text.empty()) return entry.value->text;
    Report(entry.mark.line, key, "must be a word; write " + example);
    return std::nullopt;
  }

  std::string ReadPlace(const Entry& entry) {
    constexpr char kExample[] = "autoscaler: hdfs:///howdah/autoscale.json";
    std::string place = ReadText(entry, entry.key, kExample).value_or("");
    if (place.empty() || place.starts_with('/') || place.find("://") != std::string::npos) return place;
    Report(entry.mark.line, entry.key, std::string("must be a URI or an absolute path; write ") + kExample);
    return "";
  }

  void ReadLabels(const Node& node, const std::string& path, Prices& prices) {
    ReadMap(node, path, {}, "{a100: {gpu_hour: 2.40}}", [&](const Entry& label) {
      HardwarePrice& price = prices.labels[label.key];
      const std::string of_label = Under(path, label.key);
      ReadMap(*label.value, of_label, {"vcore_hour", "gib_hour", "gpu_hour"}, "{gpu_hour: 2.40}",
              [&](const Entry& entry) { ReadPrice(entry, Under(of_label, entry.key), price); });
    });
  }

  void ReadPrice(const Entry& entry, const std::string& key, HardwarePrice& price) {
    std::optional<double>& field = entry.key == "vcore_hour" ? price.vcore_hour
                                   : entry.key == "gib_hour" ? price.gib_hour
                                                             : price.gpu_hour;
    const bool is_scalar = entry.value->kind == Node::Kind::kScalar;
    const auto number = is_scalar ? ParseNumber<double>(entry.value->text) : std::nullopt;
    if (number && *number >= 0 && *number <= kHighestPrice) {
      field = number;
    } else {
      Report(entry.mark.line, key,
             "must be a number from 0 to 1000000000, the price for one hour; write " + entry.key + ": 0.25");
    }
  }

  std::string file_;
  Tree tree_;
  std::vector<Problem> problems_;
};

}  // namespace

Parsed<Configuration> ParseConfiguration(std::string_view yaml, const std::string& file) {
  ConfigurationReader reader(file);
  Configuration configuration;
  if (const Node* root = reader.Parse(yaml)) configuration = reader.ReadConfiguration(*root);
  return {std::move(configuration), reader.TakeProblems()};
}

Parsed<Prices> ParsePrices(std::string_view yaml, const std::string& file) {
  ConfigurationReader reader(file);
  Prices prices;
  if (const Node* root = reader.Parse(yaml)) {
    prices = reader.ReadPrices(*root, "");
  } else if (auto problems = reader.TakeProblems(); !problems.empty()) {
    return {{}, std::move(problems)};
  } else {
    return {{}, {{file, 0, "", "the file is empty; write {currency: EUR, gpu_hour: 1.10}"}}};
  }
  return {std::move(prices), reader.TakeProblems()};
}

}  // namespace howdah::jobspec
