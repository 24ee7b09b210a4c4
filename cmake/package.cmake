# `cmake --install BUILD --component command`, and `cpack -G DEB`: the command with its manual page, its completions, the
# built page where it was built, and the service (native/service).
set(plumb_page ${PROJECT_SOURCE_DIR}/build/web CACHE PATH "the built page, which is packed where it is there")
install(TARGETS plumb RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
install(FILES docs/plumb.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command)
file(GLOB plumb_docs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
install(FILES ${plumb_docs} LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/plumbline COMPONENT command)
install(DIRECTORY ${plumb_page}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/plumbline/web COMPONENT command OPTIONAL)
install(CODE "
  foreach(shell bash zsh fish)
    execute_process(COMMAND $<TARGET_FILE:plumb> completion \${shell} OUTPUT_FILE ${PROJECT_BINARY_DIR}/generated/completion.\${shell}
      COMMAND_ERROR_IS_FATAL ANY)
  endforeach()" COMPONENT command)
install(FILES ${PROJECT_BINARY_DIR}/generated/completion.bash RENAME plumb
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)
install(FILES ${PROJECT_BINARY_DIR}/generated/completion.zsh RENAME _plumb
  DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions COMPONENT command)
install(FILES ${PROJECT_BINARY_DIR}/generated/completion.fish RENAME plumb.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT command)
install(FILES native/service/plumb.service DESTINATION lib/systemd/system COMPONENT command)
install(FILES native/service/plumb.yaml DESTINATION /etc/plumbline COMPONENT command)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME plumbline)
set(CPACK_PACKAGE_CONTACT "Plumbline maintainers <maintainers@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "verdicts on what language models produce, and bounded repair")
set(CPACK_COMPONENTS_ALL command)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ca-certificates)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS poppler-utils)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/native/service/conffiles)
set(CPACK_OUTPUT_FILE_PREFIX ${PROJECT_SOURCE_DIR}/build)
include(CPack)
