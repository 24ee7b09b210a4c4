// The control port: the page, checks, health and version over HTTP on this machine (cpp-httplib).
//
//   GET  /            the page and its files
//   POST /v1/check    a verdict (check_request.hpp)
//   GET  /healthz     {"status":"ok"}
//   GET  /version     {"version":"..."}
//
// One thread a connection from a pool of 64, one request a connection, bodies bounded while they are read, requests for
// another Host refused. Everything else is 404 or 405.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/result.hpp"

namespace plumb::control {

struct ServerSettings {
  std::string host = "127.0.0.1";
  int port = 8787;  // 0: a free one
  std::string web;  // the folder of the page; empty: none
  std::uint64_t body_bytes_max = std::uint64_t{16} << 20;
  std::string version;
};

class Server {
 public:
  // Binds the port. The error says what to do.
  static Result<std::unique_ptr<Server>> bind(const ServerSettings& settings);
  virtual ~Server() = default;

  virtual int port() const = 0;
  virtual bool has_page() const = 0;
  // Serves until stop(); requests under way are answered first.
  virtual void run() = 0;
  virtual void stop() = 0;  // from any thread
};

}  // namespace plumb::control
