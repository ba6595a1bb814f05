# memsize_emit(TARGET target
#              BOARD board | PROJECT file
#              [TRACE log... | SIZING document] [SET knob=size...] [DRAM size]
#              [OUT folder [ONLY emitter...] | SDK folder [LINUX folder]]
#              [PLAN report... [DATA model] [RULES file] [STAGE choice...]]
#              [FLAGS flag...] [CHECK])
#
# The memory map, or with PLAN a part's module, is written before `target` is built. It is written again when a trace, the sizing document,
# the project file, the board or memsize itself changed; files that would not change are not touched.
# Building `clean` removes them; a single one that was removed by hand is noticed by Ninja, not by make.
# With CHECK nothing is written: each build of `target` stops where the files that stand there are not what memsize
# would write.
#
# Paths are relative to the current source folder, OUT to the current binary folder, where the default is
# memory-map. A memsize.toml is read only where PROJECT names it. After the call, in the caller's scope:
#
#   MEMSIZE_EMIT_DIR    the folder; not with SDK
#   MEMSIZE_EMIT_FILES  the files in it; empty where they are not known yet, such as before a trace was made

# string(JSON) needs CMake 3.19.
cmake_policy(PUSH)
cmake_policy(VERSION 3.19...3.25)

function(_memsize_absolute variable base)
  set(paths)
  foreach(path IN LISTS ${variable})
    get_filename_component(path "${path}" ABSOLUTE BASE_DIR "${base}")
    list(APPEND paths "${path}")
  endforeach()
  set(${variable} "${paths}" PARENT_SCOPE)
endfunction()

# The items of an array in the document, or that member of each; none where there is no such array.
function(_memsize_items variable document array)
  set(items)
  string(JSON count ERROR_VARIABLE missing LENGTH "${document}" ${array})
  if(missing)
    set(count 0)
  endif()
  set(i 0)
  while(i LESS count)
    string(JSON item GET "${document}" ${array} ${i} ${ARGN})
    list(APPEND items "${item}")
    math(EXPR i "${i} + 1")
  endwhile()
  set(${variable} "${items}" PARENT_SCOPE)
endfunction()

# Asks memsize what it would write, and of what. Sets `files`, `inputs` and `folder`; all stay empty where it cannot say
# yet. Then the build says why, and what might change that configures again.
function(_memsize_ask program words)
  set(files)
  set(inputs)
  set(folder)
  execute_process(
    COMMAND "${program}" emit ${words} --diff --json
    OUTPUT_VARIABLE document ERROR_VARIABLE problems RESULT_VARIABLE status)
  if(status EQUAL 2)
    message(FATAL_ERROR "memsize_emit: ${problems}")
  elseif(status EQUAL 0)
    _memsize_items(inputs "${document}" inputs)
    _memsize_items(files "${document}" artifacts path)
    # An SDK tree that a project names has no folder.
    string(JSON folder ERROR_VARIABLE missing GET "${document}" out)
    if(missing)
      set(folder)
    endif()
    list(TRANSFORM files PREPEND "${folder}/")
  endif()
  set(folder "${folder}" PARENT_SCOPE)
  set(files "${files}" PARENT_SCOPE)
  set(inputs "${inputs}" PARENT_SCOPE)
endfunction()

# The words behind "memsize emit".
function(_memsize_words)
  set(words)
  foreach(option IN ITEMS BOARD DRAM PROJECT SIZING OUT SDK LINUX DATA RULES)
    if(NOT "${memsize_${option}}" STREQUAL "")
      string(TOLOWER "--${option}" flag)
      list(APPEND words ${flag} "${memsize_${option}}")
    endif()
  endforeach()
  foreach(option IN ITEMS TRACE SET PLAN STAGE)
    string(TOLOWER "--${option}" flag)
    foreach(value IN LISTS memsize_${option})
      list(APPEND words ${flag} "${value}")
    endforeach()
  endforeach()
  if(memsize_ONLY)
    list(JOIN memsize_ONLY "," only)
    list(APPEND words --only "${only}")
  endif()
  if("${memsize_PROJECT}" STREQUAL "")
    list(APPEND words --no-project)
  endif()
  list(APPEND words ${memsize_FLAGS})
  set(words "${words}" PARENT_SCOPE)
endfunction()

