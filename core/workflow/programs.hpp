// Programs that gates run: which of their arguments are scripts, and which files configure them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::workflow {

// What the words of a program are.
enum class Runs : std::uint8_t {
  nothing,  // none of them is run
  filed,    // the file behind -f
  cmake,    // the file behind -P or -C
  shell,    // a script of a shell, or a text behind -c
  script,   // the first that is no option
  python,   // likewise, or a module behind -m
  make,     // targets of a Makefile
  npm,      // scripts of package.json
  command,  // a command of its own: the program only goes before it
};

struct Program {
  std::string_view names;  // apart by blanks
  Runs runs;
  std::string_view valued;  // options that take the next word
  std::string_view
      configured;  // files: NAME, NAME{members}, NAME[sections] or NAME(lines), below the gate's folder. Of lines those
                   // count that were removed; with a + before the word, those that were added
};

// Finds the row of a program by its name: "python3.11" is python, "/usr/bin/make" is make. nullptr if it is unknown.
const Program* program_of(std::string_view word);

std::vector<std::string> split_words(std::string_view text, std::string_view apart = " ");
// Whether a list apart by blanks has the word.
bool has_word(std::string_view words, std::string_view word);

}  // namespace plumb::workflow
