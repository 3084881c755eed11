// Small files of one job that travel in the credentials of its containers.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/rpc/token.h"

namespace howdah::backend::yarn {

enum class EmbedFor { kAm, kAll };

// Larger ones are fetched by the node: the ResourceManager keeps the AM's credentials in its state store, where a
// record may have 1 MiB.
inline constexpr size_t kMaxEmbeddedSize = size_t{64} << 10;

// Adds a file; name: its path below the container's working directory. A file that is not in a node's cache yet costs
// the container a localizer there: a process with a JVM where containers run as their users, a second or more.
void EmbedFile(hadoop::rpc::Credentials& credentials, EmbedFor to, const std::string& name, std::string_view bytes);

// Writes what was added, for its owner alone, below the current directory. Files of an AM are in the AM's credentials
// only.
Status ExtractEmbeddedFiles(const hadoop::rpc::Credentials& credentials);

}  // namespace howdah::backend::yarn
