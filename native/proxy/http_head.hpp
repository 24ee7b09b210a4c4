// Heads of HTTP/1.1 messages: where a head ends, what in it is ambiguous, and how to write one.
//
//   HeadEnd end = find_head_end(bytes);        // size 0: not yet
//   append_head(out, 200, "content-type: text/plain\r\n", Framing::length, 5, true, false);
//
// If a proxy reads a head differently from the server behind it, one client's bytes can become another's request. So
// everything that could be read in two ways is refused here, whatever a parser would make of it.
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

// What is wrong with a parsed head, as a sentence, and the status to send. The sentence is empty for a valid head.
struct HeadProblem {
  int status = 400;
  std::string_view words;
};
HeadProblem head_problem(const HttpRequest& request, bool old_http);

// Compares names without regard to case.
bool equal_names(std::string_view a, std::string_view b);

enum class Framing : std::uint8_t { length, chunks, close };
// `fields` are whole lines.
void append_head(std::string& out, int status, std::string_view fields, Framing framing, std::uint64_t length,
                 bool keep, bool old_http);
void append_chunk(std::string& out, std::string_view bytes);

}  // namespace plumb::proxy
