// Hadoop's configuration as a client reads it: *-site.xml over the defaults of Hadoop.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::hadoop::conf {

// A property, and where it was said.
struct Property {
  std::string raw;     // as it is written
  std::string origin;  // "/etc/hadoop/conf/yarn-site.xml", "default of Hadoop"
  bool is_final = false;
};

// What variables of values may name besides other properties: ${env.NAME} and Java's system properties.
struct Surroundings {
  std::function<std::optional<std::string>(const std::string& name)> environment;
  std::string user_name, user_home;
};

// A value type. Rules: org.apache.hadoop.conf.Configuration (last wins unless an earlier one is final; ${x} expanded up
// to 20 times; an unbound variable stays as it is; a deprecated key is another name of the present one). Reading is
// safe from any thread as long as nobody writes.
class Configuration {
 public:
  // Hadoop's own defaults of the keys that Howdah uses.
  explicit Configuration(Surroundings surroundings);

  // Expanded and trimmed; nullopt: not set, or empty.
  std::optional<std::string> Get(const std::string& key) const;
  std::string Text(const std::string& key, const std::string& fallback = "") const;
  // kUsage, naming key, value and origin, if the value is of another kind.
  Result<bool> Bool(const std::string& key, bool fallback) const;
  Result<int64_t> Number(const std::string& key, int64_t fallback) const;  // k m g t p e, 0x
  Result<Duration> Time(const std::string& key, Duration fallback) const;  // ns us ms s m h d; a bare number is ms
  std::vector<std::string> List(const std::string& key) const;             // by comma, trimmed, none empty
  // "yarn.resourcemanager.address in /etc/hadoop/conf/yarn-site.xml", "... (a default of Hadoop)", "... (not set)":
  // for error messages.
  std::string Where(const std::string& key) const;

  // Replaces what was there, final or not: what somebody sets by hand wins over files, as in Hadoop.
  void Set(const std::string& key, std::string raw, const std::string& origin, bool is_final = false);
  // What a file (or Set) says of the key itself, or of its present name; null: nothing, a default counts as nothing.
  const Property* Find(const std::string& key) const;
  // Every property that was read from a file, for `howdah doctor`.
  const std::map<std::string, Property>& properties() const { return properties_; }
  const Surroundings& surroundings() const { return surroundings_; }
  // "x.y is final in a-site.xml; its value in b-site.xml is ignored"
  std::vector<std::string> warnings;

 private:
  Surroundings surroundings_;
  std::map<std::string, Property> properties_;
};

// Adds one file's properties, under the rules for final ones. read_file: of a path that XInclude names; its kNotFound
// means that the include's fallback counts. kUsage: not XML, not a configuration, an include that cannot be read; names
// file and line. Any bytes are safe to give.
Status AddXml(Configuration& configuration, const std::string& path, const std::string& xml,
              const std::function<Result<std::string>(const std::string& path)>& read_file);

// $HADOOP_CONF_DIR, else $YARN_CONF_DIR, else $HADOOP_HOME/etc/hadoop, else /etc/hadoop/conf: core-site.xml,
// yarn-site.xml, resource-types.xml, hdfs-site.xml. kUsage: there is no such directory, or it has no file of these; the
// message says what to set.
Result<Configuration> LoadConfiguration(const Surroundings& surroundings);
// The directory that LoadConfiguration reads.
Result<std::string> ConfigurationDirectory(const Surroundings& surroundings);

// Only what is set by files (or Set), as one XML file: what an application master is sent. Values with variables are
// written expanded, for the environment they may name is this process's.
std::string WriteXml(const Configuration& configuration);

}  // namespace howdah::hadoop::conf
