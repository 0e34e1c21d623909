# samcl_entry_points(DIR PARTS driver|entry_points [OVERRIDES FILE] [UNWRAP_HEADER PATH]): generates the entry points
# into DIR when the project is built; see the generator for the files.

function(samcl_entry_points directory)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  cmake_parse_arguments(ARG "" "PARTS;OVERRIDES;UNWRAP_HEADER" "" ${ARGN})
  set(generator ${CMAKE_SOURCE_DIR}/libsamcl/api/generate_entry_points.py)
  if(ARG_PARTS STREQUAL driver)
    set(files direct.cc)
    set(options "")
  else()
    set(files entry_points.h guards.cc forwarders.cc dispatch_table.cc exports.cc exports.map)
    set(options --overrides ${ARG_OVERRIDES})
    if(ARG_UNWRAP_HEADER)
      list(APPEND options --unwrap-header ${ARG_UNWRAP_HEADER})
    endif()
  endif()
  list(TRANSFORM files PREPEND ${directory}/)
  add_custom_command(
    OUTPUT ${files}
    COMMAND Python3::Interpreter ${generator} --compiler ${CMAKE_CXX_COMPILER} --parts ${ARG_PARTS} ${options}
            --output ${directory}
    DEPENDS ${generator} ${ARG_OVERRIDES}
    COMMENT "Generating OpenCL entry points (${ARG_PARTS})"
    VERBATIM)
endfunction()

# What every library with our entry points needs at its linking: hidden but for the version script, no undefined
# symbols, and no C++ runtime of ours that a foreign program could see or trip over.
function(samcl_entry_point_options target version_script)
  set_target_properties(${target} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                             LINK_DEPENDS ${version_script})
  target_link_options(${target} PRIVATE LINKER:--version-script=${version_script} LINKER:-z,nodelete)
  if(NOT SAMCL_SANITIZE)
    target_link_options(${target} PRIVATE LINKER:-z,defs -static-libstdc++ -static-libgcc)
  endif()
endfunction()
