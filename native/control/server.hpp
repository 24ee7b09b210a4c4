// The control port over HTTP (cpp-httplib): the page, checks, jobs and runs. Routes are in route_table.hpp; what is not
// there is a file of the page, or 404.
//
// One thread a connection from a pool of 256, of which event streams take at most 200; one request a connection; bodies
// bounded in size and time while they are read. Requests for another Host, or from a page of another origin, are
// refused.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/result.hpp"
#include "native/control/access.hpp"
#include "native/control/control.hpp"

namespace plumb::control {

struct ServerSettings {
  std::string host = "127.0.0.1";
  int port = 8787;  // 0: a free one
  std::string web;  // the folder of the page; empty: none
  std::uint64_t body_bytes_max = std::uint64_t{16} << 20;
};

class Server {
 public:
  // Binds the port. The error says what to do. `control` must outlive the server.
  static Result<std::unique_ptr<Server>> bind(const ServerSettings& settings, const Access& access, Control& control);
  virtual ~Server() = default;

  virtual int port() const = 0;
  virtual bool has_page() const = 0;
  // Serves until stop(); requests under way are answered first, event streams are told and closed.
  virtual void run() = 0;
  virtual void stop() = 0;  // from any thread
};

}  // namespace plumb::control
