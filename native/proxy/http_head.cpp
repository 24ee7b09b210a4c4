#include "native/proxy/http_head.hpp"

#include <charconv>
#include <cstring>

#include "core/ascii.hpp"
#include "native/proxy/http_server.hpp"

namespace plumb::proxy {

namespace {

void append_number(std::string& out, std::uint64_t number, int base = 10) {
  char digits[20];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, number, base);
  out.append(digits, end.ptr);
}

}  // namespace

HeadEnd find_head_end(std::string_view bytes) {
  std::size_t line = 0;
  while (line < bytes.size()) {
    const void* found = std::memchr(bytes.data() + line, '\n', bytes.size() - line);
    if (found == nullptr) {
      return {};
    }
    const auto end = static_cast<std::size_t>(static_cast<const char*>(found) - bytes.data());
    if (end == 0 || bytes[end - 1] != '\r') {
      return {0, "a line of the head ends with a line feed alone"};
    }
    if (end == line + 1) {
      return {end + 1, {}};
    }
    line = end + 1;
    if (line < bytes.size() && ascii::is_blank(bytes[line])) {
      return {0, "a header goes on in the next line, which HTTP/1.1 no longer allows"};
    }
  }
  return {};
}

bool equal_names(std::string_view a, std::string_view b) { return ascii::equal_in_any_case(a, b); }

std::string_view HttpRequest::field(std::string_view name) const {
  for (const HttpField& one : fields) {
    if (one.name.size() == name.size() && equal_names(one.name, name)) {
      return one.value;
    }
  }
  return {};
}

HeadProblem head_problem(const HttpRequest& request, bool old_http) {
  int hosts = 0;
  int lengths = 0;
  int encodings = 0;
  for (const HttpField& one : request.fields) {
    switch (one.name.size()) {
      case 4:
        hosts += equal_names(one.name, "host") ? 1 : 0;
        break;
      case 14:
        if (equal_names(one.name, "content-length")) {
          ++lengths;
          if (!ascii::only(one.value, ascii::digits)) {
            return {400, "the length of the body is not a number"};
          }
        }
        break;
      case 17:
        if (equal_names(one.name, "transfer-encoding")) {
          ++encodings;
          if (!equal_names(one.value, "chunked")) {
            return {501, "the transfer encoding is not `chunked`, the only one that is taken"};
          }
        }
        break;
      default:
        break;
    }
  }
  if (hosts > 1 || (hosts == 0 && !old_http)) {
    return {400, hosts == 0 ? "the header `host` is missing" : "there is more than one header `host`"};
  }
  if (lengths > 1 || encodings > 1 || lengths + encodings > 1) {
    return {400, "the request says more than once how long its body is"};
  }
  if (encodings > 0 && old_http) {
    return {400, "chunks are not part of HTTP/1.0"};
  }
  if (request.target.empty() || request.target.front() != '/') {
    return {400, "the target of the request must be a path"};
  }
  return {};
}

std::string_view reason_of(int status) {
  struct Reason {
    int status;
    std::string_view text;
  };
  constexpr Reason reasons[] = {
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {204, "No Content"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {402, "Payment Required"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {413, "Content Too Large"},
      {415, "Unsupported Media Type"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {499, "Client Closed Request"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {529, "Overloaded"},
  };
  for (const Reason& one : reasons) {
    if (one.status == status) {
      return one.text;
    }
  }
  return "Status";
}

void append_head(std::string& out, int status, std::string_view fields, Framing framing, std::uint64_t length,
                 bool keep, bool old_http) {
  out += "HTTP/1.1 ";
  append_number(out, static_cast<std::uint64_t>(status));
  out += ' ';
  out += reason_of(status);
  out += "\r\n";
  out += fields;
  if (framing == Framing::chunks) {
    out += "transfer-encoding: chunked\r\n";
  } else if (framing == Framing::length && status != 204) {
    out += "content-length: ";
    append_number(out, length);
    out += "\r\n";
  }
  if (!keep) {
    out += "connection: close\r\n";
  } else if (old_http) {
    out += "connection: keep-alive\r\n";
  }
  out += "\r\n";
}

void append_chunk(std::string& out, std::string_view bytes) {
  append_number(out, bytes.size(), 16);
  out += "\r\n";
  out += bytes;
  out += "\r\n";
}

}  // namespace plumb::proxy
