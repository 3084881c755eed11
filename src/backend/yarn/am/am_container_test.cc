#include "am_container.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

TEST(AmContainer, GrantHasMemoryVcoresGpusAndOtherTypes) {
  ::hadoop::yarn::ResourceProto granted;
  granted.set_memory(3072);
  granted.set_virtual_cores(2);
  const auto add = [&](const char* type, int64_t value) {
    auto& entry = *granted.add_resource_value_map();
    entry.set_key(type);
    entry.set_value(value);
  };
  add("yarn.io/gpu", 4);
  add("example.com/fpga", 1);
  EXPECT_EQ(GrantedResources(granted, "a100"),
            (core::Resources{int64_t{3} << 30, 2, 4, {{"example.com/fpga", 1}}, "a100"}));
}

TEST(AmContainer, ImpossibleMemoryIsLimited) {
  ::hadoop::yarn::ResourceProto granted;
  granted.set_memory(INT64_MAX);
  EXPECT_GT(GrantedResources(granted, "").memory_bytes, 0);
  granted.set_memory(-1);
  EXPECT_EQ(GrantedResources(granted, "").memory_bytes, 0);
}

}  // namespace
}  // namespace howdah::backend::yarn::am
