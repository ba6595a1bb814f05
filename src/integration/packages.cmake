# Debian's packages, by cpack -G DEB in the build's folder: memsize has the program and what it reads, libmemsize-dev what
# programs are linked with.
set(CPACK_PACKAGE_NAME memsize)
set(CPACK_PACKAGE_VENDOR memsize)
set(CPACK_PACKAGE_CONTACT "The memsize authors <maintainers@users.noreply.github.com>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "memory maps that fit what an accelerator used")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME memsize)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
# What validate --on qemu builds images with and runs them on.
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "clang, lld, qemu-system-arm")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "qemu-system-misc, gcc-riscv64-unknown-elf")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "It reads the memory tables that accelerators print or that compilers
plan, sizes every heap by the board's rules, lays the memory map out
again, writes or edits every file that depends on it, checks that all
of it agrees, and runs it on emulated cores.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmemsize-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS
  "memsize (= ${PROJECT_VERSION}), libfmt-dev, libexpected-dev, libyaml-cpp-dev, zlib1g-dev, nettle-dev, libre2-dev")
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION "Headers, static libraries, a shared library with a door of C, and a
Python module: what the program memsize does, without printing and
without exiting.")

# Each package says what may be done with it, and what changed.
foreach(pair program:memsize library:libmemsize-dev)
  string(REGEX MATCH "^[a-z]+" component ${pair})
  string(REGEX MATCH "[a-z-]+$" name ${pair})
  set(docs ${PROJECT_BINARY_DIR}/manual/${name})
  file(READ ${PROJECT_SOURCE_DIR}/src/integration/debian-copyright text)
  file(WRITE ${docs}/copyright "${text}")
  # The date is that of the version: packages of one source have the same bytes.
  file(WRITE ${docs}/changelog "memsize (${PROJECT_VERSION}) stable; urgency=low\n\n  * CHANGELOG.md of the source has it in words.\n\n -- The memsize authors <maintainers@users.noreply.github.com>  Thu, 01 Jan 2026 00:00:00 +0000\n")
  execute_process(COMMAND gzip -9nf ${docs}/changelog)
  if(component STREQUAL "library")
    set(where ${of_library})
  else()
    set(where ${of_program})
  endif()
  if(EXISTS ${docs}/changelog.gz)
    install(FILES ${docs}/copyright ${docs}/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} ${where})
  endif()
endforeach()
if(probe_aarch64)
  install(FILES src/integration/lintian-overrides DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides RENAME memsize ${of_program})
endif()
include(CPack)
