# What `cmake --install` and the package put where. The library under SQLite's names has a folder of its
# own, so that nothing of the system's SQLite is overwritten or hidden; GODWIT_REPLACE_SQLITE puts it
# in its place instead, for images and prefixes that are to have no other SQLite.
#
#   PREFIX/bin/godwit                          the shell
#   PREFIX/LIB/libgodwit.so, .so.0             the library; pkg-config: godwit
#   PREFIX/include/godwit/sqlite3.h, ...       its headers
#   PREFIX/LIB/godwit/libsqlite3.so, .so.0, .a  the same under SQLite's names; pkg-config: sqlite3
#   PREFIX/LIB/godwit/pkgconfig/sqlite3.pc
include(GNUInstallDirs)

option(GODWIT_REPLACE_SQLITE "Install under SQLite's names beside other libraries" OFF)
# By its content the version of SQLite that the library speaks for.
file(STRINGS ${CMAKE_SOURCE_DIR}/include/sqlite3.h version_line REGEX "^#define SQLITE_VERSION +\"")
string(REGEX REPLACE ".*\"([^\"]*)\".*" "\\1" GODWIT_SQLITE_VERSION "${version_line}")

add_library(godwit_shared SHARED $<TARGET_OBJECTS:godwit_api> $<TARGET_OBJECTS:godwit_modules>
            $<TARGET_OBJECTS:godwit_capture>)
target_link_libraries(godwit_shared PRIVATE godwit_engine)
set_target_properties(godwit_shared PROPERTIES OUTPUT_NAME godwit SOVERSION 0)
target_link_options(godwit_shared PRIVATE -Wl,--no-undefined -Wl,--exclude-libs,ALL)

if(GODWIT_REPLACE_SQLITE)
  set(dropin_folder ${CMAKE_INSTALL_LIBDIR})
  set(header_folder ${CMAKE_INSTALL_INCLUDEDIR})
else()
  set(dropin_folder ${CMAKE_INSTALL_LIBDIR}/godwit)
  set(header_folder ${CMAKE_INSTALL_INCLUDEDIR}/godwit)
endif()

# A relocatable prefix: paths are relative to the file's own folder.
function(godwit_pkgconfig name library folder)
  set(NAME ${name})
  set(LIBRARY ${library})
  set(VERSION ${ARGV3})
  set(DESCRIPTION ${ARGV4})
  set(RPATH ${ARGV5})
  file(RELATIVE_PATH UP /x/${folder}/pkgconfig /x)
  set(LIBRARY_FOLDER ${folder})
  set(HEADER_FOLDER ${header_folder})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/library.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${folder}/pkgconfig)
endfunction()
godwit_pkgconfig(godwit godwit ${CMAKE_INSTALL_LIBDIR} ${PROJECT_VERSION}
                 "SQLite's interface on the Godwit engine" "")
godwit_pkgconfig(sqlite3 sqlite3 ${dropin_folder} ${GODWIT_SQLITE_VERSION}
                 "The Godwit library under the name of SQLite's" " -Wl,-rpath,\${libdir}")

install(TARGETS godwit_shell RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS godwit_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sqlite3_shared sqlite3_static LIBRARY DESTINATION ${dropin_folder}
        ARCHIVE DESTINATION ${dropin_folder})
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP)
    execute_process(COMMAND ${CMAKE_STRIP} --strip-debug
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${dropin_folder}/libsqlite3.a\")
  endif()")
install(FILES include/sqlite3.h include/sqlite3ext.h DESTINATION ${header_folder})
install(FILES docs/man/godwit.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES README.md LICENSE docs/compatibility.md docs/c-api.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME godwit)
set(CPACK_PACKAGE_CONTACT "The Godwit project <godwit@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Embedded SQL database that reads and writes SQLite files")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION
    "The shell godwit, the library libgodwit, and in a folder of its own\n the same library under SQLite's names for programs that use SQLite.")
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
include(CPack)
