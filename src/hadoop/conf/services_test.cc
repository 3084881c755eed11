#include "howdah/hadoop/conf/services.h"

#include <gmock/gmock.h>

#include "howdah/hadoop/conf/security.h"

namespace howdah::hadoop::conf {
namespace {

using ::testing::HasSubstr;

using Values = std::map<std::string, std::string>;

Configuration With(const Values& values) {
  Configuration configuration({nullptr, "ann", "/home/ann"});
  for (const auto& [key, value] : values) configuration.Set(key, value, "site.xml");
  return configuration;
}

std::string Text(const std::vector<Server>& servers) {
  std::string text;
  for (const Server& s : servers) text += (text.empty() ? "" : " ") + s.id + "=" + s.address.Text();
  return text;
}

const Values kHa = {{"yarn.resourcemanager.ha.enabled", "true"},
                    {"yarn.resourcemanager.ha.rm-ids", " rm1, rm2 "},
                    {"yarn.resourcemanager.hostname.rm1", "a"},
                    {"yarn.resourcemanager.hostname.rm2", "b"},
                    {"yarn.resourcemanager.address.rm2", "c:9"}};

TEST(ResourceManagers, AddressesAreReadFromConfiguration) {
  struct Case {
    Values values;
    RmService service;
    std::string expected;
  };
  const Case cases[] = {
      {{}, RmService::kClient, "=localhost:8032"},
      {{{"yarn.resourcemanager.hostname", "rm"}}, RmService::kClient, "=rm:8032"},
      {{{"yarn.resourcemanager.hostname", "rm"}}, RmService::kScheduler, "=rm:8030"},
      {{{"yarn.resourcemanager.hostname", "rm"}}, RmService::kAdmin, "=rm:8033"},
      {{{"yarn.resourcemanager.hostname", "rm"}}, RmService::kWeb, "=rm:8088"},
      {{{"yarn.resourcemanager.hostname", "rm"}, {"yarn.http.policy", "HTTPS_ONLY"}}, RmService::kWeb, "=rm:8090"},
      {{{"yarn.resourcemanager.address", "x:1"}}, RmService::kClient, "=x:1"},
      {{{"yarn.resourcemanager.address", "x"}}, RmService::kClient, "=x:8032"},
      {{{"yarn.resourcemanager.address", ""}, {"yarn.resourcemanager.hostname", "rm"}}, RmService::kClient, "=rm:8032"},
      {{{"yarn.resourcemanager.address", "[::1]:7"}}, RmService::kClient, "=[::1]:7"},
      {{{"yarn.resourcemanager.address", "${h}:7"}, {"h", "x"}}, RmService::kClient, "=x:7"},
      {{{"yarn.resourcemanager.address", "0.0.0.0:7"}}, RmService::kClient, "=localhost:7"},
      {kHa, RmService::kClient, "rm1=a:8032 rm2=c:9"},
      {kHa, RmService::kScheduler, "rm1=a:8030 rm2=b:8030"},
      {kHa, RmService::kWeb, "rm1=a:8088 rm2=b:8088"},
  };
  for (const Case& c : cases) {
    const auto servers = ResourceManagers(With(c.values), c.service);
    ASSERT_TRUE(servers.ok()) << c.expected << ": " << servers.error().message;
    EXPECT_EQ(Text(*servers), c.expected);
  }
}

TEST(ResourceManagers, EachAddressHasItsSource) {
  const auto by = [](const Values& values) {
    return ResourceManagers(With(values), RmService::kClient)->back().configured_by;
  };
  EXPECT_EQ(by({}), "yarn.resourcemanager.hostname (a default of Hadoop)");
  EXPECT_EQ(by({{"yarn.resourcemanager.hostname", "rm"}}), "yarn.resourcemanager.hostname in site.xml");
  EXPECT_EQ(by({{"yarn.resourcemanager.address", "rm:1"}}), "yarn.resourcemanager.address in site.xml");
  EXPECT_EQ(by(kHa), "yarn.resourcemanager.address.rm2 in site.xml");
}

TEST(ResourceManagers, MistakesAreReported) {
  Values nobody = kHa, half = kHa;
  nobody["yarn.resourcemanager.ha.rm-ids"] = ", ";
  half["yarn.resourcemanager.ha.rm-ids"] = "rm1,rm3";
  const std::pair<Values, std::string> cases[] = {
      {nobody, "yarn.resourcemanager.ha.rm-ids in site.xml is empty"},
      {half, "names rm3, but neither yarn.resourcemanager.address.rm3 nor yarn.resourcemanager.hostname.rm3 is set"},
      {{{"yarn.resourcemanager.address", "x:y"}}, "yarn.resourcemanager.address in site.xml is 'x:y'"},
      {{{"yarn.resourcemanager.address", "x:70000"}}, "is 'x:70000'"},
      {{{"yarn.resourcemanager.address", "${unset}:8032"}}, "is '${unset}:8032'"},
      {{{"yarn.resourcemanager.ha.enabled", "maybe"}}, "must be true or false"},
  };
  for (const auto& [values, message] : cases) {
    const auto servers = ResourceManagers(With(values), RmService::kClient);
    ASSERT_FALSE(servers.ok()) << message;
    EXPECT_EQ(servers.error().code, ErrorCode::kUsage);
    EXPECT_THAT(servers.error().message, HasSubstr(message));
  }
}

TEST(WebProxy, AddressMayLackThePort) {
  const auto text = [](const Values& values) {
    const auto proxy = WebProxyOf(With(values));
    if (!proxy.ok()) return proxy.error().message;
    std::string hosts;
    for (const std::string& host : proxy->hosts) hosts += " " + host;
    return proxy->authority + hosts;
  };
  EXPECT_EQ(text({{"yarn.web-proxy.address", "proxy:9099"}}), "proxy:9099 proxy");
  EXPECT_EQ(text({{"yarn.web-proxy.address", "proxy"}}), "proxy proxy");
  EXPECT_EQ(text({{"yarn.web-proxy.address", "[::1]:9099"}}), "[::1]:9099 ::1");
  EXPECT_EQ(text({{"yarn.web-proxy.address", ""}, {"yarn.resourcemanager.hostname", "rm"}}), "rm:8088 rm");
  EXPECT_EQ(text(kHa), "a:8088 a b");
  EXPECT_EQ(text({{"yarn.web-proxy.address", "proxy:x"}}),
            "finding YARN's web proxy: yarn.web-proxy.address in site.xml is 'proxy:x'; it must be a host, or "
            "host:port");
}

const Values kNameServices = {{"fs.defaultFS", "hdfs://NS1"},
                              {"dfs.nameservices", "NS1, ns2"},
                              {"dfs.ha.namenodes.NS1", " nn1 , nn2 "},
                              {"dfs.namenode.rpc-address.NS1.nn1", "a:9000"},
                              {"dfs.namenode.rpc-address.NS1.nn2", "b"},
                              {"dfs.client.failover.proxy.provider.NS1", "x.ConfiguredFailoverProxyProvider"},
                              {"dfs.ha.namenodes.ns2", "n"},
                              {"dfs.namenode.rpc-address.ns2.n", "c:1"}};

TEST(PrincipalOfResourceManager, HostIsThatOfTheFirstResourceManager) {
  constexpr const char* kKey = "yarn.resourcemanager.principal";
  EXPECT_EQ(PrincipalOfResourceManager(With(kHa)).error().code, ErrorCode::kUsage);
  Values values = {{kKey, "rm/_HOST@EXAMPLE.COM"}, {"yarn.resourcemanager.address", "RM1.Example.com:8032"}};
  EXPECT_EQ(*PrincipalOfResourceManager(With(values)), "rm/rm1.example.com@EXAMPLE.COM");
  values[kKey] = "yarn@EXAMPLE.COM";
  EXPECT_EQ(*PrincipalOfResourceManager(With(values)), "yarn@EXAMPLE.COM");
}

TEST(Login, FallbackToSimpleNeedsPermissionOnClustersWithKerberos) {
  const Values kerberos = {{"hadoop.security.authentication", "kerberos"}};
  const std::string key = "ipc.client.fallback-to-simple-auth-allowed";
  EXPECT_TRUE(*MayFallBackToSimple(With({})));
  EXPECT_TRUE(*MayFallBackToSimple(With({{key, "false"}})));
  EXPECT_FALSE(*MayFallBackToSimple(With(kerberos)));
  Values with_key = kerberos;
  with_key[key] = "true";
  EXPECT_TRUE(*MayFallBackToSimple(With(with_key)));
  with_key[key] = "perhaps";
  const auto invalid = MayFallBackToSimple(With(with_key));
  ASSERT_FALSE(invalid.ok());
  EXPECT_THAT(invalid.error().message, HasSubstr(key));
}

TEST(FileSystems, AddressIsFoundFromUriAndConfiguration) {
  struct Case {
    Values values;
    std::string uri, scheme, authority, servers;
    bool logical = false;
  };
  const Case cases[] = {
      {{}, "", "file", "", ""},
      {{}, "/x", "file", "", ""},
      {{}, "file:/x", "file", "", ""},
      {{}, "file://host/x", "file", "", ""},
      {{}, "hdfs://nn/x", "hdfs", "nn", "=nn:8020"},
      {{}, "hdfs://nn:9000", "hdfs", "nn:9000", "=nn:9000"},
      {{{"fs.defaultFS", "hdfs://nn:9000/"}}, "/x", "hdfs", "nn:9000", "=nn:9000"},
      {{{"fs.defaultFS", "hdfs://nn:9000"}}, "hdfs:///x", "hdfs", "nn:9000", "=nn:9000"},
      {{{"fs.defaultFS", "hdfs://nn:9000"}}, "hdfs:/x", "hdfs", "nn:9000", "=nn:9000"},
      {{{"fs.defaultFS", "hdfs://nn:9000"}}, "file:///x", "file", "", ""},
      {{{"fs.default.name", "nn:9000"}}, "", "hdfs", "nn:9000", "=nn:9000"},
      {{{"fs.default.name", "local"}}, "", "file", "", ""},
      {kNameServices, "", "hdfs", "NS1", "nn1=a:9000 nn2=b:8020", true},
      {kNameServices, "hdfs://ns2/x", "hdfs", "ns2", "n=c:1", true},
      {kNameServices, "hdfs://ns1/x", "hdfs", "ns1", "=ns1:8020"},  // names of name services are case-sensitive
      {{{"fs.defaultFS", "viewfs://cluster"}}, "/x", "viewfs", "cluster", ""},
  };
  for (const Case& c : cases) {
    const auto address = FileSystemOf(With(c.values), c.uri);
    ASSERT_TRUE(address.ok()) << c.uri << ": " << address.error().message;
    EXPECT_EQ(address->scheme, c.scheme) << c.uri;
    EXPECT_EQ(address->authority, c.authority) << c.uri;
    EXPECT_EQ(address->logical, c.logical) << c.uri;
    EXPECT_EQ(Text(address->name_nodes), c.servers) << c.uri;
  }
  EXPECT_EQ(FileSystemOf(With(kNameServices), "")->name_nodes[1].configured_by,
            "dfs.namenode.rpc-address.NS1.nn2 in site.xml");
}

TEST(FileSystems, MistakesAreReported) {
  Values half = kNameServices, none = kNameServices;
  half.erase("dfs.namenode.rpc-address.NS1.nn2");
  none["dfs.ha.namenodes.NS1"] = "";
  struct Case {
    Values values;
    std::string uri, message;
    ErrorCode code = ErrorCode::kUsage;
  };
  const Case cases[] = {
      {half, "", "dfs.ha.namenodes.NS1 in site.xml names nn2, but dfs.namenode.rpc-address.NS1.nn2 is not set"},
      {none, "", "the name service NS1 has no NameNodes; set dfs.ha.namenodes.NS1 to their ids, as nn1,nn2"},
      {{}, "hdfs:///x", "fs.defaultFS (a default of Hadoop) is not hdfs:// either"},
      {{}, "hdfs://nn:x/y", "hdfs://nn:x is neither a name service nor host:port"},
      {{}, "s3a://bucket/x", "s3a://bucket cannot be read; Howdah reads hdfs:", ErrorCode::kUnavailable},
  };
  for (const Case& c : cases) {
    const auto address = FileSystemOf(With(c.values), c.uri);
    ASSERT_FALSE(address.ok()) << c.message;
    EXPECT_EQ(address.error().code, c.code);
    EXPECT_THAT(address.error().message, HasSubstr(c.message));
  }
}

TEST(Uris, ViewfsLinksAreResolved) {
  const Values view = {{"fs.defaultFS", "viewfs://c"},
                       {"fs.viewfs.mounttable.c.link./data", "hdfs://ns2/warehouse/"},
                       {"fs.viewfs.mounttable.c.link./data/hot", "hdfs://ns3/"},
                       {"fs.viewfs.mounttable.c.link./user", "hdfs://ns1/user"},
                       {"fs.viewfs.mounttable.c.link./twice", "viewfs://d/x"},
                       {"fs.viewfs.mounttable.d.linkFallback", "hdfs://ns4/rest"},
                       {"fs.viewfs.mounttable.e.linkMergeSlash", "hdfs://ns5/"},
                       {"fs.viewfs.mounttable.default.link./f", "file:///mnt"}};
  const Values overload = {{"fs.defaultFS", "hdfs://ns1"},
                           {"fs.hdfs.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"},
                           {"fs.viewfs.mounttable.ns1.link./data", "hdfs://ns2/d"}};
  struct Case {
    Values values;
    std::string uri, expected;
  };
  const Case cases[] = {
      {kNameServices, "/user/ann", "hdfs://NS1/user/ann"},
      {kNameServices, "hdfs:///user/ann", "hdfs://NS1/user/ann"},
      {kNameServices, "hdfs://ns2/a b%20c#d", "hdfs://ns2/a b%20c#d"},
      {kNameServices, "file:/x", "file:///x"},
      {kNameServices, "s3a://bucket/x", "s3a://bucket/x"},
      {{}, "/x", "file:///x"},
      {{}, "/a:b/c", "file:///a:b/c"},
      {view, "viewfs:///data/x", "hdfs://ns2/warehouse/x"},
      {view, "/data", "hdfs://ns2/warehouse"},
      {view, "/data/hot/y", "hdfs://ns3/y"},
      {view, "/data/hot", "hdfs://ns3/"},
      {view, "/data/hotter", "hdfs://ns2/warehouse/hotter"},
      {view, "/user/ann", "hdfs://ns1/user/ann"},
      {view, "viewfs://d/any/where", "hdfs://ns4/rest/any/where"},
      {view, "viewfs://e/any", "hdfs://ns5/any"},
      {view, "viewfs://default/f/g", "file:///mnt/g"},
      {overload, "/data/x", "hdfs://ns2/d/x"},
      {overload, "/other", "hdfs://ns1/other"},
  };
  for (const Case& c : cases) {
    const auto uri = ResolveUri(With(c.values), c.uri);
    ASSERT_TRUE(uri.ok()) << c.uri << ": " << uri.error().message;
    EXPECT_EQ(*uri, c.expected);
  }
  const std::pair<std::string, std::string> mistakes[] = {
      {"/nowhere", "no mount of the table c covers it; it mounts /data, /data/hot, /twice, /user"},
      {"/twice", "another viewfs: URI"},
      {"a/b", "'a/b' is a relative path"},
  };
  for (const auto& [text, message] : mistakes) {
    const auto uri = ResolveUri(With(view), text);
    ASSERT_FALSE(uri.ok()) << text;
    EXPECT_THAT(uri.error().message, HasSubstr(message));
  }
}

TEST(Uris, BackingFileSystemsOfAViewAreTheTargetsOfItsMounts) {
  const Values view = {{"fs.defaultFS", "viewfs://c"},
                       {"fs.viewfs.mounttable.c.link./data", "hdfs://ns2/warehouse/"},
                       {"fs.viewfs.mounttable.c.link./data/hot", "hdfs://ns2/hot"},
                       {"fs.viewfs.mounttable.c.link./user", "hdfs://ns1/user"},
                       {"fs.viewfs.mounttable.c.linkFallback", "hdfs://ns3/"},
                       {"fs.viewfs.mounttable.cc.link./x", "hdfs://ns9/"}};
  const Values overload = {{"fs.defaultFS", "hdfs://ns1"},
                           {"fs.hdfs.impl", "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme"},
                           {"fs.viewfs.mounttable.ns1.link./data", "hdfs://ns2/d"}};
  using Uris = std::vector<std::string>;
  struct Case {
    Values values;
    std::string uri;
    Uris expected;
  };
  const Case cases[] = {
      {kNameServices, "", {"hdfs://NS1"}},
      {kNameServices, "hdfs://ns2/x/y", {"hdfs://ns2"}},
      {kNameServices, "s3a://bucket/x", {"s3a://bucket"}},
      {{}, "", {"file://"}},
      {view, "", {"hdfs://ns2", "hdfs://ns1", "hdfs://ns3"}},
      {view, "hdfs://ns7/x", {"hdfs://ns7"}},
      {overload, "", {"hdfs://ns2", "hdfs://ns1"}},
  };
  for (const Case& c : cases) {
    const auto found = BackingFileSystems(With(c.values), c.uri);
    ASSERT_TRUE(found.ok()) << c.uri << ": " << found.error().message;
    EXPECT_EQ(*found, c.expected) << c.uri;
  }
  const auto none = BackingFileSystems(With(view), "viewfs://d");
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message, HasSubstr("viewfs://d: its table mounts nothing"));
}

TEST(Defaults, UsedKeysHaveHadoopsDefaults) {
  const Configuration configuration = With({});
  EXPECT_EQ(configuration.Text("yarn.nodemanager.remote-app-log-dir"), "/tmp/logs");
  EXPECT_EQ(configuration.Text("yarn.resourcemanager.webapp.address"), "0.0.0.0:8088");
  EXPECT_EQ(*configuration.Number("dfs.blocksize", 0), 128 << 20);
  EXPECT_EQ(*configuration.Number("yarn.resourcemanager.am.max-attempts", 0), 2);
  EXPECT_TRUE(configuration.properties().empty());
}

}  // namespace
}  // namespace howdah::hadoop::conf
