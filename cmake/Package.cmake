# What `cmake --install` puts where, and the Debian package of it: cpack --config build/release/CPackConfig.cmake
#
# The programs find each other and libsamcl.so beside themselves, so they lie together in a directory of their own;
# links to those that users call lie in bin.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # what is packed was built before; CPack builds nothing

set(private ${CMAKE_INSTALL_LIBDIR}/samcl)
set(programs)
foreach(program sam-run sam-ctl sam-top sam-doctor sam-report sam-managerd sam-profile sam-analyze sam-translate)
  if(TARGET ${program})
    list(APPEND programs ${program})
  endif()
endforeach()
install(TARGETS ${programs} RUNTIME DESTINATION ${private})
install(TARGETS samcl LIBRARY DESTINATION ${private})
install(DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/samcl-links DESTINATION ${private} OPTIONAL)
file(RELATIVE_PATH from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR}/samcl)
set(links ${CMAKE_BINARY_DIR}/links)
file(MAKE_DIRECTORY ${links})
foreach(program ${programs})
  file(CREATE_LINK ${from_bin}/${program} ${links}/${program} SYMBOLIC)
  install(FILES ${links}/${program} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()

install(PROGRAMS ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/sam-cluster ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/sam-plot
        DESTINATION ${CMAKE_INSTALL_BINDIR})
install(PROGRAMS tools/cluster/build-pocl-remote.sh DESTINATION ${CMAKE_INSTALL_DATADIR}/samcl)
install(FILES tools/cluster/pocl-remote.patch DESTINATION ${CMAKE_INSTALL_DATADIR}/samcl)

# Man pages and completions are made from what the programs print.
find_package(Python3 COMPONENTS Interpreter)
set(manuals ${CMAKE_BINARY_DIR}/manuals)
file(GLOB texts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/packaging/manuals/*.txt)
list(APPEND texts ${CMAKE_SOURCE_DIR}/analysis/README.md ${CMAKE_SOURCE_DIR}/tools/sam-ctl/JSON.md
     ${CMAKE_SOURCE_DIR}/tools/sam-report/REPORT.md ${CMAKE_SOURCE_DIR}/tools/cluster/FILE.md)
add_custom_command(OUTPUT ${manuals}/stamp
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${manuals}
  COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/packaging/generate.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}
          ${CMAKE_SOURCE_DIR}/packaging/manuals ${manuals} ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${manuals}/stamp
  DEPENDS ${texts} ${programs} tools/cluster/sam-cluster analysis/plot/sam-plot packaging/generate.py sam-manager/sam-managerd.toml.example
  COMMENT "Making man pages and completions")
add_custom_target(manuals ALL DEPENDS ${manuals}/stamp)
install(DIRECTORY ${manuals}/man1 ${manuals}/man5 ${manuals}/man8 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${manuals}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${manuals}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(DIRECTORY ${manuals}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The service.
install(FILES packaging/sam-managerd.service packaging/sam-managerd.socket DESTINATION lib/systemd/system)
install(FILES packaging/sysusers.conf DESTINATION lib/sysusers.d RENAME samcl.conf)
install(FILES packaging/tmpfiles.conf DESTINATION lib/tmpfiles.d RENAME samcl.conf)

# For developers, and to read.
configure_file(packaging/samcl.pc.in ${CMAKE_BINARY_DIR}/samcl.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/samcl.pc DESTINATION ${CMAKE_INSTALL_DATADIR}/pkgconfig)
install(FILES README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES sam-manager/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME sam-manager.md)
install(FILES analysis/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME analysis.md)
install(FILES sam-manager/sam-managerd.toml.example DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples
        RENAME sam-managerd.toml)
install(DIRECTORY packaging/containers packaging/grafana DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
install(FILES packaging/debian/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES packaging/debian/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME samcl)
configure_file(packaging/debian/changelog.in ${CMAKE_BINARY_DIR}/changelog.txt @ONLY)
execute_process(COMMAND gzip -9n -c ${CMAKE_BINARY_DIR}/changelog.txt OUTPUT_FILE ${CMAKE_BINARY_DIR}/changelog.gz)
install(FILES ${CMAKE_BINARY_DIR}/changelog.gz DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_CONTACT "samcl developers <samcl@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "runs an OpenCL program on all GPUs of a machine")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
"An unmodified OpenCL program, written for one GPU, runs on all of them: its
kernels are split over the devices and their outputs merged, with the same
bytes as on one device. A manager shares the devices between programs by
fixed priority and bounds their response times.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_LIBRARY_OUTPUT_DIRECTORY})
set(CPACK_DEBIAN_PACKAGE_DEPENDS "ocl-icd-libopencl1 | libopencl1, python3:any, systemd | systemd-standalone-sysusers")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "openssh-client, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_SOURCE_DIR}/packaging/debian/postinst
    ${CMAKE_SOURCE_DIR}/packaging/debian/prerm ${CMAKE_SOURCE_DIR}/packaging/debian/postrm)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
include(CPack)

add_test(NAME package COMMAND ${CMAKE_SOURCE_DIR}/packaging/test_package.sh ${CMAKE_BINARY_DIR})
foreach(how installed booted)
  add_test(NAME package.${how} COMMAND ${CMAKE_SOURCE_DIR}/packaging/test_package.sh ${CMAKE_BINARY_DIR} --${how})
endforeach()
add_test(NAME package.nightly.fresh_debian CONFIGURATIONS Nightly
         COMMAND ${CMAKE_SOURCE_DIR}/packaging/test_package.sh ${CMAKE_BINARY_DIR} --chroot)
set_tests_properties(package package.installed package.booted PROPERTIES TIMEOUT 300 RUN_SERIAL ON)
set_tests_properties(package.nightly.fresh_debian PROPERTIES TIMEOUT 1800)
set_tests_properties(package.installed package.booted package.nightly.fresh_debian PROPERTIES SKIP_RETURN_CODE 77)
