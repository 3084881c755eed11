#include <algorithm>
#include <chrono>

#include "context.h"
#include "howdah/base/text.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

constexpr std::string_view kProperties = "components[].readiness_check.properties.";

// HttpProbe.HOST_TOKEN. The executor probes on the host of the task.
constexpr std::string_view kHost = "${THIS_HOST}", kLoopback = "127.0.0.1";

// The text of a probe. It has only variables that Howdah sets, because the command's are not known to the executor.
std::string ProbeText(const Context& context, const std::string& path, std::string text,
                      const ResolvedComponent& owner) {
  for (size_t at = text.find(kHost); at != text.npos; at = text.find(kHost, at)) {
    text.replace(at, kHost.size(), kLoopback);
  }
  std::string probe;
  for (const Filled::Piece& piece : FillText(context, path, text, owner).pieces) {
    if (!piece.variable) {
      probe += piece.text;
    } else if (piece.text == "COMPONENT_ID") {
      probe += "${HOWDAH_TASK_INDEX}";
    } else if (piece.text == "COMPONENT_INSTANCE_NAME") {
      probe += "${HOWDAH_ROLE}-${HOWDAH_TASK_INDEX}";
    } else if (Constants::IsSelf(piece.text)) {
      probe += kLoopback;
    } else if (Constants::IsHost(piece.text) || piece.text == "CONTAINER_ID") {
      context.Fail(path,
                   "a check cannot use this constant, because it runs on the container's own host; write "
                   "${THIS_HOST}");
    } else {
      probe += "${" + piece.text + "}";
    }
  }
  return probe;
}

void CheckNames(const Context& context, const std::string& path, const Pairs& properties) {
  const std::vector<std::string_view> names = {"url",         "port",        "timeout",          "min.success",
                                               "max.success", "dns.address", "dns.check.enabled"};
  for (const auto& [name, value] : properties) {
    const std::string table_key = std::string(kProperties) + name;
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      const std::string nearest(keyfile::Nearest(name, names));
      context.Fail(path + name,
                   "unknown property of a check; " +
                       (nearest.empty() ? "use " + keyfile::Joined(names) : "did you mean '" + nearest + "'?"));
    } else if (name.starts_with("dns.") || name.ends_with(".success")) {
      context.Note(path + name, table_key);
    }
  }
}

// The property of this name, or "" after reporting that it is missing.
std::string Required(const Context& context, const std::string& path, const Pairs& properties, std::string_view name,
                     const std::string& example) {
  const std::string* text = Find(properties, name);
  if (text != nullptr && !text->empty()) return *text;
  context.Fail(path + std::string(name), "missing; write for example \"" + example + "\"");
  return "";
}

}  // namespace

void SetReady(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role) {
  if (!owner.component.readiness_check) return;
  const ReadinessCheck& check = *owner.component.readiness_check;
  const std::string path = owner.path + "readiness_check.properties.";
  CheckNames(context, path, check.properties);
  for (const std::string& key : check.without_effect) {
    context.Note(owner.path + "readiness_check." + key, "components[].readiness_check." + key);
  }
  if (check.type == CheckType::kDefault) return;
  jobspec::Ready ready;
  if (check.type == CheckType::kHttp) {
    const std::string url = Required(context, path, check.properties, "url", "http://${THIS_HOST}:8080");
    if (!url.empty() && !url.starts_with("http://")) {
      context.Fail(path + "url", keyfile::Quoted(url) +
                                     " is not an http URL; Howdah probes without TLS, so use a check of type PORT");
    }
    ready.http = ProbeText(context, path + "url", url, owner);
  } else {
    ready.port = ProbeText(context, path + "port", Required(context, path, check.properties, "port", "8080"), owner);
  }
  if (const std::string* text = Find(check.properties, "timeout"); text != nullptr) {
    const bool digits = !text->empty() && text->size() <= 9 && text->find_first_not_of("0123456789") == text->npos;
    const long milliseconds = digits ? std::stol(*text) : 0;
    if (milliseconds == 0) {
      context.Fail(path + "timeout", "must be milliseconds, at least 1, but is " + keyfile::Quoted(*text));
    } else {
      ready.timeout = std::chrono::milliseconds(milliseconds);
    }
  }
  const auto interval = NumberProperty(context, owner, "yarn.service.readiness-check-interval.seconds", 1);
  if (interval) ready.interval = std::chrono::seconds(*interval);
  role.ready = std::move(ready);
}

}  // namespace howdah::compat::yarnfile
