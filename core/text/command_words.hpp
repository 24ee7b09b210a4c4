// The words of a command line, taken apart without a shell: at blanks outside quotes.
//
//   command_words("ctest --test-dir 'my build'")     {"ctest", "--test-dir", "my build"}
//   command_words("make && make test")               error: '&&' is for a shell, and none is started ...
//
// 'single' quotes keep all as it is; in "double" ones, and outside quotes, a backslash keeps the character behind it.
// What only a shell knows (&& || | ; < > $NAME $(...) `...` * ? [ ~ # {a,b}, a variable set before the program) is an
// error that says where and what to do, never a word that means something else. `{name}` is a word: places of our own
// are written so.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"

namespace plumb::text {

inline constexpr std::size_t command_words_max = 200;

// At least one word, the program. The error has the column.
Result<std::vector<std::string>> command_words(std::string_view line);

}  // namespace plumb::text
