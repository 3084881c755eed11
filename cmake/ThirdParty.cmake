# The third-party libraries, all from Debian 12. A static build links each library as an archive. The libraries on which
# the archive depends follow it in link order.
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)
find_package(benchmark REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)

set(OPENSSL_USE_STATIC_LIBS ${HOWDAH_STATIC})
find_package(OpenSSL REQUIRED)
find_package(Protobuf REQUIRED)

# howdah_archive(TARGET LIB...): makes an imported target that links the named libraries, as archives in a static build.
function(howdah_archive TARGET)
  add_library(${TARGET} INTERFACE IMPORTED GLOBAL)
  foreach(lib ${ARGN})
    if(HOWDAH_STATIC)
      find_library(HOWDAH_LIB_${lib} lib${lib}.a REQUIRED)
    else()
      find_library(HOWDAH_LIB_${lib} ${lib} REQUIRED)
    endif()
    target_link_libraries(${TARGET} INTERFACE ${HOWDAH_LIB_${lib}})
  endforeach()
endfunction()

if(HOWDAH_STATIC)
  pkg_check_modules(GRPCPP REQUIRED grpc++)
  # pkg-config lists gRPC's and abseil's archives in link order. The group makes cycles between them harmless.
  set(grpc_archives "")
  foreach(flag ${GRPCPP_STATIC_LDFLAGS})
    string(REGEX REPLACE "^-l" "" name "${flag}")
    if(NOT flag MATCHES "^-l" OR name MATCHES "^(dl|m|rt|pthread|systemd|c|ssl|crypto|atomic)$")
      continue()
    endif()
    find_library(HOWDAH_GRPC_${name} lib${name}.a REQUIRED)
    list(APPEND grpc_archives ${HOWDAH_GRPC_${name}})
  endforeach()
  list(REMOVE_DUPLICATES grpc_archives)
  find_library(HOWDAH_PROTOBUF libprotobuf.a REQUIRED)
  list(JOIN grpc_archives "," grpc_archives)
  add_library(howdah_grpc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(howdah_grpc INTERFACE
    "$<LINK_GROUP:RESCAN,${grpc_archives},${HOWDAH_PROTOBUF},OpenSSL::SSL,OpenSSL::Crypto>"
    Threads::Threads ${CMAKE_DL_LIBS})
else()
  pkg_check_modules(GRPCPP REQUIRED IMPORTED_TARGET grpc++ protobuf absl_synchronization absl_time)
  # Remove gRPC's only flag, -DNOMINMAX, which is for Windows: GCC would refuse a precompiled header made without it.
  set_property(TARGET PkgConfig::GRPCPP PROPERTY INTERFACE_COMPILE_OPTIONS "")
  add_library(howdah_grpc INTERFACE IMPORTED GLOBAL)
  target_link_libraries(howdah_grpc INTERFACE PkgConfig::GRPCPP Threads::Threads)
endif()
howdah_archive(howdah_libyaml yaml)
if(HOWDAH_STATIC)
  howdah_archive(howdah_archive_lib archive nettle acl lzma zstd lz4 bz2 z xml2 icuuc icudata)
  target_link_libraries(howdah_archive_lib INTERFACE OpenSSL::Crypto)
else()
  howdah_archive(howdah_archive_lib archive)
endif()
howdah_archive(howdah_protobuf protobuf)
howdah_archive(howdah_cares cares)
howdah_archive(howdah_pugixml pugixml)
howdah_archive(howdah_re2 re2)
howdah_archive(howdah_sqlite sqlite3)
howdah_archive(howdah_zlib z)

# MIT krb5, which Debian has only as shared libraries. It is built beside the other targets, once for each machine.
set(howdah_krb5_folder ${CMAKE_BINARY_DIR}/krb5)
file(MAKE_DIRECTORY ${howdah_krb5_folder}/include)
add_custom_command(OUTPUT ${howdah_krb5_folder}/lib/libkrb5.a ${howdah_krb5_folder}/include/krb5.h
  COMMAND ${CMAKE_SOURCE_DIR}/tools/krb5-env ${howdah_krb5_folder}
  DEPENDS ${CMAKE_SOURCE_DIR}/tools/krb5-env
  COMMENT "Providing MIT krb5" VERBATIM)
add_custom_target(howdah_krb5_archive DEPENDS ${howdah_krb5_folder}/lib/libkrb5.a)
howdah_archive(howdah_keyutils keyutils)
add_library(howdah_krb5 STATIC IMPORTED GLOBAL)
set_target_properties(howdah_krb5 PROPERTIES
  IMPORTED_LOCATION ${howdah_krb5_folder}/lib/libkrb5.a
  INTERFACE_INCLUDE_DIRECTORIES ${howdah_krb5_folder}/include
  INTERFACE_LINK_LIBRARIES "howdah_keyutils;Threads::Threads")
add_dependencies(howdah_krb5 howdah_krb5_archive)

# The functions of Asio that are not templates, compiled once.
add_library(howdah_asio ${CMAKE_SOURCE_DIR}/cmake/asio.cc)
target_compile_definitions(howdah_asio PUBLIC BOOST_ASIO_SEPARATE_COMPILATION)
target_link_libraries(howdah_asio PUBLIC Boost::headers Threads::Threads)
