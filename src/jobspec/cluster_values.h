// Value types for the cluster: docker, resource types, nodes and racks. They accept what Hadoop 3.3 to 3.5 accept, so
// that a mistake is reported with its line, and not later by a node.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "value_types.h"

namespace howdah::jobspec {

// A reference to an image, as DockerLinuxContainerRuntime takes it.
ValueType<std::string> DockerImage();
// The name of a network or a runtime; errors suggest `example`. Empty: none.
ValueType<std::string> DockerWord(std::string_view title, std::string_view example);
// source:target:ro or source:target:rw (OCIContainerRuntime); the mode is required.
ValueType<std::string> DockerMount();
ValueType<std::string> DockerTmpfs();

// A map of resource types (names as ResourceUtils takes them) and amounts above 0. Types with a key of their own are
// errors.
ValueType<std::vector<NamedResource>> Resources();

// The name of a node, with its port where yarn.scheduler.include-port-in-node-name is on; "/rack1".
ValueType<std::string> NodeName();
ValueType<std::string> RackName();

}  // namespace howdah::jobspec
