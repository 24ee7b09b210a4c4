#include "native/lsp/positions.hpp"

#include <algorithm>

#include "core/ascii.hpp"
#include "core/json/positions.hpp"
#include "core/text/utf8.hpp"

namespace plumb::lsp {

namespace {

// The byte at which the line begins, counted from 0.
std::uint64_t line_start(std::string_view text, std::uint64_t line) {
  std::size_t at = 0;
  for (; line > 0; --line) {
    const std::size_t end = text.find_first_of("\r\n", at);
    if (end == std::string_view::npos) {
      return text.size();
    }
    at = end + (text.substr(end, 2) == "\r\n" ? 2 : 1);
  }
  return at;
}

}  // namespace

std::vector<Range> ranges_of(std::string_view text, const std::vector<Bytes>& wanted, Units units) {
  std::vector<json::PlaceRequest> places;
  for (const Bytes& one : wanted) {
    places.push_back({std::min<std::uint64_t>(one.from, text.size()), {}});
    places.push_back({std::min<std::uint64_t>(one.to, text.size()), {}});
  }
  const auto before = [](const json::PlaceRequest& a, const json::PlaceRequest& b) { return a.byte < b.byte; };
  std::sort(places.begin(), places.end(), before);
  json::Positions positions;
  positions.locate(text.data(), text.size(), 0, places);
  std::uint64_t line = 1;  // of `start`: places come in order, so the text is gone over once
  std::uint64_t start = 0;
  std::vector<std::uint64_t> starts;
  if (units == Units::utf8) {
    for (const json::PlaceRequest& one : places) {
      start += line_start(text.substr(static_cast<std::size_t>(start)), one.place.line - line);
      line = one.place.line;
      starts.push_back(start);
    }
  }
  const auto position = [&](std::uint64_t byte) {
    byte = std::min<std::uint64_t>(byte, text.size());
    const auto found = std::lower_bound(places.begin(), places.end(), json::PlaceRequest{byte, {}}, before);
    const json::Place& place = found->place;
    if (units == Units::utf16) {
      return Position{place.line - 1U, place.column - 1U};
    }
    const std::uint64_t from = starts[static_cast<std::size_t>(found - places.begin())];
    return Position{place.line - 1U, byte > from ? byte - from : 0};
  };
  std::vector<Range> out;
  out.reserve(wanted.size());
  for (const Bytes& one : wanted) {
    out.push_back({position(one.from), position(std::max(one.from, one.to))});
  }
  return out;
}

std::uint64_t byte_of(std::string_view text, Position position, Units units) {
  const std::uint64_t start = line_start(text, position.line);
  std::string_view line = text.substr(static_cast<std::size_t>(start));
  line = line.substr(0, line.find_first_of("\r\n"));
  if (units == Units::utf8) {
    return start + std::min<std::uint64_t>(position.character, line.size());
  }
  std::uint64_t left = position.character;
  const char* at = line.data();
  const char* const end = at + line.size();
  while (at < end && left > 0) {
    const text::Decoded one = text::decode(at, end);
    left -= std::min<std::uint64_t>(left, one.code_point > 0xFFFF ? 2 : 1);
    at += one.size;
  }
  return start + static_cast<std::uint64_t>(at - line.data());
}

std::uint64_t byte_of_place(std::string_view text, std::uint64_t line, std::uint64_t column) {
  return line == 0 ? 0 : byte_of(text, {line - 1, column == 0 ? 0 : column - 1}, Units::utf16);
}

std::string path_of_uri(std::string_view uri) {
  constexpr std::string_view scheme = "file://";
  if (!uri.starts_with(scheme)) {
    return {};
  }
  uri.remove_prefix(scheme.size());
  const std::size_t slash = uri.find('/');  // a host may come before it
  if (slash == std::string_view::npos) {
    return {};
  }
  uri = uri.substr(slash);
  uri = uri.substr(0, uri.find_first_of("?#"));
  std::string path = ascii::percent_decoded(uri);
  return path.find('\0') == std::string::npos ? path : std::string();
}

}  // namespace plumb::lsp
