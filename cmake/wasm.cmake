# wasm: the C ABI of wasm/abi.hpp over the core, straight to .wasm. The loader is our own TypeScript (wasm/package), so no
# JavaScript of Emscripten's is made. Six modules, each complete in itself, so that a page fetches one of the first four:
#
#   plumb-schema.wasm   judges by JSON Schema and what compares values and places (wasm/exports.cpp)
#   plumb-check.wasm    and by rules about texts, with edits (wasm/roles_exports.cpp too)
#   plumb-author.wasm   and is for writing and showing contracts (wasm/author_exports.cpp too)
#   plumb-runs.wasm     what plumb-check.wasm does, and runs and their journals (wasm/runs_exports.cpp too)
#   plumb-budget.wasm   budgets (wasm/budget_exports.cpp)
#   plumb-story.wasm    stories (wasm/story_exports.cpp)
#
# One engine that parts import was tried: linked together, with functions shared by name, plumb-check.wasm is 5 % larger
# (what has two users is inlined into neither), and a page that wants checks and one part more fetches 2 to 10 % more.
get_property(plumb_rooms GLOBAL PROPERTY PLUMB_ROOMS)
foreach(room IN LISTS plumb_rooms)
  target_compile_options(${room} PRIVATE -fno-rtti)   # nothing asks for a type by its name
endforeach()
set(plumb_wasm_link -sSTANDALONE_WASM --no-entry -sALLOW_MEMORY_GROWTH -sMALLOC=emmalloc -Wl,--stack-first -O3)

# plumb_module(NAME "ROOM..." SOURCE...): NAME.wasm, with - for _, of these sources, these rooms and what they use.
function(plumb_module target rooms)
  string(REPLACE "_" "-" name ${target})
  add_executable(${target} ${ARGN} wasm/abi.cpp wasm/runtime.cpp)
  list(TRANSFORM rooms PREPEND plumbline_)
  target_link_libraries(${target} PRIVATE ${rooms} plumb_options)
  target_compile_options(${target} PRIVATE -fno-rtti)
  target_compile_definitions(${target} PRIVATE PLUMB_VERSION="${PROJECT_VERSION}")
  target_link_options(${target} PRIVATE ${plumb_wasm_link} -Wl,--print-map)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX .wasm
    RULE_LAUNCH_LINK "${PROJECT_SOURCE_DIR}/toolchains/link_module.sh ${PROJECT_BINARY_DIR}/${name}.map"
    RUNTIME_OUTPUT_DIRECTORY ${PLUMB_BIN_DIR})
endfunction()
set(plumb_check_exports wasm/exports.cpp wasm/utf8_from_utf16.cpp)
set(plumb_text_exports ${plumb_check_exports} wasm/roles_exports.cpp)
plumb_module(plumb_schema "repair" ${plumb_check_exports} wasm/without_text.cpp ${PLUMB_BUILT_IN_STRUCTURAL})
plumb_module(plumb_check "repair;roles" ${plumb_text_exports})
plumb_module(plumb_author "repair;roles;derive;lint;sample;exports" ${plumb_text_exports} wasm/author_exports.cpp)
plumb_module(plumb_budget "budget" wasm/budget_exports.cpp)
plumb_module(plumb_story "story" wasm/story_exports.cpp)
plumb_module(plumb_runs "repair;roles;pipelines;extract" ${plumb_text_exports} wasm/runs_exports.cpp wasm/pipelines.cpp)
# The same with pipelines that only tests know.
plumb_module(plumb_runs_test "pipelines;extract" wasm/runs_exports.cpp tests/runs/pipelines.cpp tests/runs/module_pipelines.cpp)
set_source_files_properties(tests/runs/pipelines.cpp PROPERTIES COMPILE_OPTIONS "-fexceptions;-fwasm-exceptions")
foreach(target plumb_runs plumb_runs_test)
  target_link_options(${target} PRIVATE -fwasm-exceptions)
endforeach()
