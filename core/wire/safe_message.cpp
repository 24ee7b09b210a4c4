// Keys are taken out after white space and controls have been made plain, so that none hides behind them, and before
// the text is cut, so that no half of one is left at the end.
#include <array>
#include <cstddef>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"
#include "core/wire/failure.hpp"
#include "core/wire/sse.hpp"

namespace plumb::wire {

namespace {

constexpr std::size_t code_points_max = 300;
// What is looked at: more than enough for what is shown.
constexpr std::size_t bytes_max = std::size_t{64} << 10;
constexpr std::string_view mask = "[key]";

constexpr std::array<std::string_view, 14> key_beginnings = {"sk-", "sk_", "pk-",    "pk_",   "gsk_", "xai-", "hf_",
                                                             "r8_", "eyJ", "nvapi-", "pplx-", "AIza", "AKIA", "ghp_"};
constexpr std::size_t after_beginning_min = 6;

// What follows these, with a colon, an equals sign or a space between, is a secret.
constexpr std::array<std::string_view, 7> key_words = {"key",      "token",  "secret", "password",
                                                       "provided", "bearer", "basic"};
constexpr std::size_t after_word_min = 8;

bool is_key_character(char c) {
  return ascii::is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '*' || c == '/' || c == '+' || c == '~';
}

// A word that announces a secret comes before. "bearer" and "basic" need no more than a space.
bool is_announced(std::string_view before) {
  bool separated = false;
  while (!before.empty() && (before.back() == ' ' || before.back() == '"' || before.back() == '\'' ||
                             before.back() == ':' || before.back() == '=')) {
    separated = separated || before.back() == ':' || before.back() == '=';
    before.remove_suffix(1);
  }
  for (const std::string_view word : key_words) {
    if ((separated || word == "bearer" || word == "basic") && ascii::ends_in_any_case(before, word)) {
      return true;
    }
  }
  return false;
}

// The bytes of what begins at `at` and looks like a key; 0 where nothing does.
std::size_t key_size(std::string_view text, std::size_t at) {
  if (!is_key_character(text[at]) || (at > 0 && ascii::is_alphanumeric(text[at - 1]))) {
    return 0;
  }
  std::size_t size = 0;
  while (at + size < text.size() && is_key_character(text[at + size])) {
    ++size;
  }
  const std::string_view word = text.substr(at, size);
  for (const std::string_view beginning : key_beginnings) {
    if (word.starts_with(beginning) && size >= beginning.size() + after_beginning_min) {
      return size;
    }
  }
  const bool begins = at == 0 || !is_key_character(text[at - 1]);
  return begins && size >= after_word_min && is_announced(text.substr(0, at)) ? size : 0;
}

std::size_t secret_size(std::string_view text, std::size_t at, std::span<const std::string_view> secrets) {
  std::size_t longest = 0;
  for (const std::string_view secret : secrets) {
    if (secret.size() > longest && text.substr(at, secret.size()) == secret) {
      longest = secret.size();
    }
  }
  return longest;
}

// One line of plain text.
std::string flattened(std::string_view text) {
  std::string decoded;
  if (replace_broken_utf8(text, decoded)) {
    text = decoded;
  }
  std::string flat;
  flat.reserve(text.size());
  for (const char c : text) {
    const bool blank = static_cast<unsigned char>(c) <= 0x20 || c == 0x7F;
    if (!blank) {
      flat.push_back(c);
    } else if (!flat.empty() && flat.back() != ' ') {
      flat.push_back(' ');
    }
  }
  if (!flat.empty() && flat.back() == ' ') {
    flat.pop_back();
  }
  return flat;
}

}  // namespace

std::string safe_message(std::string_view text, std::span<const std::string_view> secrets) {
  const bool cut = text.size() > bytes_max;
  std::string flat = flattened(text.substr(0, bytes_max));
  if (cut) {
    // The last word may be the beginning of a secret.
    const std::size_t space = flat.rfind(' ');
    flat.resize(space == std::string::npos ? 0 : space);
  }
  std::string out;
  for (std::size_t at = 0; at < flat.size();) {
    std::size_t size = secret_size(flat, at, secrets);
    if (size == 0) {
      size = key_size(flat, at);
    }
    if (size == 0) {
      out.push_back(flat[at]);
      ++at;
    } else {
      out += mask;
      at += size;
    }
  }
  // A secret may end inside a character.
  std::string decoded;
  return json::excerpt(replace_broken_utf8(out, decoded) ? decoded : out, code_points_max);
}

}  // namespace plumb::wire
