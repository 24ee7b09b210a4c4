// ResponseBook: which responses kept by a provider belong to which client key. All clients share the provider's key,
// so the provider would give any response to anybody who knows its id. Only this book knows its owner.
//
//   book.put(caller.id, "resp_1", {"openai/gpt-5", "fast"}, now);
//   if (const std::optional<KeptResponse> kept = book.find(caller.id, "resp_1", now)) ... ask kept->target ...
//
// Responses themselves are not kept, and owner and id only as a hash. An entry is dropped after its time, or when
// there are too many, oldest first. Entries end with the process, unless proxies share them (response_sharing.hpp).
// For any number of threads.
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
  std::string target;  // Target::name of its provider
  std::string model;   // as the client asked for it
  bool held = false;   // checked against a contract: the provider keeps another text than the client got
  bool booked = true;  // its usage is booked; else it was unknown when the request's answer ended
};

class ResponseBook {
 public:
  explicit ResponseBook(const KeptSettings& settings) : settings_(settings) {}
  void set(const KeptSettings& settings);

  void put(std::string_view client, std::string_view id, const KeptResponse& response, TimePoint now);
  std::optional<KeptResponse> find(std::string_view client, std::string_view id, TimePoint now);
  void erase(std::string_view client, std::string_view id);
  std::size_t entries() const;

  // Called for entries put or, with nullptr, erased here, under their key: 32 hexadecimal digits. From any thread.
  using Told = std::function<void(const std::string& key, const KeptResponse* response)>;
  void share(Told told);
  // Takes an entry that another proxy put `age_ms` ago, or erased. Told is not called.
  void take(const std::string& key, std::optional<KeptResponse> response, std::uint64_t age_ms, TimePoint now);

 private:
  struct Entry {
    KeptResponse response;
    std::uint64_t until_ms = 0;  // steady time
    std::uint64_t number = 0;    // order of insertion
  };
  void drop_old(std::uint64_t now_ms);
  void keep(const std::string& key, KeptResponse response, std::uint64_t until_ms);

  mutable std::mutex mutex_;
  KeptSettings settings_;
  std::map<std::string, Entry> entries_;                     // by key
  std::deque<std::pair<std::string, std::uint64_t>> order_;  // in order of insertion, with the number
  std::uint64_t number_ = 0;
  std::shared_ptr<const Told> told_;
};

}  // namespace plumb::proxy
