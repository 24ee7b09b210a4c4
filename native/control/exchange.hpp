// One request and its answer, without the HTTP library: what routes are written against.
//
//   Answer show(Control& control, const Request& request) {
//     ...
//     if (!row) return refuse(Wrong::not_found, "Job not found: " + id);
//     return json_answer(200, std::move(text));
//   }
//
// An error is a problem of RFC 9457, sent as application/problem+json:
//   {"type": "plumb:problem/not_found", "title": "Not found", "status": 404, "detail": "Job not found: r2...",
//    "instance": "/ai/artifact/r2..."}, and where it is known `where`, `line` and `column`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.hpp"

namespace plumb::control {

struct Request {
  std::string method;                                       // GET for HEAD too
  std::string path;                                         // decoded
  std::vector<std::pair<std::string, std::string>> values;  // of {names} in the route's pattern
  std::vector<std::pair<std::string, std::string>> query;   // decoded, in their order
  std::function<std::string(const char* name)> header;      // its first value; empty where it is absent
  std::shared_ptr<const std::string> body;                  // never null
  std::function<bool()> listening;                          // false once the client has left; empty: nobody knows
  std::string project = {};                                 // whose key asks; empty: the operator
  std::string client_key = {};                              // that was sent to a route for client keys
  std::function<bool()> admitted = {};                      // of a project: false once its key is refused

  std::string_view value(std::string_view name) const;
  // The first of that name; nothing where it is absent.
  std::optional<std::string_view> asked(std::string_view name) const;
};

enum class Wrong : std::uint8_t {
  bad_request,
  unauthorised,
  foreign_origin,
  of_operator,
  not_found,
  method_not_allowed,
  conflict,
  too_large,
  wrong_type,
  bad_range,
  wrong_host,
  not_processable,
  key_reused,
  internal,
  out_of_memory,
  limit,
  unavailable,
  stopping,
};
struct WrongKind {
  Wrong wrong;
  int status;
  std::string_view name;   // after "plumb:problem/"
  std::string_view title;  // never with anything of the request in it
};
// One row for each, in their order.
std::span<const WrongKind> wrong_kinds();

struct Problem {
  Wrong wrong = Wrong::internal;
  Error error;                                                    // message, where, line, column
  std::vector<std::pair<std::string, std::string>> members = {};  // more of them: name and JSON
};

// Where a body that is written bit by bit goes.
class Sink {
 public:
  virtual ~Sink() = default;
  // False when the client has left.
  virtual bool write(std::string_view bytes) = 0;
  // False when the client has left; costs a system call.
  virtual bool listening() = 0;
};

struct Answer {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  std::optional<Problem> problem;  // then status, type and body are written from it
  // Writes the body after the headers have gone. False: it is not complete, and the client must see that. What the
  // function holds is let go when all is written or the client has left.
  std::function<bool(Sink& sink)> stream;
};

Answer json_answer(int status, std::string json);
Answer refuse(Wrong wrong, std::string detail);
// `invalid_argument` and `invalid_contract` are not_processable, the other codes are what they say.
Answer refuse(const Error& error);
Answer refuse(Wrong wrong, Error error);

// `answer.problem` becomes status, type and body.
void write_problem(Answer& answer, std::string_view instance);

}  // namespace plumb::control
