// Hadoop's client configuration: the *-site.xml files, which override Hadoop's defaults.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::hadoop::conf {

// The value of a property, and where it is set.
struct Property {
  std::string raw;     // the value as written, with its variables not expanded
  std::string origin;  // where the value is set, such as "/etc/hadoop/conf/yarn-site.xml"
  bool is_final = false;
};

// The sources of variables that are not properties: ${env.NAME} and Java's system properties.
struct Environment {
  std::function<std::optional<std::string>(const std::string& name)> variable;
  std::string user_name, user_home;
};

// Follows the rules of org.apache.hadoop.conf.Configuration. The last file wins unless an earlier file declares the
// property final. ${x} is expanded up to 20 times, and unbound variables stay as they are. A deprecated key is an alias
// of its present name. A copyable value; concurrent reads are safe while no thread writes.
class Configuration {
 public:
  // Starts with Hadoop's defaults for the keys that Howdah uses.
  explicit Configuration(Environment environment);

  // The value, expanded and trimmed. Returns nullopt if the key is not set or its value is empty.
  std::optional<std::string> Get(const std::string& key) const;
  std::string Text(const std::string& key, const std::string& fallback = "") const;
  // The value, expanded, with its white space: " ops" and "ops" are different lists of users and groups. Returns
  // nullopt if the key is not set.
  std::optional<std::string> Untrimmed(const std::string& key) const;
  // These functions return kUsage if the value has another type. The message contains key, value and source.
  Result<bool> Bool(const std::string& key, bool fallback) const;
  Result<int64_t> Number(const std::string& key, int64_t fallback) const;  // accepts suffixes k m g t p e and prefix 0x
  Result<Duration> Time(const std::string& key, Duration fallback) const;  // accepts ns us ms s m h d; default ms
  std::vector<std::string> List(const std::string& key) const;  // split at commas, trimmed, without empty items
  // Describes key and source for error messages: "KEY in /etc/hadoop/conf/yarn-site.xml",
  // "KEY (a default of Hadoop)" or "KEY (not set)".
  std::string Where(const std::string& key) const;

  // Replaces the value, even a final one: as in Hadoop, explicit settings override files.
  void Set(const std::string& key, std::string raw, const std::string& origin, bool is_final = false);
  // The property that a file or Set has set under this key or its present name. Returns null if there is none, even if
  // the key has a default.
  const Property* Find(const std::string& key) const;
  // All properties that files or Set have set, for `howdah doctor`.
  const std::map<std::string, Property>& properties() const { return properties_; }
  const Environment& environment() const { return environment_; }
  // Warnings for the user, such as "x.y is final in a-site.xml; its value in b-site.xml is ignored".
  std::vector<std::string> warnings;

 private:
  Environment environment_;
  std::map<std::string, Property> properties_;
};

// Adds the properties of one file, except those that an earlier file declares final. Accepts any bytes. Returns kUsage
// if the text is not XML or not a configuration, or if an included file is unreadable; the message contains file and
// line. `read_file` reads files included by XInclude; if it returns kNotFound, the fallback of the include is used.
Status AddXml(Configuration& configuration, const std::string& path, const std::string& xml,
              const std::function<Result<std::string>(const std::string& path)>& read_file);

// Reads core-site.xml, yarn-site.xml, resource-types.xml and hdfs-site.xml from $HADOOP_CONF_DIR, else $YARN_CONF_DIR,
// else $HADOOP_HOME/etc/hadoop, else /etc/hadoop/conf. Returns kUsage if the directory does not exist or contains none
// of these files; the message names the variable to set.
Result<Configuration> LoadConfiguration(const Environment& environment);
// Reads the file that hadoop.ssl.client.conf names (default ssl-client.xml), in the directory of LoadConfiguration. The
// result has no properties if the file does not exist.
Result<Configuration> LoadSslClient(const Configuration& configuration);
// The directory used by LoadConfiguration.
Result<std::string> ConfigurationDirectory(const Environment& environment);

// Writes the properties set by files or by Set as one XML file, for the application master. Expands variables, because
// they may refer to the environment of this process.
std::string WriteXml(const Configuration& configuration);

}  // namespace howdah::hadoop::conf
