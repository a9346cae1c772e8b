# SPDX-License-Identifier: Apache-2.0
# Runs PROGRAM (by LAUNCHER, if any) in FOLDER and compares what it prints with the file EXPECTED, if any. In EXPECTED a
# line of three dots stands for any lines, and `…` within a line for any text: times and names of machines differ.
cmake_minimum_required(VERSION 3.25)

file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
separate_arguments(LAUNCHER UNIX_COMMAND "${LAUNCHER}")
execute_process(COMMAND ${LAUNCHER} ${PROGRAM} WORKING_DIRECTORY ${FOLDER}
  RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE error)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ended with ${status}\n${printed}${error}")
endif()
if(EXPECTED)
  file(READ ${EXPECTED} pattern)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" pattern "${pattern}")
  string(REPLACE "\\.\\.\\.\n" "(.*\n)?" pattern "${pattern}")
  string(REPLACE "…" "[^\n]*" pattern "${pattern}")
  if(NOT printed MATCHES "^${pattern}$")
    file(READ ${EXPECTED} wanted)
    message(FATAL_ERROR "${PROGRAM} printed\n${printed}\ninstead of\n${wanted}")
  endif()
endif()
