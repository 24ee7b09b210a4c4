# Writes build-time C++ for what is compiled into every binary: core/contracts/*.json (the built-in contracts) and
# core/contracts/meta/*.json (the schema documents that contracts may refer to), and prompts/*.md, byte for byte.
file(GLOB built_in_contract_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/contracts/*.json)
file(GLOB built_in_prompt_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/prompts/*.md)
file(GLOB_RECURSE built_in_schema_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/core/contracts/meta/*.json)
# The lists are in the command, so that a file that goes makes it run again as a changed one does.
list(JOIN built_in_contract_files "|" built_in_contract_list)
list(JOIN built_in_schema_files "|" built_in_schema_list)
list(JOIN built_in_prompt_files "|" built_in_prompt_list)
set(PLUMB_BUILT_IN_SOURCE ${CMAKE_BINARY_DIR}/generated/built_in.cpp)
add_custom_command(
  OUTPUT ${PLUMB_BUILT_IN_SOURCE}
  COMMAND ${CMAKE_COMMAND}
    -DOUTPUT=${PLUMB_BUILT_IN_SOURCE}
    -DCONTRACTS=${built_in_contract_list}
    -DSCHEMAS=${built_in_schema_list}
    -P ${PROJECT_SOURCE_DIR}/cmake/write_built_in.cmake
  DEPENDS ${built_in_contract_files} ${built_in_schema_files} ${PROJECT_SOURCE_DIR}/cmake/write_built_in.cmake
    ${PROJECT_SOURCE_DIR}/cmake/read_bytes.cmake
  COMMENT "Embedding built-in contracts and schemas"
  VERBATIM)
set(PLUMB_BUILT_IN_PROMPTS ${CMAKE_BINARY_DIR}/generated/built_in_prompts.cpp)
add_custom_command(
  OUTPUT ${PLUMB_BUILT_IN_PROMPTS}
  COMMAND ${CMAKE_COMMAND}
    -DOUTPUT=${PLUMB_BUILT_IN_PROMPTS}
    -DPROMPTS=${built_in_prompt_list}
    -P ${PROJECT_SOURCE_DIR}/cmake/write_built_in_prompts.cmake
  DEPENDS ${built_in_prompt_files} ${PROJECT_SOURCE_DIR}/cmake/write_built_in_prompts.cmake
    ${PROJECT_SOURCE_DIR}/cmake/read_bytes.cmake
  COMMENT "Embedding built-in prompts"
  VERBATIM)
