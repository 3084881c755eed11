// Fuzzes the readers of the autoscaler. The first byte chooses the reader.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/autoscale/exclude_file.h"
#include "howdah/autoscale/node_list.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/publication.h"
#include "howdah/autoscale/state.h"

namespace howdah::autoscale {
namespace {

// A list of machines, by a provider with both groups.
void FuzzList(const std::string& text) {
  static const Provider provider = [] {
    Provider some;
    some.primary = NodeGroup{.hosts = "w-[0-9]+"};
    some.secondary = NodeGroup{.hosts = "sw-[0-9]+"};
    return some;
  }();
  (void)ParseNodeList(text, provider);
  ParseCommandError(text, text);
}

// Entries that the autoscaler adds can be read back and removed again.
void FuzzExcludeFile(const std::string& text, ExcludeFormat format) {
  constexpr const char* kHost = "own-1";
  const auto before = ExcludedHosts(text, format);
  if (!before.ok() || before->contains(kHost)) return;
  const auto with = WithExcluded(text, format, {}, {{kHost, std::chrono::minutes(1)}});
  if (!with.ok()) __builtin_trap();
  const auto hosts = ExcludedHosts(*with, format);
  if (!hosts.ok() || !hosts->contains(kHost) || hosts->size() != before->size() + 1) __builtin_trap();
  const auto without = WithExcluded(*with, format, {kHost}, {});
  if (!without.ok()) __builtin_trap();
  const auto after = ExcludedHosts(*without, format);
  if (!after.ok() || *after != *before) __builtin_trap();
}

void FuzzPublication(const std::string& text) {
  const auto publication = ReadPublication(text);
  if (!publication.ok()) return;
  const auto again = ReadPublication(WritePublication(*publication));
  if (!again.ok() || *again != *publication) __builtin_trap();
}

void FuzzState(const std::string& text) {
  const auto state = ReadState(text);
  if (state.ok() && !ReadState(WriteState(*state)).ok()) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'p':
      ParsePolicy(text, "policy.yaml", ShortPeriods::kRefused);
      break;
    case 'P':
      ParseProvider(text, "provider.yaml");
      break;
    case 'l':
      FuzzList(text);
      break;
    case 'e':
      FuzzExcludeFile(text, ExcludeFormat::kPlain);
      break;
    case 'x':
      FuzzExcludeFile(text, ExcludeFormat::kXml);
      break;
    case 's':
      FuzzState(text);
      break;
    case 'u':
      FuzzPublication(text);
      break;
    default:
      break;
  }
  return 0;
}

}  // namespace howdah::autoscale
