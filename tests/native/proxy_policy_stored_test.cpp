// Answers that are given again for their Idempotency-Key.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "native/proxy/idempotency.hpp"
#include "native/proxy/stored_replies.hpp"
#include "tests/native/proxy_policy_setup.hpp"

using namespace plumb::proxy;
using proxy_setup::after;

namespace {

std::shared_ptr<const StoredReply> reply(std::string body) {
  auto out = std::make_shared<StoredReply>();
  out->content_type = "application/json";
  out->body = std::move(body);
  return out;
}

ReplyKey numbered(std::uint64_t number) {
  ReplyKey key = {};
  key[0] = static_cast<std::uint8_t>(number);
  key[1] = static_cast<std::uint8_t>(number >> 8U);
  return key;
}

constexpr CacheSettings small{10'000, 4'000, 1'000};

}  // namespace

TEST_CASE("stored replies: give what was put until its time is over, and drop what was used longest ago") {
  StoredReplies replies(small);
  CHECK(replies.find(numbered(1), after(0)) == nullptr);
  CHECK(replies.put(numbered(1), reply("one"), after(0)));
  REQUIRE(replies.find(numbered(1), after(999)) != nullptr);
  CHECK(replies.find(numbered(1), after(999))->body == "one");
  CHECK(replies.find(numbered(1), after(1'000)) == nullptr);
  CHECK(replies.counts().entries == 0);
  CHECK_FALSE(replies.put(numbered(2), reply(std::string(4'000, 'x')), after(0)));
  for (std::uint64_t i = 0; i < 6; ++i) {
    CHECK(replies.put(numbered(i), reply(std::string(1'500, 'x')), after(1'000)));
    CHECK(replies.find(numbered(0), after(1'000)) != nullptr);  // used again and again
  }
  CHECK(replies.counts().bytes <= small.bytes_max);
  CHECK(replies.counts().evicted == 1);
  CHECK(replies.find(numbered(0), after(1'000)) != nullptr);
  CHECK(replies.find(numbered(1), after(1'000)) == nullptr);
  replies.set({3'000, 4'000, 1'000});
  CHECK(replies.counts().bytes <= 3'000);
  replies.set({0, 0, 0});
  CHECK(replies.counts().entries == 0);
  CHECK(replies.counts().bytes == 0);
}

TEST_CASE("stored replies: threads that put and find leave its counts right") {
  StoredReplies replies(small);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&replies, t] {
      for (std::uint64_t i = 0; i < 500; ++i) {
        replies.put(numbered(i % 20), reply(std::string(100 + 10 * t, 'x')), after(i));
        replies.find(numbered((i + t) % 20), after(i));
      }
    });
  }
  for (std::thread& one : threads)
    one.join();
  const StoredCounts counts = replies.counts();
  CHECK(counts.hits + counts.misses == 2'000);
  CHECK(counts.entries <= 20);
  CHECK(counts.bytes <= small.bytes_max);
}

TEST_CASE("idempotency: the same key and body is answered once, another body is refused, one under way waits") {
  Idempotency keys(small);
  const IdempotentStart first = keys.begin("k1", "abc", "{1}", after(0));
  REQUIRE(first.kind == IdempotentKind::fresh);
  const IdempotentStart busy = keys.begin("k1", "abc", "{1}", after(0));
  REQUIRE(busy.kind == IdempotentKind::refused);
  CHECK(busy.failure.status == 409);
  CHECK(busy.failure.retry_after_ms.has_value());
  CHECK(keys.begin("k1", "abc", "{2}", after(0)).failure.status == 422);
  CHECK(keys.begin("k1", "abc", "{1}", after(0), "another contract").failure.status == 422);
  CHECK(keys.begin("k2", "abc", "{2}", after(0)).kind == IdempotentKind::fresh);  // another client's key
  keys.finish(first.ticket, reply("answer"), after(10));
  const IdempotentStart again = keys.begin("k1", "abc", "{1}", after(500));
  REQUIRE(again.kind == IdempotentKind::replay);
  CHECK(again.reply->body == "answer");
  CHECK(keys.begin("k1", "abc", "{2}", after(500)).failure.status == 422);
  // Forgotten after its time: the key may be used anew.
  CHECK(keys.begin("k1", "abc", "{2}", after(1'010)).kind == IdempotentKind::fresh);
}

TEST_CASE("idempotency: a call that failed for a while may be made again, and what is too large is not kept") {
  Idempotency keys(small);
  const IdempotentStart first = keys.begin("k", "a", "{}", after(0));
  keys.forget(first.ticket);
  const IdempotentStart second = keys.begin("k", "a", "{}", after(0));
  REQUIRE(second.kind == IdempotentKind::fresh);
  keys.finish(second.ticket, reply(std::string(5'000, 'x')), after(0));
  CHECK(keys.begin("k", "a", "{}", after(0)).kind == IdempotentKind::fresh);
  const std::string long_key(256, 'k');
  for (const std::string_view key :
       {std::string_view(""), std::string_view("with blank"), std::string_view("ü"), std::string_view(long_key)})
    CHECK(keys.begin("k", key, "{}", after(0)).failure.status == 400);
}

TEST_CASE("idempotency: of many threads with one key exactly one makes the call") {
  Idempotency keys(small);
  std::atomic<int> fresh{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      if (keys.begin("k", "same", "{}", after(0)).kind == IdempotentKind::fresh)
        ++fresh;
    });
  }
  for (std::thread& one : threads)
    one.join();
  CHECK(fresh == 1);
}

TEST_CASE("idempotency: more calls under way than allowed are refused, and places are given back") {
  Idempotency keys(small);
  std::vector<IdempotentStart> open;
  for (std::size_t i = 0; i < Idempotency::under_way_max; ++i)
    open.push_back(keys.begin("k", "n" + std::to_string(i), "{}", after(0)));
  CHECK(keys.begin("k", "more", "{}", after(0)).failure.status == 503);
  keys.forget(open.front().ticket);
  CHECK(keys.begin("k", "more", "{}", after(0)).kind == IdempotentKind::fresh);
}
