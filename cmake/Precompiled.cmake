# Precompiled headers, shared by all libraries that use the same third-party headers.
#
# They contain only headers of the standard library and of third parties, no howdah/... headers, so that the include
# paths of a library still decide which of our headers it sees. tools/tidy.py reads the includes of each file as text,
# so the check of third-party headers still sees every include. In a build with `cmake --preset debug -DHOWDAH_PCH=OFF
# -DHOWDAH_UNITY=1` a file that lacks an #include does not compile.
set(howdah_std_headers
  <algorithm> <array> <cerrno> <charconv> <chrono> <cstdint> <cstdio> <cstdlib> <cstring> <deque> <functional> <map>
  <memory> <optional> <set> <sstream> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
set(howdah_json_headers <nlohmann/json.hpp>)
set(howdah_asio_headers
  <mutex> <thread> <boost/asio/io_context.hpp> <boost/asio/ip/tcp.hpp> <boost/asio/posix/stream_descriptor.hpp>
  <boost/asio/post.hpp> <boost/asio/steady_timer.hpp> <boost/asio/write.hpp>)
set(howdah_protobuf_headers <google/protobuf/message.h>)
set(howdah_grpc_headers <grpcpp/grpcpp.h>)
set(howdah_gtest_headers <gmock/gmock.h> <gtest/gtest.h>)

# howdah_precompiled(TARGET KIND LIB...): gives TARGET the precompiled header that matches the libraries it uses. KIND
# is LIBRARY, TEST, or SMALL: a library compiled with howdah_small_options, because g++ wants the same options for
# header and source.
set(howdah_small_options -Os)
function(howdah_precompiled TARGET KIND)
  if(NOT HOWDAH_PCH)
    return()
  endif()
  set(parts std)
  if("${ARGN}" MATCHES "nlohmann_json|howdah_asio")
    list(APPEND parts json)
  endif()
  if("${ARGN}" MATCHES "howdah_wire|howdah_protobuf|howdah_hadoop_messages|howdah_grpc|howdah_asio")
    list(APPEND parts protobuf)
  endif()
  foreach(lib asio grpc)
    if("${ARGN}" MATCHES "howdah_(wire_)?${lib}")
      list(APPEND parts ${lib})
    endif()
  endforeach()
  if(KIND STREQUAL "TEST")
    list(APPEND parts gtest)
  elseif(KIND STREQUAL "SMALL")
    list(PREPEND parts small)
  endif()
  list(JOIN parts "_" name)
  set(owner howdah_pch_${name})
  if(NOT TARGET ${owner})
    set(headers "")
    foreach(part ${parts})
      list(APPEND headers ${howdah_${part}_headers})
    endforeach()
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/pch/${name}.cc CONTENT "")
    add_library(${owner} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cc)
    if("asio" IN_LIST parts)
      target_link_libraries(${owner} PRIVATE howdah_asio)
    endif()
    if(KIND STREQUAL "SMALL")
      target_compile_options(${owner} PRIVATE ${howdah_small_options})
    endif()
    if(KIND STREQUAL "TEST")
      target_link_libraries(${owner} PRIVATE GTest::gmock)
    elseif(BUILD_SHARED_LIBS)
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${TARGET} REUSE_FROM ${owner})
endfunction()
