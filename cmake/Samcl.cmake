# What every target of the project shares: warnings, sanitizers, ccache, the linker, and the way tests are declared.
# ccache keeps what is compiled with precompiled headers only if told that their macros and times may be trusted.
find_program(CCACHE ccache)
if(CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${CCACHE})
endif()

# Most of what is linked are tests with all of the runtime in them: GNU's linker takes 0.9 s for one, and 7 for the translator.
find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

find_package(Threads REQUIRED)
if(NOT SAMCL_ONLY_PYTHON)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

add_library(samcl_flags INTERFACE)
target_compile_options(samcl_flags INTERFACE -Wall -Wextra -Werror -Wnon-virtual-dtor -Wold-style-cast)
# GCC looks for garbage again and again in memory that it never gives back: an eighth of the time of a build. With this (KiB)
# it does so from 1.5 GB on, which nothing here takes.
target_compile_options(samcl_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1500000>)
target_compile_definitions(samcl_flags INTERFACE CL_TARGET_OPENCL_VERSION=300
                                                 CL_USE_DEPRECATED_OPENCL_1_0_APIS
                                                 CL_USE_DEPRECATED_OPENCL_1_1_APIS
                                                 CL_USE_DEPRECATED_OPENCL_1_2_APIS
                                                 CL_USE_DEPRECATED_OPENCL_2_0_APIS
                                                 CL_USE_DEPRECATED_OPENCL_2_1_APIS
                                                 CL_USE_DEPRECATED_OPENCL_2_2_APIS)
target_link_libraries(samcl_flags INTERFACE Threads::Threads)
if(SAMCL_SANITIZE)
  target_compile_options(samcl_flags INTERFACE -fsanitize=${SAMCL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(samcl_flags INTERFACE -fsanitize=${SAMCL_SANITIZE})
  # A null pointer in use ends by a signal all the same, and what is read is aligned or x86 does not mind: to look at each access
  # for these takes a quarter of the compiler's time. The fuzzers' builds do.
  if(SAMCL_SANITIZE MATCHES undefined)
    target_compile_options(samcl_flags INTERFACE -fno-sanitize=null,alignment)
  endif()
  # Sanitized builds are compiled by -O0 or -Og, where GCC tells of variables without a value that have one.
  target_compile_options(samcl_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
endif()

# Compiling several sources as one halves the time of a build: most of it goes to headers. Off: each alone, as clang-tidy
# and who looks for a missing #include want it.
option(SAMCL_UNITY "Compile the sources of a library together" ON)
function(samcl_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${SAMCL_UNITY} UNITY_BUILD_BATCH_SIZE 6)
  if(SAMCL_UNITY)  # GCC takes a source for a header when it is included
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# samcl_library(NAME SOURCES... [DEPENDS libs...] [APART]): a static library whose headers are included by their
# path from the repository root, e.g. "libsamcl/coherence/directory.h". APART: its sources use a name for different things.
function(samcl_library name)
  cmake_parse_arguments(ARG "APART" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE samcl_flags)
  # libsamcl.so carries these into foreign programs: only what is exported on purpose may be seen there.
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  if(NOT ARG_APART)
    samcl_compile_together(${name})
  endif()
endfunction()

# samcl_precompile(TARGET HEADERS...), or REUSE_FROM another target that has the same options: compiles what most files of
# it include once. GCC 12 then tells of bounds broken inside std::string and boost's vectors, which it keeps to itself where
# those are read as system headers.
function(samcl_precompile target)
  if(ARGV1 STREQUAL REUSE_FROM)
    target_precompile_headers(${target} ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE
    $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-restrict>)
endfunction()

# samcl_compile_quickly(TARGET): for what waits for others most of its time (tests, command lines), compiled in half of the
# time that -O2 takes. GCC tells there of variables without a value that have one. Sanitized builds optimize little as it
# is; undefined behaviour is looked for in what is tested alone, which halves the time that tests take to compile.
function(samcl_compile_quickly target)
  if(SAMCL_SANITIZE MATCHES undefined)
    target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
  elseif(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
    target_compile_options(${target} PRIVATE -Og $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  endif()
endfunction()

# samcl_program(NAME SOURCES... [DEPENDS libs...]): an executable in build/<preset>/bin.
function(samcl_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} samcl_flags)
endfunction()

# GoogleTest's headers, compiled once for all tests: by a program, as they are, since those are compiled as no library is.
if(NOT SAMCL_ONLY_PYTHON)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/test_headers.cc CONTENT "int main() {}\n")
  add_executable(samcl_test_headers ${CMAKE_BINARY_DIR}/test_headers.cc)
  set_target_properties(samcl_test_headers PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(samcl_test_headers PRIVATE samcl_flags GTest::gtest_main GTest::gmock)
  samcl_compile_quickly(samcl_test_headers)
  samcl_precompile(samcl_test_headers <gmock/gmock.h>)
endif()

# samcl_test(NAME SOURCES... [DEPENDS libs...] [APART]): a GoogleTest program, each of its tests known to ctest. The tests of
# a room are one program, so that what they include is read once; APART as for a library.
function(samcl_test name)
  if(SAMCL_ONLY_PYTHON)
    return()
  endif()
  cmake_parse_arguments(ARG "APART" "" "SOURCES;DEPENDS" ${ARGN})
  samcl_program(${name} SOURCES ${ARG_SOURCES} DEPENDS ${ARG_DEPENDS})
  if(NOT ARG_APART)
    samcl_compile_together(${name})
  endif()
  samcl_compile_quickly(${name})
  samcl_precompile(${name} REUSE_FROM samcl_test_headers)
  target_link_libraries(${name} PRIVATE GTest::gtest_main GTest::gmock)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  samcl_add_tests(${name} "")
endfunction()

# samcl_add_tests(NAME PREFIX [ENVIRONMENT...]): the tests of a GoogleTest program, once more in that environment.
function(samcl_add_tests name prefix)
  # tools/test.sh runs the tests of several builds as one: sanitized ones say so in their names.
  if(SAMCL_SANITIZE)
    set(prefix "${SAMCL_SANITIZE}/${prefix}")
  endif()
  # Tasks have real-time priorities: those of one test would keep the threads of another from the CPU.
  get_target_property(libraries ${name} LINK_LIBRARIES)
  set(lock)
  if("manager_testbed" IN_LIST libraries)
    set(lock RESOURCE_LOCK real_time_priorities)
  endif()
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${prefix}"
    PROPERTIES TIMEOUT 300 ${lock} ENVIRONMENT "${ARGN}")
endfunction()
