# One library target a layer. A layer sees only its own headers and those of the layers it is
# linked against: each layer publishes a private include folder that holds nothing but a link to
# its own sources, so an include of a higher layer does not compile.

# godwit_layer(NAME DEPENDS layer...)
#   Builds src/NAME/*.cc (and subfolders) as the static library godwit_NAME.
function(godwit_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  set(include_dir ${CMAKE_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${include_dir})
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/${name} ${include_dir}/${name} SYMBOLIC)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  list(TRANSFORM ARG_DEPENDS PREPEND godwit_ OUTPUT_VARIABLE dependencies)
  if(sources)
    add_library(godwit_${name} STATIC ${sources})
    target_include_directories(godwit_${name} PUBLIC ${include_dir})
    target_link_libraries(godwit_${name} PUBLIC ${dependencies} ${ARG_LINK})
  else()
    add_library(godwit_${name} INTERFACE)
    target_include_directories(godwit_${name} INTERFACE ${include_dir})
    target_link_libraries(godwit_${name} INTERFACE ${dependencies} ${ARG_LINK})
  endif()
endfunction()

# godwit_unit_test(LAYER)
#   tests/unit/LAYER/*.cc become the test program unit_LAYER, linked against that layer alone.
function(godwit_unit_test layer)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/unit/${layer}/*.cc)
  if(NOT sources)
    return()
  endif()
  add_executable(unit_${layer} ${sources})
  # Each test file has helpers of the same names.
  set_target_properties(unit_${layer} PROPERTIES UNITY_BUILD OFF)
  target_include_directories(unit_${layer} PRIVATE ${CMAKE_SOURCE_DIR})
  target_link_libraries(unit_${layer} PRIVATE godwit_${layer} ${ARGN} GTest::gtest GTest::gtest_main)
  add_test(NAME unit_${layer} COMMAND unit_${layer})
endfunction()
