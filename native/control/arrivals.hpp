// Arrivals: connections until their request is there. One thread reads all of them, so that a client that sends a byte
// now and then holds a few hundred bytes and no thread; who is too slow, or sends what could be read in two ways, is
// answered here and closed.
//
//   Arrivals arrivals({...}, [&](Arrival arrived) { return pool.give(...); });
//   arrivals.take(socket);                    // from the accepting thread
//
// A body that says its length, up to `body_bytes_max`, is read here too. One in chunks, or a longer one, is left to
// whoever serves it (`complete` is false).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace plumb::control {

struct Arrival {
  int socket = -1;
  std::string bytes;      // the head, and of the body what has come
  bool complete = false;  // all of it
  bool kept = false;      // for whom places are kept
};

struct ArrivalSettings {
  std::uint64_t head_ms = 10'000;
  // For a body, and so much more for each 128 KB of it.
  std::uint64_t body_ms = 20'000;
  std::uint64_t body_part_ms = 1'000;
  std::uint64_t body_bytes_max = std::uint64_t{16} << 20;
  std::uint64_t held_bytes_max = std::uint64_t{512} << 20;  // of all connections
  std::size_t connections_max = 2'000;                      // the oldest without a head makes room
  // Whether places are kept for a request: by its path and its Authorization.
  std::function<bool(std::string_view path, std::string_view authorization)> keeps;
  // Told of who is refused here.
  std::function<void(std::string_view why, const std::string& address)> refused;
};

class Arrivals {
 public:
  // `serve` takes the socket over, or gives false where there is no place: then it is refused here.
  Arrivals(ArrivalSettings settings, std::function<bool(Arrival&)> serve);
  ~Arrivals();  // as stop()
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  void take(int socket);
  // Requests whose head has come are waited for, for some seconds; one that comes too late is answered that the server
  // stops. After it no socket may be given.
  void stop();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// "127.0.0.1:51234"
std::string peer_of(int socket);

}  // namespace plumb::control
