# What is installed beside the program, and the Debian package of both: cpack --config build/CPackConfig.cmake
#
# The pages are printed by the program itself. The package holds the component `program` only; the library is
# for those who build.
set(made ${CMAKE_BINARY_DIR}/pages)
add_custom_command(
  OUTPUT ${made}/latchd.1.gz ${made}/latchd.conf.5.gz ${made}/latchd
  COMMAND ${CMAKE_COMMAND} -E make_directory ${made}
  COMMAND latchd --man | gzip -9n >${made}/latchd.1.gz
  COMMAND latchd --man-conf | gzip -9n >${made}/latchd.conf.5.gz
  COMMAND latchd --completion >${made}/latchd
  DEPENDS latchd)
add_custom_target(pages ALL DEPENDS ${made}/latchd)

install(TARGETS latchd COMPONENT program)
install(FILES ${made}/latchd.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${made}/latchd.conf.5.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 COMPONENT program)
install(FILES ${made}/latchd DESTINATION share/bash-completion/completions COMPONENT program)
install(FILES packaging/latchd.service packaging/latchd.socket DESTINATION lib/systemd/system
        COMPONENT program)
install(FILES LICENSE RENAME copyright DESTINATION share/doc/latchd COMPONENT program)
install(FILES README.md CHANGELOG.md DESTINATION share/doc/latchd COMPONENT program)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "the latchd developers <latchd@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lock server that speaks the Redis protocol")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_CMAKE_PROJECTS "${CMAKE_BINARY_DIR};latchd;program;/")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libmd0, libuv1")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libssl3")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "redis-tools")
include(CPack)
