#include "native/store/nats/streams.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::store {

namespace {

constexpr int no_stream = 10059;                                // JSStreamNotFoundErr
constexpr int in_use = 10058;                                   // JSStreamNameExistErr
constexpr int electing[] = {Servers::no_answer, 10008, 10009};  // JSClusterNotAvailErr, JSClusterNotLeaderErr
constexpr std::uint64_t quiet_ns = 5'000'000'000;
constexpr std::int64_t ids_known_ns = std::int64_t{120} * 1'000'000'000;
constexpr std::uint64_t electing_ms = 20'000;     // at the beginning
constexpr std::size_t names_at_once_max = 1'000;  // answers of one list, each of many names

// Who is left of a stream's servers answers too, and a leader that has lost the others for some time: nothing can be
// stored then. Empty: a majority is there. (The answer of STREAM.INFO.)
std::string without_majority(const json::Value& info) {
  const json::Value* config = info.find("config");
  const json::Value* cluster = info.find("cluster");
  const std::uint64_t all = config == nullptr ? 1 : json::number_of(*config, "num_replicas", 1);
  if (all < 2 || cluster == nullptr) {
    return {};
  }
  if (json::text_of(*cluster, "leader").empty()) {
    return "its servers have not chosen which of them leads";
  }
  std::uint64_t there = all;
  for (const json::Value& one : json::list_of(*cluster, "replicas")) {
    // The leader hears each of them every second.
    const bool away = json::flag_of(one, "offline") || json::number_of(one, "active") > quiet_ns;
    there -= away && there > 0 ? 1 : 0;
  }
  return 2 * there > all ? std::string()
                         : "only " + std::to_string(there) + " of its " + std::to_string(all) + " servers are there";
}

// For people: without the number of the error.
Error away_for(Error error) {
  error.line = 0;
  return error;
}

}  // namespace

// As request(), at the beginning: where a server was just lost the others choose who leads, which takes some seconds.
Result<std::string> Streams::first_request(const std::string& what, const std::string& text) const {
  const std::uint64_t until_ms = steady_ms() + electing_ms;
  for (;;) {
    Result<std::string> answer = servers_.request(what, text);
    bool again = !answer && std::find(std::begin(electing), std::end(electing),
                                      static_cast<int>(answer.error().line)) != std::end(electing);
    if (answer) {
      json::Arena arena;
      const Result<json::Value> read = json::parse(answer.value(), arena);
      const std::string lacks = read ? without_majority(read.value()) : std::string();
      if (!lacks.empty()) {
        answer = servers_.away(lacks);
        again = true;
      }
    }
    if (!again || steady_ms() >= until_ms || servers_.settings().address.servers.size() < 2) {
      return answer;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(Servers::reconnect_ms));
  }
}

// The configuration of a stream, as JetStream's interface has it.
std::string Streams::config_text(const StreamWish& wish, int replicas) const {
  const std::int64_t age_ns =
      wish.bytes_max == 0 ? 0 : static_cast<std::int64_t>(servers_.settings().bounds.age_ms) * 1'000'000;
  std::string text;
  json::Writer json(text);
  json.begin_object().member("name", wish.name).key("subjects").begin_array().string(wish.subjects).end_array();
  json.member("retention", "limits").member("storage", "file").member("discard", wish.once ? "old" : "new");
  json.key("num_replicas").integer(replicas).key("max_msgs_per_subject").integer(wish.once ? 1 : -1);
  json.key("max_msgs").integer(-1).key("max_bytes");
  json.integer(wish.bytes_max == 0 ? -1 : static_cast<std::int64_t>(wish.bytes_max)).key("max_age").integer(age_ns);
  json.key("duplicate_window").integer(age_ns == 0 ? ids_known_ns : std::min(ids_known_ns, age_ns));
  json.member_boolean("deny_delete", false);
  json.member_boolean("deny_purge", false).end_object();
  return text;
}

// A stream that is there, and may have other bounds. `text`: what it is to be.
std::optional<Error> Streams::bound(const std::string& text, const json::Value& config) const {
  json::Arena arena;
  const Result<json::Value> wanted = json::parse(text, arena);
  for (const char* bound : {"max_age", "max_bytes"}) {
    if (json::number_of(wanted.value(), bound) != json::number_of(config, bound)) {
      const std::string name(json::text_of(config, "name"));
      const Result<std::string> done = servers_.request("STREAM.UPDATE." + name, text);
      if (done) {
        servers_.tell(StoreTold::note, "the stream '" + name + "' had other bounds of age or bytes; it has ours now");
      }
      return done ? std::nullopt : std::optional<Error>(away_for(done.error()));
    }
  }
  return std::nullopt;
}

