// The law of Idempotency-Keys that proxies share: cases, and processes that claim, end, fail and die under seeds.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "native/proxy/claim_law.hpp"

using namespace plumb;
using namespace plumb::proxy;

namespace {

constexpr std::uint64_t minute_ms = 60'000;
constexpr std::uint64_t day_ms = 1'440 * minute_ms;

ClaimVerdict step(const std::optional<ClaimSeen>& last, const std::string& by, const std::string& body,
                  std::uint64_t now_ms, bool alive = true) {
  return claim_step(last, {by, body, now_ms, day_ms, [alive](const std::string&) { return alive; }});
}

}  // namespace

TEST_CASE("claims: one under way is somebody's until it is erased, or its process or its time is over") {
  const std::optional<ClaimSeen> claimed = ClaimSeen{{"a1", 1, "b0", 10 * minute_ms}, 7, day_ms};
  CHECK(step(std::nullopt, "b1", "b0", day_ms) == ClaimVerdict::take);
  CHECK(step(claimed, "b1", "b0", day_ms) == ClaimVerdict::busy);
  CHECK(step(claimed, "b1", "c0", day_ms) == ClaimVerdict::other_body);
  CHECK(step(claimed, "b1", "b0", day_ms, false) == ClaimVerdict::take);
  CHECK(step(claimed, "b1", "c0", day_ms, false) == ClaimVerdict::take);  // as on one host, where nothing was kept
  CHECK(step(claimed, "a1", "b0", day_ms) == ClaimVerdict::take);
  const std::uint64_t ends = day_ms + 10 * minute_ms + claim_grace_ms;
  CHECK(step(claimed, "b1", "b0", ends - 1) == ClaimVerdict::busy);
  CHECK(step(claimed, "b1", "b0", ends) == ClaimVerdict::take);
  // A clock that is behind.
  CHECK(step(claimed, "b1", "b0", 0) == ClaimVerdict::busy);
}

TEST_CASE("claims: what was answered is given for its time, whether who answered lives or not") {
  const std::optional<ClaimSeen> answered = ClaimSeen{{"a1", 1, "b0", minute_ms, "text-1"}, 7, day_ms};
  for (const bool alive : {true, false}) {
    CHECK(step(answered, "b1", "b0", day_ms + 5 * minute_ms, alive) == ClaimVerdict::answered);
    CHECK(step(answered, "a1", "b0", day_ms, alive) == ClaimVerdict::answered);
    CHECK(step(answered, "b1", "c0", day_ms, alive) == ClaimVerdict::other_body);
    CHECK(step(answered, "b1", "c0", 2 * day_ms, alive) == ClaimVerdict::take);
  }
}

TEST_CASE("claims: what a call came to is told where its claim is, or nobody's") {
  const ClaimRecord own{"a1", 5, "b0", minute_ms};
  const auto seen = [](ClaimRecord record) { return std::optional<ClaimSeen>(ClaimSeen{std::move(record), 7, 0}); };
  ClaimRecord other = own;
  other.number = 6;
  ClaimRecord answered = own;
  answered.answer = "text-1";
  CHECK(settle_step(seen(own), own, true) == SettleVerdict::follow);
  CHECK(settle_step(seen(own), own, false) == SettleVerdict::follow);
  CHECK(settle_step(std::nullopt, own, true) == SettleVerdict::follow);
  CHECK(settle_step(std::nullopt, own, false) == SettleVerdict::nothing);
  for (const bool has_answer : {true, false}) {
    CHECK(settle_step(seen(other), own, has_answer) == SettleVerdict::nothing);
    CHECK(settle_step(seen(answered), own, has_answer) == SettleVerdict::nothing);
    CHECK(settle_step(seen({"b1", 5, "b0", minute_ms}), own, has_answer) == SettleVerdict::nothing);
  }
}

