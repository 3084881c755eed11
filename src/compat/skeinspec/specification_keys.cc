#include "specification_keys.h"

#include "howdah/keyfile/words.h"
#include "values.h"

namespace howdah::compat::skeinspec {

using namespace keyfile;

namespace {

constexpr int kMostTasks = 100'000;  // as in a job file
constexpr int kMostCount = 1'000'000;
constexpr std::string_view kResourcesExample = "{memory: 2 GiB, vcores: 1}";

const Section<Resources>& ResourcesKeys() {
  static const Section<Resources> section = {
      {Row("memory", &Resources::memory_mib, MemoryInMib(), "Memory per instance", "2 GiB"),
       Row("vcores", &Resources::vcores, Count(1, kMostCount), "Virtual cores per instance", "1"),
       Row("gpus", &Resources::gpus, Count(0, kMostCount), "GPUs per instance"),
       Row("fpgas", &Resources::fpgas, Count(0, kMostCount), "FPGAs per instance")}};
  return section;
}

ValueType<FileType> FileTypeWord() {
  return ReadOnly<FileType>("word", [](Reader& r, const Node& n, FileType& out) {
    std::string word;
    if (!Word({"file", "archive"}).read(r, n, word)) return false;
    out = word == "file" ? FileType::kFile : FileType::kArchive;
    return true;
  });
}

const Section<File>& FileKeys() {
  static const Section<File> section = {
      {Row("source", &File::source, Source(), "Path or URI", "env.tar.gz"),
       Row("type", &File::type, FileTypeWord(), "file or archive"),
       Row("visibility", &File::visibility, Given(Word({"application", "private", "public"})), "No effect"),
       Row("size", &File::size, Given(LargeCount()), "No effect"),
       Row("timestamp", &File::timestamp, Given(LargeCount()), "No effect")}};
  return section;
}

// Reads the name of a file in the working directory. Skein allows no directories, except for a leading "./".
bool ReadFileName(Reader& r, const Entry& entry, std::string& out) {
  out = entry.key.starts_with("./") ? entry.key.substr(2) : entry.key;
  if (!out.empty() && out != "." && out != ".." && out.find('/') == out.npos) return true;
  return r.Fail(entry.mark, "must be the name of a file in the working directory, without a directory");
}

bool ReadFiles(Reader& r, const Node& n, std::vector<File>& out) {
  if (!CheckIsMap(r, n)) return false;
  return ForEachEntry(r, n, [&](const Entry& entry) {
    File file;
    bool good = ReadFileName(r, entry, file.name);
    if (entry.value->kind == Node::Kind::kNull) {
      good = r.Fail(entry.mark, "has no value; write the path of the file");
    } else if (entry.value->kind == Node::Kind::kScalar) {
      good = Source().read(r, *entry.value, file.source) && good;
    } else {
      good = ReadSection(r, *entry.value, FileKeys(), file) && good;
    }
    if (good) out.push_back(std::move(file));
    return good;
  });
}

ValueType<std::vector<File>> Files() {
  ValueType<std::vector<File>> type = ReadOnly<std::vector<File>>("map of files", &ReadFiles);
  type.schema = [] { return Json{{"additionalProperties", SectionSchema(FileKeys())}}; };
  return type;
}

// For a key of older versions of Skein.
std::string OlderKeyOfService(std::string_view key, const Node&) {
  return key == "commands" ? "script (Skein 0.6 removed 'commands'; write one script with a command per line)" : "";
}

const Section<Service>& ServiceKeys() {
  static const Section<Service> section = {
      {Row("resources", &Service::resources, SectionType(&ResourcesKeys), "Size of an instance", kResourcesExample),
       Row("script", &Service::script, BashScript(), "Script of an instance", "python work.py"),
       Row("instances", &Service::instances, Count(0, kMostTasks), "Number of instances"),
       Row("files", &Service::files, Files(), "Files of an instance"),
       Row("env", &Service::env, Variables(), "Environment of an instance"),
       Row("depends", &Service::depends, Texts(), "Services that start earlier"),
       Row("max_restarts", &Service::max_restarts, Count(kAlwaysRestart, kMostCount), "Restarts after failures"),
       Row("allow_failures", &Service::allow_failures, YamlBool(), "Failures do not end the application"),
       Row("node_label", &Service::node_label, PlainText(), "Label of the nodes"),
       Row("nodes", &Service::nodes, Texts(), "Host names of nodes"),
       Row("racks", &Service::racks, Texts(), "Names of racks"),
       Row("relax_locality", &Service::relax_locality, YamlBool(), "Other nodes are possible, too")},
      {},
      &OlderKeyOfService};
  return section;
}

bool ReadServices(Reader& r, const Node& n, std::vector<Service>& out) {
  if (!CheckIsMap(r, n)) return false;
  if (n.entries.size() > kMostServices) {
    return r.Fail(n, "has " + std::to_string(n.entries.size()) + " services; at most " + std::to_string(kMostServices) +
                         " are supported");
  }
  return ForEachEntry(r, n, [&](const Entry& entry) {
    Service& service = out.emplace_back();
    service.name = entry.key;
    const bool good = entry.value->kind == Node::Kind::kNull
                          ? r.Fail(entry.mark, "has no keys; write resources and script")
                          : ReadSection(r, *entry.value, ServiceKeys(), service);
    r.Note(entry.mark, good);
    return good;
  });
}

ValueType<std::vector<Service>> Services() {
  ValueType<std::vector<Service>> type = ReadOnly<std::vector<Service>>("map of services", &ReadServices);
  type.schema = [] { return Json{{"additionalProperties", SectionSchema(ServiceKeys())}}; };
  return type;
}

// The row of a key of the master that has no effect. Its value is checked as far as `read` does it.
template <typename V>
Key<Master> Ignored(std::string_view name, std::string_view path, ValueType<V> type) {
  Key<Master> key;
  key.name = name;
  key.help = "No effect";
  key.read = [path, read = std::move(type.read)](Reader& r, const Node& n, Master& out) {
    V unused{};
    out.ignored.emplace_back(path);
    return read(r, n, unused);
  };
  key.write = [](const Master&) { return Json(); };
  key.schema = std::move(type.schema);
  return key;
}

// A file, or only its source.
ValueType<File> FileOrSource() {
  return ReadOnly<File>("file", [](Reader& r, const Node& n, File& out) {
    return n.kind == Node::Kind::kScalar ? Source().read(r, n, out.source) : ReadSection(r, n, FileKeys(), out);
  });
}

const Section<Master>& MasterKeys() {
  static const Section<Master> section = [] {
    Section<Master> security = {{Ignored("cert_file", "security.cert_file", FileOrSource()),
                                 Ignored("key_file", "security.key_file", FileOrSource()),
                                 Ignored("cert_bytes", "security.cert_bytes", PlainText()),
                                 Ignored("key_bytes", "security.key_bytes", PlainText())}};
    const auto levels = Word({"all", "trace", "debug", "info", "warn", "error", "fatal", "off"});
    return Section<Master>{{Row("resources", &Master::resources, Given(SectionType(&ResourcesKeys)), "Size"),
                            Row("script", &Master::script, PlainText(), "Script of the application driver"),
                            Row("files", &Master::files, Files(), "Files of the application driver"),
                            Row("env", &Master::env, Variables(), "Environment of the application driver"),
                            Ignored("log_level", "log_level", levels),
                            Ignored("log_config", "log_config", FileOrSource()),
                            Group("security", std::move(security), "No effect")}};
  }();
  return section;
}

const Section<Acls>& AclsKeys() {
  static const Section<Acls> section = {
      {Row("enable", &Acls::enable, YamlBool(), "Whether the other keys have an effect"),
       Row("view_users", &Acls::view_users, Texts(), "Users who may view the application"),
       Row("view_groups", &Acls::view_groups, Texts(), "Groups that may view the application"),
       Row("modify_users", &Acls::modify_users, Texts(), "Users who may modify the application"),
       Row("modify_groups", &Acls::modify_groups, Texts(), "Groups that may modify the application"),
       Row("ui_users", &Acls::ui_users, Texts(), "Users who may open the user interface")}};
  return section;
}

}  // namespace

const Section<Specification>& SpecificationKeys() {
  static const Section<Specification> section = {
      {Row("name", &Specification::name, NonEmptyPlainText(), "Name"),
       Row("queue", &Specification::queue, PlainText(), "Queue"),
       Row("user", &Specification::user, PlainText(), "User"),
       Row("node_label", &Specification::node_label, PlainText(), "Label of the nodes"),
       Row("max_attempts", &Specification::max_attempts, Given(Count(1, kMostCount)), "Attempts of the master"),
       Row("tags", &Specification::tags, Texts(), "Tags"),
       Row("file_systems", &Specification::file_systems, Texts(), "File systems with tokens"),
       Row("acls", &Specification::acls, SectionType(&AclsKeys), "Access control lists"),
       Row("master", &Specification::master, SectionType(&MasterKeys), "The application master"),
       Row("services", &Specification::services, Services(), "The services")}};
  return section;
}

}  // namespace howdah::compat::skeinspec
