# Precompiled headers, shared by all libraries that use the same third-party headers.
#
# They hold the headers of the standard library and of third parties only: howdah/... headers stay out, so that the
# include paths of a library still decide which of our headers it sees. tools/tidy.py reads the includes of each file as
# text, so a precompiled header hides nothing from the table of third-party headers. The tsan preset builds without
# them, as `cmake --preset debug -DHOWDAH_PCH=OFF` does: there a file that lacks an #include does not compile.
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

# howdah_precompiled(TARGET TEST LIB...): gives TARGET the precompiled header that fits the libraries it uses.
function(howdah_precompiled TARGET TEST)
  if(NOT HOWDAH_PCH)
    return()
  endif()
  set(kind std)
  foreach(lib ${ARGN})
    if(lib MATCHES "nlohmann")
      list(APPEND kind json)
    elseif(lib MATCHES "Boost::headers|howdah_asio|howdah_rpc_streams")
      list(APPEND kind json asio protobuf)
    elseif(lib MATCHES "howdah_wire$|howdah_protobuf|howdah_hadoop_messages$")
      list(APPEND kind json asio protobuf)
    elseif(lib MATCHES "grpc")
      list(APPEND kind json asio protobuf grpc)
    endif()
  endforeach()
  if(TEST)
    list(APPEND kind gtest)
  endif()
  list(REMOVE_DUPLICATES kind)
  list(JOIN kind "_" name)
  set(owner howdah_pch_${name})
  if(NOT TARGET ${owner})
    set(headers "")
    foreach(part ${kind})
      list(APPEND headers ${howdah_${part}_headers})
    endforeach()
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/pch/${name}.cc CONTENT "")
    add_library(${owner} OBJECT ${CMAKE_BINARY_DIR}/pch/${name}.cc)
    if(TEST)
      target_link_libraries(${owner} PRIVATE GTest::gmock)
    elseif(BUILD_SHARED_LIBS)
      set_target_properties(${owner} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    endif()
    target_precompile_headers(${owner} PRIVATE ${headers})
  endif()
  target_precompile_headers(${TARGET} REUSE_FROM ${owner})
endfunction()
