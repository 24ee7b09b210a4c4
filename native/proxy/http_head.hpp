// Heads of HTTP/1.1 messages: where one ends, what in it could be read in two ways, and writing one.
//
//   HeadEnd end = find_head_end(bytes);        // size 0: not yet
//   append_head(out, 200, "content-type: text/plain\r\n", Framing::length, 5, true, false);
//
// A proxy that reads a head otherwise than the server behind it lets one client's bytes become another's request. So
// what the two might read differently is refused here, whatever a parser would make of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace plumb::proxy {

struct HttpRequest;

struct HeadEnd {
  std::size_t size = 0;      // of the head with its empty line; 0: it has not ended
  std::string_view problem;  // a line that ends without CR, or a folded header; empty: none
};
HeadEnd find_head_end(std::string_view bytes);

// What is wrong with a head that has been parsed, as a sentence; empty: nothing. `status`: what it is answered with.
struct HeadProblem {
  int status = 400;
  std::string_view words;
};
HeadProblem head_problem(const HttpRequest& request, bool old_http);

// The same but for the case of letters.
bool equal_names(std::string_view a, std::string_view b);

enum class Framing : std::uint8_t { length, chunks, close };
// `fields` are whole lines.
void append_head(std::string& out, int status, std::string_view fields, Framing framing, std::uint64_t length,
                 bool keep, bool old_http);
void append_chunk(std::string& out, std::string_view bytes);

}  // namespace plumb::proxy