# memsize_ as the prefix of the arguments is of this function alone.
function(memsize_emit)
  cmake_parse_arguments(PARSE_ARGV 0 memsize
    "CHECK" "TARGET;BOARD;PROJECT;SIZING;DRAM;OUT;SDK;LINUX;DATA;RULES" "TRACE;SET;ONLY;FLAGS;PLAN;STAGE")
  # A list may be empty, such as that of a variable.
  list(REMOVE_ITEM memsize_KEYWORDS_MISSING_VALUES TRACE SET ONLY FLAGS PLAN STAGE)
  if(memsize_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "memsize_emit: unknown arguments: ${memsize_UNPARSED_ARGUMENTS}")
  elseif(memsize_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "memsize_emit: these need a value: ${memsize_KEYWORDS_MISSING_VALUES}")
  elseif(NOT memsize_TARGET OR NOT TARGET "${memsize_TARGET}")
    message(FATAL_ERROR "memsize_emit: TARGET must name a target that there is, not '${memsize_TARGET}'")
  elseif(NOT memsize_BOARD AND NOT memsize_PROJECT)
    message(FATAL_ERROR "memsize_emit: give BOARD a board, or PROJECT a project file that names one")
  elseif(memsize_TRACE AND memsize_SIZING)
    message(FATAL_ERROR "memsize_emit: TRACE excludes SIZING")
  elseif(memsize_PLAN AND (memsize_TRACE OR memsize_SIZING OR memsize_SDK))
    message(FATAL_ERROR "memsize_emit: PLAN excludes TRACE, SIZING and SDK")
  elseif(memsize_OUT AND memsize_SDK)
    message(FATAL_ERROR "memsize_emit: OUT excludes SDK")
  elseif(memsize_ONLY AND memsize_SDK)
    message(FATAL_ERROR "memsize_emit: ONLY excludes SDK")
  elseif(memsize_LINUX AND NOT memsize_SDK)
    message(FATAL_ERROR "memsize_emit: LINUX requires SDK")
  endif()

  if(NOT memsize_OUT AND NOT memsize_SDK AND NOT memsize_PROJECT)
    set(memsize_OUT memory-map)
  endif()
  foreach(option IN ITEMS TRACE SIZING PROJECT SDK LINUX PLAN DATA RULES)
    _memsize_absolute(memsize_${option} "${CMAKE_CURRENT_SOURCE_DIR}")
  endforeach()
  _memsize_absolute(memsize_OUT "${CMAKE_CURRENT_BINARY_DIR}")
  if("${memsize_BOARD}" MATCHES "/|[.]toml$")
    _memsize_absolute(memsize_BOARD "${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  _memsize_words()

  get_target_property(program memsize::program LOCATION)
  set(files)
  set(inputs)
  set(folder)
  if(NOT memsize_SDK)
    _memsize_ask("${program}" "${words}")
  endif()
  if(NOT folder)
    set(folder "${memsize_OUT}")
  endif()
  # What decides which files there are. What else changes only changes them.
  set(known "${inputs}")
  list(REMOVE_ITEM known ${memsize_TRACE} ${memsize_SIZING} ${memsize_DATA} "")
  if(NOT files AND NOT memsize_SDK)
    set(known ${memsize_TRACE} ${memsize_SIZING} ${memsize_PROJECT} ${memsize_PLAN} ${memsize_DATA} ${memsize_RULES})
    if("${memsize_BOARD}" MATCHES "/")
      list(APPEND known "${memsize_BOARD}")
    endif()
  endif()
  # One that the build has yet to make would make it configure for ever.
  foreach(file IN LISTS known)
    if(NOT EXISTS "${file}")
      list(REMOVE_ITEM known "${file}")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${known} "${program}")

  # One target may have several maps.
  set(name "${memsize_TARGET}_memory_map")
  set(number 1)
  while(TARGET "${name}")
    math(EXPR number "${number} + 1")
    set(name "${memsize_TARGET}_memory_map_${number}")
  endwhile()

  set(what "${memsize_BOARD}")
  if(NOT what)
    set(what "${memsize_PROJECT}")
  endif()
  if(memsize_CHECK)
    # What is checked may be changed by hand, too: no time of a file says that it need not be looked at.
    add_custom_target("${name}"
      COMMAND memsize::program emit ${words} --check
      COMMENT "Checking the memory map of ${what}"
      VERBATIM)
  else()
    # memsize leaves files alone that would not change, so that only a stamp can be newer than what they are made of.
    set(stamp "${CMAKE_CURRENT_BINARY_DIR}/${name}.stamp")
    set(depends ${memsize_TRACE} ${memsize_SIZING} ${memsize_PROJECT} ${memsize_PLAN} ${memsize_DATA} ${memsize_RULES} ${inputs})
    list(REMOVE_DUPLICATES depends)
    add_custom_command(
      OUTPUT "${stamp}"
      BYPRODUCTS ${files}
      COMMAND memsize::program emit ${words}
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS ${depends} "${program}"
      COMMENT "Writing the memory map of ${what}"
      VERBATIM)
    add_custom_target("${name}" DEPENDS "${stamp}")
  endif()
  add_dependencies("${memsize_TARGET}" "${name}")
  set(MEMSIZE_EMIT_DIR "${folder}" PARENT_SCOPE)
  set(MEMSIZE_EMIT_FILES "${files}" PARENT_SCOPE)
endfunction()

cmake_policy(POP)
