# find_package(memsize [COMPONENTS program library nn])
#
#   program   the target memsize::program and the function memsize_emit()
#   library   memsize::memsize, which is all of memsize::core and the other rooms; needs {fmt}, zlib, nettle, RE2 and yaml-cpp
#   nn        memsize::nn, a reference of NNAPI's memory domains in C; needs nothing
#
# Without components, what is to be linked is left out where it, or what it needs, is missing.

set(memsize_program_FOUND TRUE)
include("${CMAKE_CURRENT_LIST_DIR}/memsizeProgram.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/memsizeEmit.cmake")

# The program may well run beside a compiler for another machine; what is linked cannot.
include("${CMAKE_CURRENT_LIST_DIR}/memsizeMachine.cmake")
set(memsize_NOT_LINKED "")
if(NOT EXISTS "${CMAKE_CURRENT_LIST_DIR}/memsizeTargets.cmake")
  set(memsize_NOT_LINKED "it is not installed (libmemsize-dev, or cmake --install --component library)")
elseif(NOT CMAKE_SIZEOF_VOID_P)
  set(memsize_NOT_LINKED "no language is enabled that could link it")
elseif(NOT CMAKE_SIZEOF_VOID_P EQUAL memsize_SIZEOF_VOID_P)
  set(memsize_NOT_LINKED "it was built for another machine")
endif()

set(memsize_nn_FOUND FALSE)
set(memsize_nn_NOT_FOUND_MESSAGE "${memsize_NOT_LINKED}")
if(NOT memsize_NOT_LINKED AND (NOT memsize_FIND_COMPONENTS OR "nn" IN_LIST memsize_FIND_COMPONENTS))
  set(memsize_nn_FOUND TRUE)
  include("${CMAKE_CURRENT_LIST_DIR}/memsizeNn.cmake")
endif()

set(memsize_library_FOUND FALSE)
set(memsize_library_NOT_FOUND_MESSAGE "${memsize_NOT_LINKED}")
if(NOT memsize_NOT_LINKED AND (NOT memsize_FIND_COMPONENTS OR "library" IN_LIST memsize_FIND_COMPONENTS))
  find_package(fmt QUIET)
  find_package(ZLIB QUIET)
  find_package(yaml-cpp QUIET)
  find_library(memsize_NETTLE nettle)
  find_library(memsize_RE2 re2)
  mark_as_advanced(memsize_NETTLE memsize_RE2)
  if(NOT fmt_FOUND OR NOT ZLIB_FOUND OR NOT yaml-cpp_FOUND OR NOT memsize_NETTLE OR NOT memsize_RE2)
    set(memsize_library_NOT_FOUND_MESSAGE "it needs {fmt}, zlib, nettle, RE2 and yaml-cpp")
  else()
    set(memsize_library_FOUND TRUE)
    include("${CMAKE_CURRENT_LIST_DIR}/memsizeTargets.cmake")
  endif()
endif()

if(NOT memsize_FIND_COMPONENTS AND NOT memsize_library_FOUND AND NOT memsize_FIND_QUIETLY)
  message(STATUS "memsize without its library: ${memsize_library_NOT_FOUND_MESSAGE}")
endif()

foreach(component IN LISTS memsize_FIND_COMPONENTS)
  if(NOT memsize_${component}_FOUND AND memsize_FIND_REQUIRED_${component})
    set(memsize_FOUND FALSE)
    set(why "${memsize_${component}_NOT_FOUND_MESSAGE}")
    if(NOT why)
      set(why "there is none of that name")
    endif()
    set(memsize_NOT_FOUND_MESSAGE "component '${component}' of memsize: ${why}")
  endif()
endforeach()
