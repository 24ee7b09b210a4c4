// Escapes that were hardly meant. A model that writes "$3 \\times 4$" in JSON with one backslash has written a tab and
// "imes": \t is an escape of JSON. Such a text is valid, so only what stands around the escape shows it.
//
//   suspect_escape(false, true, "times 4$\"", true);    // Suspicion::yes
//
// A backspace, a form feed and a carriage return without a line feed are suspect anywhere, unless the text lists
// escapes. A tab, line feed or carriage return is suspect where the letters after it complete a TeX command, and the
// string has another sign of TeX: a dollar, or a backslash before ( [ {.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb::repair {

enum class Suspicion : std::uint8_t { no, yes, wait };

// How far from the escape a sign of TeX counts, in bytes.
inline constexpr std::uint64_t sign_reach = 1024;

// The letters of escapes that give a control character.
constexpr bool is_control_letter(char c) { return c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't'; }
constexpr bool is_tex_bracket(char c) { return c == '(' || c == '[' || c == '{'; }

// True if a backslash before this text begins no escape of JSON, and is no damaged escape either.
bool stands_for_itself(std::string_view text);

// `text` begins with the escape's letter, and ends with the string or later. `first`: the escape is the first thing in
// its string. `signed_before`: a sign of TeX is before it. `ended`: no more bytes will come; otherwise the answer may
// be `wait`.
Suspicion suspect_escape(bool first, bool signed_before, std::string_view text, bool ended);

// True if the letters at the beginning of `text` are the name of a TeX command that begins with n or t.
bool begins_tex_command(std::string_view text);

}  // namespace plumb::repair
