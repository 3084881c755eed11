#include "howdah/autoscale/provider.h"

#include <climits>

#include "howdah/autoscale/resource_types.h"
#include "howdah/keyfile/read_file.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::autoscale {

using namespace keyfile;

namespace {

constexpr double kHighestCost = 1e9;

const Section<NodeGroup>& GroupKeys() {
  static const Section<NodeGroup> keys = {
      {Row("hosts", &NodeGroup::hosts, Pattern(), "Regular expression for the names of the hosts", "'w-[0-9]+'"),
       Row("node", &NodeGroup::node, Optional(ShapeType()), "Size of a node; default: learnt from running ones"),
       Row("cost", &NodeGroup::cost, Number(0, kHighestCost), "Cost of a node; only ratios count"),
       Row("join", &NodeGroup::join, TimeSpan(Zero::kRefused), "Longest time until an ordered node has registered"),
       Row("preemptible", &NodeGroup::preemptible, TrueOrFalse(), "Whether the provider may take nodes away")}};
  return keys;
}

const Section<Provider>& GroupsKeys() {
  static const Section<Provider> keys = {{Row("primary", &Provider::primary, Optional(SectionType(&GroupKeys)),
                                              "The group of workerConfig", "{hosts: 'w-[0-9]+'}"),
                                          Row("secondary", &Provider::secondary, Optional(SectionType(&GroupKeys)),
                                              "The group of secondaryWorkerConfig")}};
  return keys;
}

// A path, which is not expanded: the file may be on another machine.
ValueType<std::string> AnyPath() { return NonEmptyText("path"); }

// A file of the cluster's file system, or of one that is mounted on all machines of the clients.
ValueType<std::string> UriOrPath() {
  return CheckedText("URI or path", [](const std::string& text) {
    if (text.starts_with('/') || text.find("://") != std::string::npos) return std::string();
    return "'" + text + "' is neither a URI nor an absolute path; write for example hdfs:///howdah/autoscale.json";
  });
}

const Section<Provider::Exclude>& ExcludeKeys() {
  static const Section<Provider::Exclude> keys = {
      {Row("path", &Provider::Exclude::path, AnyPath(), "yarn.resourcemanager.nodes.exclude-path",
           "/etc/hadoop/conf/exclude.xml"),
       Row("read", &Provider::Exclude::read, Script(), "Command that prints its content"),
       Row("write", &Provider::Exclude::write, Script(), "Command that writes the content from stdin to it")}};
  return keys;
}

const Words<bool>& ElasticWords() {
  static const Words<bool> words = {{false, "min"}, {true, "max"}};
  return words;
}

const Section<Provider>& ProviderKeys() {
  static const Section<Provider> keys = [] {
    Key<Provider> groups = keyfile::Group("groups", GroupsKeys(), "The machines of each group");
    groups.example = "{primary: {hosts: 'w-[0-9]+'}}";
    return Section<Provider>{
        {std::move(groups), Row("list", &Provider::list, Script(), "Prints the machines as JSON lines", "./list-nodes"),
         Row("add", &Provider::add, Script(), "Adds machines", "./add-nodes"),
         Row("remove", &Provider::remove, Script(), "Removes machines", "./remove-nodes"),
         Row("before_remove", &Provider::before_remove, Script(), "Runs before `remove`"),
         Row("timeout", &Provider::timeout, TimeSpan(Zero::kRefused), "Longest time of a command"),
         Row("exclude", &Provider::exclude, SectionType(&ExcludeKeys), "The exclude file of the ResourceManager",
             "{path: /etc/hadoop/conf/exclude.xml}"),
         Row("publish", &Provider::publish, UriOrPath(), "File in which clients read how large the cluster may become"),
         Row("cores", &Provider::cores, TrueOrFalse(), "Whether the Dataproc mode counts vcores, too"),
         Row("elastic", &Provider::elastic_max, OneOf(ElasticWords()),
             "Whether optional tasks of elastic roles count")}};
  }();
  return keys;
}

}  // namespace

Contents<Provider> ParseProvider(std::string_view text, const std::string& file) {
  return ReadFile<Provider>(text, {.file_name = file}, ProviderKeys(), [](const Provider& provider, Reader& reader) {
    if (provider.exclude.write.empty() == provider.exclude.read.empty()) return;
    const std::string missing = provider.exclude.read.empty() ? "read" : "write";
    reader.FailAt("exclude." + missing, "missing; a file of another machine needs both commands, `read` and `write`");
  });
}

}  // namespace howdah::autoscale
