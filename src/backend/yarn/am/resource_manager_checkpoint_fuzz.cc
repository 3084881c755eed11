// Fuzzed input: answers of the ResourceManager to the AM. Three bytes before each answer contain its kind and its
// length. The AM saves the answers in its checkpoint, and reads them again.
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/os/files/fd.h"
#include "resource_manager_checkpoint.h"

namespace howdah::backend::yarn::am {
namespace {

struct Answer {
  unsigned kind = 0;
  std::string_view bytes;
};

std::vector<Answer> AnswersOf(std::string_view text) {
  std::vector<Answer> answers;
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(text[at])); };
  while (text.size() >= 3) {
    Answer& answer = answers.emplace_back();
    answer.kind = static_cast<unsigned>(byte(0));
    answer.bytes = text.substr(3, byte(1) | byte(2) << 8);
    text.remove_prefix(3 + answer.bytes.size());
  }
  return answers;
}

template <typename Message>
bool Parse(std::string_view bytes, Message& message) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

// The job has recorded two containers, one of which has a text that is not an id.
const std::vector<backend::Inherited>& Recorded() {
  static const std::vector<backend::Inherited> recorded = [] {
    std::vector<backend::Inherited> two(2);
    two[0].container.text = "container_1700000000000_0001_02_000002";
    two[1].container.text = "container_of_another_backend";
    return two;
  }();
  return recorded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const os::files::Fd file(::memfd_create("answers", MFD_CLOEXEC));
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  std::optional<ResourceManagerCheckpoint::State> restored;
  auto checkpoint = ResourceManagerCheckpoint::Open(path, restored);
  bool saved = false;
  for (const Answer& answer : AnswersOf({reinterpret_cast<const char*>(data), size})) {
    ::hadoop::yarn::RegisterApplicationMasterResponseProto registered;
    ::hadoop::yarn::AllocateResponseProto allocated;
    if (answer.kind % 2 == 0 && Parse(answer.bytes, registered)) {
      saved |= checkpoint->Save(registered).ok();
      TakeOver(Recorded(), registered);
    } else if (answer.kind % 2 == 1 && Parse(answer.bytes, allocated)) {
      saved |= checkpoint->Save(allocated).ok();
      TakeOverMissing(Recorded(), allocated);
    }
  }
  if (!ResourceManagerCheckpoint::Open(path, restored).ok() || restored.has_value() != saved) __builtin_trap();
  if (!restored) return 0;
  const Takeover takeover = TakeOver(Recorded(), *restored);
  if (takeover.running.size() + takeover.ended.size() + takeover.missing.size() != Recorded().size()) __builtin_trap();
  return 0;
}

}  // namespace howdah::backend::yarn::am
