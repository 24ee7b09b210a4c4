// What the terminal can show, and where text goes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/contract/render.hpp"
#include "native/cli/arguments.hpp"
#include "native/outcome/painted.hpp"

namespace plumb::cli {

bool is_terminal(int descriptor);
// Columns of the terminal behind `descriptor`, from 40 to 200; 80 where nobody knows.
std::size_t terminal_columns(int descriptor);
// By LC_ALL, LC_CTYPE and LANG, in that order, as POSIX has it.
bool locale_is_utf8();

// Style by --ascii, --color, NO_COLOR and the locale for what is written to `descriptor`.
contract::TextStyle style_for(const Arguments& arguments, int descriptor);

using outcome::bold;
using outcome::cyan;
using outcome::dim;
using outcome::green;
using outcome::red;
using outcome::yellow;

// Writes all of it. False when the other side does not take it; errno says why.
bool write_all(int descriptor, std::string_view text);

// One line on standard error: "plumb: ..." (an error) or "plumb: note: ...".
void complain(std::string_view text);
void note(std::string_view text);

// An error as one line: "where:line:column: message", with what is known.
std::string error_line(const Error& error);

// Words that fit in `columns`, each line after `indent` spaces; the first line is not indented. Paragraphs are kept.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

// Lines of a report (with colours) that are wider than `columns` go on below, after six spaces, broken at blanks.
std::string fitted(std::string_view lines, std::size_t columns);

}  // namespace plumb::cli
