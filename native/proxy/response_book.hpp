// ResponseBook: which responses of a provider belong to which client key. All clients share the provider's key, so the
// provider would give any of them to anybody who knows an id: who may have it is known here alone.
//
//   book.put(caller.id, "resp_1", {"openai/gpt-5", "fast"}, now);
//   if (const std::optional<KeptResponse> kept = book.find(caller.id, "resp_1", now)) ... ask kept->target ...
//
// Nothing of a response itself is kept, and of who and which a hash. An entry goes after its time, or when there are
// too many, the oldest first. All of them go with the process, but where proxies share (response_sharing.hpp). For any
// number of threads.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "native/proxy/settings.hpp"
#include "native/proxy/time_point.hpp"

namespace plumb::proxy {

struct KeptResponse {
  std::string target;  // Target::name of who made it
  std::string model;   // as the client asked for it
  bool held = false;   // to a contract: what the provider keeps is not what the client was given
  bool booked = true;  // its usage is; else it was not known when the answer to the request had ended
};

class ResponseBook {
 public:
  explicit ResponseBook(const KeptSettings& settings) : settings_(settings) {}
  void set(const KeptSettings& settings);

  void put(std::string_view client, std::string_view id, const KeptResponse& response, TimePoint now);
  std::optional<KeptResponse> find(std::string_view client, std::string_view id, TimePoint now);
  void erase(std::string_view client, std::string_view id);
  std::size_t entries() const;

  // Told of what was put and, with nullptr, erased here, under its key: 32 hexadecimal digits. From any thread.
  using Told = std::function<void(const std::string& key, const KeptResponse* response)>;
  void share(Told told);
  // What another proxy put `age_ms` ago, or erased. The one who shares is not told.
  void take(const std::string& key, std::optional<KeptResponse> response, std::uint64_t age_ms, TimePoint now);

 private:
  struct Entry {
    KeptResponse response;
    std::uint64_t until_ms = 0;  // steady
    std::uint64_t number = 0;    // of its putting
  };
  void drop_old(std::uint64_t now_ms);
  void keep(const std::string& key, KeptResponse response, std::uint64_t until_ms);

  mutable std::mutex mutex_;
  KeptSettings settings_;
  std::map<std::string, Entry> entries_;                     // by key
  std::deque<std::pair<std::string, std::uint64_t>> order_;  // as they were put, with the number
  std::uint64_t number_ = 0;
  std::shared_ptr<const Told> told_;
};

}  // namespace plumb::proxy