std::optional<Error> Streams::make(const StreamWish& wish) {
  Result<std::string> there = first_request("STREAM.INFO." + wish.name, "");
  if (!there && there.error().line == no_stream) {
    const NatsAddress& address = servers_.settings().address;
    const int replicas = address.replicas > 0 ? address.replicas : address.servers.size() >= 3 ? 3 : 1;
    there = first_request("STREAM.CREATE." + wish.name, config_text(wish, replicas));
    if (!there && there.error().line == in_use) {
      there = servers_.request("STREAM.INFO." + wish.name, "");  // another host was faster
    }
  }
  if (!there) {
    return away_for(there.error());
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(there.value(), arena);
  const json::Value* config = read ? read.value().find("config") : nullptr;
  const std::vector<std::string> has =
      config == nullptr ? std::vector<std::string>() : json::texts_of(*config, "subjects");
  if (has != std::vector<std::string>{wish.subjects}) {
    return Error{ErrorCode::invalid_argument,
                 "has a stream '" + wish.name + "' that is not a store of runs; name another one behind the last '/'",
                 servers_.settings().address.shown, 0, 0};
  }
  const int replicas = static_cast<int>(json::number_of(*config, "num_replicas", 1));
  replicas_ = replicas_ == 0 ? replicas : std::min(replicas_, replicas);
  return wish.bytes_max == 0 ? std::nullopt : bound(config_text(wish, replicas), *config);
}

Result<LogHead> Streams::head(const std::string& stream) const {
  const Result<std::string> told = servers_.request("STREAM.INFO." + stream, "");
  if (!told) {
    return away_for(told.error());
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(told.value(), arena);
  const json::Value* state = read ? read.value().find("state") : nullptr;
  if (state == nullptr) {
    return servers_.away("the servers' answer has no state");
  }
  if (const std::string lacks = without_majority(read.value()); !lacks.empty()) {
    return servers_.away(lacks);
  }
  LogHead out;
  out.made = json::text_of(read.value(), "created");
  out.first = json::number_of(*state, "first_seq");
  out.last = json::number_of(*state, "last_seq");
  out.messages = json::number_of(*state, "messages");
  return out;
}

Result<Owned<natsMsg>> Streams::last(const std::string& stream, const std::string& subject) const {
  if (servers_.is_away()) {
    return servers_.is_lost();
  }
  natsMsg* got = nullptr;
  jsOptions options;
  jsOptions_Init(&options);
  options.Wait = static_cast<std::int64_t>(servers_.settings().answer_ms);
  const natsStatus status =
      js_GetLastMsg(&got, servers_.jetstream(), stream.c_str(), subject.c_str(), &options, nullptr);
  Owned<natsMsg> out(got);
  if (status == NATS_NOT_FOUND) {
    return servers_.not_there("there is no " + subject);
  }
  return status == NATS_OK ? Result<Owned<natsMsg>>(std::move(out)) : Result<Owned<natsMsg>>(servers_.away(status));
}

Result<bool> Streams::erase(const std::string& stream, std::uint64_t sequence) const {
  std::string text;
  json::Writer(text).begin_object().member_uint("seq", sequence).end_object();
  const Result<std::string> done = servers_.request("STREAM.MSG.DELETE." + stream, text);
  return done || done.error().reason == Reason::gone ? Result<bool>(true) : Result<bool>(away_for(done.error()));
}

Result<bool> Streams::purge(const std::string& stream, const std::string& subjects, std::uint64_t before) const {
  std::string text;
  json::Writer(text).begin_object().member("filter", subjects).member_uint("seq", before).end_object();
  const Result<std::string> done = servers_.request("STREAM.PURGE." + stream, text);
  return done ? Result<bool>(true) : Result<bool>(done.error());
}

Result<std::vector<std::string>> Streams::subjects(const std::string& stream, const std::string& filter) const {
  std::vector<std::string> out;
  for (std::size_t round = 0; round < names_at_once_max; ++round) {
    std::string text;
    json::Writer(text).begin_object().member("subjects_filter", filter).member_uint("offset", out.size()).end_object();
    const Result<std::string> told = servers_.request("STREAM.INFO." + stream, text);
    if (!told) {
      return told.error();
    }
    json::Arena arena;
    const Result<json::Value> read = json::parse(told.value(), arena);
    const json::Value* state = read ? read.value().find("state") : nullptr;
    const json::Value* subjects = state == nullptr ? nullptr : state->find("subjects");
    if (subjects == nullptr || subjects->object().empty()) {
      break;
    }
    for (const json::Member& one : subjects->object()) {
      out.emplace_back(one.key);
    }
    if (out.size() >= json::number_of(read.value(), "total")) {
      break;
    }
  }
  return out;
}

}  // namespace plumb::store
