// Value types for the cluster: docker, resource types, nodes and racks, file systems and tokens. They accept the same
// values as Hadoop 3.3 to 3.5. So a mistake is reported at submission with its line, and not later by a node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/jobspec/job_spec.h"
#include "howdah/keyfile/value_types.h"

namespace howdah::jobspec {

// A reference to an image, as DockerLinuxContainerRuntime accepts it.
keyfile::ValueType<std::string> DockerImage();
// The name of a network or a runtime; "" means none. Errors suggest `example`.
keyfile::ValueType<std::string> DockerWord(std::string_view title, std::string_view example);
// source:target:ro or source:target:rw (OCIContainerRuntime); the mode is required.
keyfile::ValueType<std::string> DockerMount();
keyfile::ValueType<std::string> DockerTmpfs();

// A map of resource types to amounts above 0. The names are those that ResourceUtils accepts. A resource type that has
// its own key in job files, such as memory, is an error.
keyfile::ValueType<std::vector<NamedResource>> Resources();

// The name of a node. It includes the port on clusters with yarn.scheduler.include-port-in-node-name.
keyfile::ValueType<std::string> NodeName();
// The path of a rack, such as "/rack1".
keyfile::ValueType<std::string> RackName();

// A map of node attributes to one value or several, with ! before the name for "none of them".
keyfile::ValueType<std::vector<NodeAttribute>> NodeAttributes();

// The URI of a file system, such as "hdfs://ns2".
keyfile::ValueType<std::string> FileSystemUri();
// A list of kinds of tokens. An empty list differs from the default.
keyfile::ValueType<std::vector<TokenKind>> TokenKinds();
// A user, "@" and a group, or "*", as an AccessControlList of Hadoop can contain it.
keyfile::ValueType<std::string> UserOrGroup();

}  // namespace howdah::jobspec
