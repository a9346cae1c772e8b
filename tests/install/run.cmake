# SPDX-License-Identifier: Apache-2.0
# Installs BUILD below PREFIX, moves the tree (it must not depend on where it was installed), and builds and runs a
# program against it by WAY: find_package or pkg_config.
cmake_minimum_required(VERSION 3.25)

function(step)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "failed: ${command}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${PREFIX})
step(${CMAKE_COMMAND} --install ${BUILD} --prefix ${PREFIX}/first)
file(RENAME ${PREFIX}/first ${PREFIX}/moved)

if(WAY STREQUAL "find_package")
  step(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${PREFIX}/build -G ${GENERATOR} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_CXX_FLAGS=${FLAGS} -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH=${PREFIX}/moved
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
  step(${CMAKE_COMMAND} --build ${PREFIX}/build)
  step(${PREFIX}/build/consumer)
else()
  find_program(PKG_CONFIG NAMES pkg-config pkgconf REQUIRED)
  set(ENV{PKG_CONFIG_PATH} ${PREFIX}/moved/share/pkgconfig)
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs tessera OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  separate_arguments(isa UNIX_COMMAND "${FLAGS}")
  step(${COMPILER} ${isa} ${CMAKE_CURRENT_LIST_DIR}/main.cpp ${flags} -o ${PREFIX}/consumer)
  step(${PREFIX}/consumer)
endif()
