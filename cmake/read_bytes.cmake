# Sets `array` to a C++ definition of `NAME`, a char array with the bytes of FILE.
function(read_bytes file name array)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," body "${hex}")
  string(REPLACE "'\\x0a'," "'\\x0a',\n" body "${body}")   # a line of the file is a line here
  if(body STREQUAL "")
    message(FATAL_ERROR "${file} is empty")
  endif()
  set(${array} "constexpr char ${name}[] = {\n${body}};\n" PARENT_SCOPE)
endfunction()