TEST_CASE("claims: records and answers are read as they were written, and what is none is refused") {
  const ClaimRecord record{"0123456789ab", 18'446'744'073'709'551'615U, std::string(64, 'a'), 600'000, "abc-1-2"};
  CHECK(read_claim(claim_text(record)).value() == record);
  for (const char* text : {"", "{}", "[]", R"({"v":2,"by":"a","body":"b"})", R"({"v":1,"by":"","body":"b"})",
                           R"({"v":1,"by":"a.*","body":"b"})", R"({"v":1,"by":"a","body":"b","answer":"x.>"})"})
    CHECK_FALSE(static_cast<bool>(read_claim(text)));
  StoredReply reply;
  reply.content_type = "text/event-stream; charset=utf-8";
  reply.headers = "x-plumb-verdict: accept\r\nx-plumb-estimated: input_tokens\r\n";
  reply.body = std::string("data: {\"a\":\"ü\"}\n\n\0\xff", 20) + "\n";
  const Result<StoredReply> again = read_reply(reply_text(reply));
  REQUIRE(static_cast<bool>(again));
  CHECK(again.value().status == 200);
  CHECK(again.value().content_type == reply.content_type);
  CHECK(again.value().headers == reply.headers);
  CHECK(again.value().body == reply.body);
  for (const char* text :
       {"", "{}", "{}\nbody", "{\"v\":1,\"status\":99,\"content_type\":\"a\",\"headers\":\"\"}\nbody",
        "{\"v\":1,\"status\":200,\"content_type\":\"a\\r\\nset-cookie: b\",\"headers\":\"\"}\nbody",
        "{\"v\":1,\"status\":200,\"content_type\":\"a\",\"headers\":\"no line\"}\nbody",
        "{\"v\":1,\"status\":200,\"content_type\":\"a\",\"headers\":\"\"}"})
    CHECK_FALSE(static_cast<bool>(read_reply(text)));
}

TEST_CASE("claims: whoever claims, fails and dies, a call is paid once, and once more for each that died with it") {
  struct Way {
    std::optional<ClaimSeen> last;  // of the key
    int paid = 0, died = 0;
    bool over = false;
  };
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    std::vector<Way> keys(3);
    struct Call {
      std::size_t key;
      ClaimRecord own;
      std::uint64_t sequence;
    };
    struct Process {
      bool alive = true;
      std::optional<ClaimSeen> read;  // what it saw of a key, maybe long ago
      std::size_t looks_at = 0;
      std::vector<Call> calls;
    };
    std::map<std::string, Process> processes;
    for (const char* name : {"a", "b", "c", "d"})
      processes[name] = {};
    std::uint64_t sequence = 0, number = 0, now = day_ms;
    const auto alive = [&](const std::string& who) { return processes[who].alive; };
    for (int i = 0; i < 200; ++i) {
      now += random() % 1'000;
      auto at = processes.begin();
      std::advance(at, static_cast<long>(random() % processes.size()));
      const std::string& name = at->first;
      Process& one = at->second;
      if (!one.alive)
        continue;
      const std::uint64_t dice = random() % 10;
      if (dice < 3) {
        one.looks_at = random() % keys.size();
        one.read = keys[one.looks_at].last;
      } else if (dice < 7) {
        Way& key = keys[one.looks_at];
        const bool own =
            std::any_of(one.calls.begin(), one.calls.end(), [&](const Call& call) { return call.key == one.looks_at; });
        const bool is_last = (one.read ? one.read->sequence : 0) == (key.last ? key.last->sequence : 0);
        if (own || claim_step(one.read, {name, "b0", now, day_ms, alive}) != ClaimVerdict::take || !is_last)
          continue;
        REQUIRE_FALSE(key.over);
        const ClaimRecord record{name, ++number, "b0", 10 * minute_ms};
        key.last = ClaimSeen{record, ++sequence, now};
        one.calls.push_back({one.looks_at, record, sequence});
        ++key.paid;
        REQUIRE(key.paid <= 1 + key.died);
      } else if (!one.calls.empty()) {
        const Call call = one.calls.back();
        Way& key = keys[call.key];
        const auto verdict = settle_step(key.last, call.own, dice != 7);
        if (dice == 9 && random() % 4 == 0) {
          one.alive = false;
          for (const Call& lost : one.calls)
            ++keys[lost.key].died;
          continue;
        }
        one.calls.pop_back();
        REQUIRE(verdict == SettleVerdict::follow);
        if (dice == 7) {  // it failed, and nothing was paid
          key.last.reset();
          --key.paid;
        } else {
          key.last->record.answer = "text";
          key.last->sequence = ++sequence;
          key.last->at_ms = now;
          key.over = true;
        }
      }
    }
  }
}
