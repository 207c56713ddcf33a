# liblatch, shared and static, with what other programs find it by. Only the names of include/latch leave
# it: the linker drops all others from the shared library, and the static one is a single object whose
# other symbols have been made local. Lua is inside the static one; the shared one links the shared Lua,
# for the archive of Debian cannot be part of a shared object. libuv and libmd are outside both.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

file(GLOB embed_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/server/embed*.c)
add_library(embed STATIC ${embed_sources})
target_link_libraries(embed PUBLIC server)
target_include_directories(embed PUBLIC ${CMAKE_SOURCE_DIR}/include)
set_property(GLOBAL APPEND PROPERTY LATCHD_OBJECTS $<TARGET_OBJECTS:embed>)

set(exports ${CMAKE_CURRENT_LIST_DIR}/exports.map)
set(layers server net http engine scripts store resp base)
set(archives)
foreach(layer ${layers})
  list(APPEND archives $<TARGET_FILE:${layer}>)
endforeach()
add_library(latch_shared SHARED ${embed_sources})
add_dependencies(latch_shared ${layers})
target_link_libraries(latch_shared PRIVATE ${archives} PkgConfig::UV PkgConfig::MD PkgConfig::LUA m)
target_link_options(latch_shared PRIVATE -Wl,--version-script=${exports})
set_target_properties(latch_shared PROPERTIES
  OUTPUT_NAME latch
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}
  LINK_DEPENDS ${exports})

# What has been compiled for optimisation across files becomes machine code here: whoever links the
# archive has another compiler, or another version of this one.
set(to_code)
if(CMAKE_C_COMPILER_ID STREQUAL GNU)
  set(to_code -flinker-output=nolto-rel)
endif()
set(archive ${CMAKE_BINARY_DIR}/liblatch.a)
add_custom_command(
  OUTPUT ${archive}
  COMMAND ${CMAKE_C_COMPILER} -r -nostdlib -O2 -fPIC ${to_code} -o latch.o
          -Wl,--whole-archive $<TARGET_FILE:embed> -Wl,--no-whole-archive ${archives} ${LUA_ARCHIVE}
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=latch_* latch.o
  COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
  COMMAND ${CMAKE_AR} rcs ${archive} latch.o
  DEPENDS embed ${layers} VERBATIM)
add_custom_target(latch ALL DEPENDS ${archive})

# Both files find the rest from where they lie themselves, so that what is installed may be moved.
file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/latch.pc.in latch.pc @ONLY)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/latch-config.cmake.in latch-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/latch
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(latch-config-version.cmake COMPATIBILITY SameMajorVersion)

install(TARGETS latch_shared)
install(FILES ${archive} DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${CMAKE_SOURCE_DIR}/include/latch/latch.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/latch)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/latch.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/latch-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/latch-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/latch)
