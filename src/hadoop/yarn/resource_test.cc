#include "howdah/hadoop/yarn/resource.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::yarn {
namespace {

::hadoop::yarn::ResourceProto Proto(std::vector<std::tuple<const char*, int64_t, const char*>> entries) {
  ::hadoop::yarn::ResourceProto proto;
  for (const auto& [key, value, units] : entries) {
    auto* entry = proto.add_resource_value_map();
    entry->set_key(key);
    entry->set_value(value);
    entry->set_units(units);
  }
  return proto;
}

TEST(Resource, MemoryAndVcoreFieldsOverrideTheResourceMap) {
  auto proto = Proto({{"memory-mb", 1, "Mi"}, {"vcores", 1, ""}, {kGpu, 2, ""}});
  proto.set_memory(4096);
  proto.set_virtual_cores(8);
  EXPECT_EQ(FromProto(proto), (Resource{4096, 8, {{kGpu, 2}}}));
}

TEST(Resource, UnitsAreConverted) {
  EXPECT_EQ(FromProto(Proto({{"memory-mb", 4, "Gi"}, {"vcores", 2000, "m"}})), (Resource{4096, 2, {}}));
  EXPECT_EQ(FromProto(Proto({{"memory-mb", 4096, "Mi"}})), (Resource{4096, 0, {}}));
  EXPECT_EQ(FromProto(Proto({{"x", 3, "k"}, {"y", 2, "Ki"}, {"z", 5, "who knows"}})),
            (Resource{0, 0, {{"x", 3000}, {"y", 2048}, {"z", 5}}}));
  EXPECT_EQ(FromProto(Proto({{"x", INT64_MAX, "P"}})).other("x"), INT64_MAX);
  EXPECT_EQ(FromProto(Proto({{"x", 0, ""}})), Resource());
}

TEST(Resource, WrittenProtoIsParsed) {
  const Resource resource{4096, 3, {{kGpu, 2}, {"example.com/fpga", 1}}};
  EXPECT_EQ(FromProto(ToProto(resource)), resource);
}

TEST(Resource, SumsSaturateAndDifferencesStopAtZero) {
  Resource sum{100, 2, {{kGpu, 1}}};
  sum += {50, 1, {{kGpu, 1}, {"fpga", 3}}};
  EXPECT_EQ(sum, (Resource{150, 3, {{kGpu, 2}, {"fpga", 3}}}));
  sum -= {200, 1, {{kGpu, 2}, {"fpga", 1}}};
  EXPECT_EQ(sum, (Resource{0, 2, {{"fpga", 2}}}));
}

TEST(Resource, FitsInComparesEveryResource) {
  const Resource node{1024, 4, {{kGpu, 1}}};
  EXPECT_TRUE((Resource{1024, 4, {{kGpu, 1}}}.FitsIn(node)));
  EXPECT_FALSE((Resource{1025, 1, {}}.FitsIn(node)));
  EXPECT_FALSE((Resource{1, 5, {}}.FitsIn(node)));
  EXPECT_FALSE((Resource{1, 1, {{kGpu, 2}}}.FitsIn(node)));
  EXPECT_FALSE((Resource{1, 1, {{"fpga", 1}}}.FitsIn(node)));
}

TEST(Resource, TextListsMemoryCoresAndGpus) {
  EXPECT_EQ(ToText(Resource{4096, 1, {}}), "4 GiB, 1 core");
  EXPECT_EQ(ToText(Resource{512, 2, {{kGpu, 1}}}), "512 MiB, 2 cores, 1 yarn.io/gpu");
}

}  // namespace
}  // namespace howdah::hadoop::yarn
