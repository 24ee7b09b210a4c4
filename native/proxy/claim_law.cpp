#include "native/proxy/claim_law.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::proxy {

namespace {

constexpr std::uint64_t version = 1;
constexpr std::size_t name_bytes_max = 128;
constexpr std::uint64_t for_ms_max = std::uint64_t{31} * 86'400'000;

bool is_name(std::string_view text) {
  return text.size() <= name_bytes_max && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

// Lines of a head: "name: value\r\n" each.
bool are_lines(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find("\r\n");
    const std::string_view line = text.substr(0, end);
    const bool sound = end != std::string_view::npos && line.find(": ") != std::string_view::npos &&
                       line.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos;
    if (!sound) {
      return false;
    }
    text.remove_prefix(end + 2);
  }
  return true;
}

}  // namespace

std::string claim_text(const ClaimRecord& record) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("v", version).member("by", record.by).member_uint("number", record.number);
  json.member("body", record.body).member_uint("for_ms", record.for_ms).member("answer", record.answer).end_object();
  return out;
}

Result<ClaimRecord> read_claim(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  ClaimRecord out;
  if (read && json::number_of(read.value(), "v") == version) {
    out.by = json::text_of(read.value(), "by");
    out.number = json::number_of(read.value(), "number");
    out.body = json::text_of(read.value(), "body");
    out.for_ms = std::min(for_ms_max, json::number_of(read.value(), "for_ms"));
    out.answer = json::text_of(read.value(), "answer");
  }
  if (out.by.empty() || out.body.empty() || !is_name(out.by) || !is_name(out.body) || !is_name(out.answer)) {
    return Error{ErrorCode::invalid_argument, "is not a claim of a call that this version knows", "", 0, 0};
  }
  return out;
}

ClaimVerdict claim_step(const std::optional<ClaimSeen>& last, const ClaimAsk& ask) {
  if (!last) {
    return ClaimVerdict::take;
  }
  const ClaimRecord& record = last->record;
  if (record.answer.empty()) {
    // One of this process is asked for only where its call is over.
    const bool over =
        record.by == ask.by || ask.now_ms >= last->at_ms + record.for_ms + claim_grace_ms || !ask.alive(record.by);
    if (over) {
      return ClaimVerdict::take;
    }
    return record.body == ask.body ? ClaimVerdict::busy : ClaimVerdict::other_body;
  }
  if (ask.now_ms >= last->at_ms + ask.ttl_ms) {
    return ClaimVerdict::take;
  }
  return record.body == ask.body ? ClaimVerdict::answered : ClaimVerdict::other_body;
}

SettleVerdict settle_step(const std::optional<ClaimSeen>& last, const ClaimRecord& own, bool has_answer) {
  if (!last) {
    return has_answer ? SettleVerdict::follow : SettleVerdict::nothing;
  }
  const bool is_own = last->record.by == own.by && last->record.number == own.number && last->record.answer.empty();
  return is_own ? SettleVerdict::follow : SettleVerdict::nothing;
}

std::string reply_text(const StoredReply& reply) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_uint("v", version).member_uint("status", static_cast<std::uint64_t>(reply.status));
  json.member("content_type", reply.content_type).member("headers", reply.headers).end_object();
  out += "\n";
  out += reply.body;
  return out;
}

Result<StoredReply> read_reply(std::string_view text) {
  const std::size_t end = text.find('\n');
  json::Arena arena;
  const Result<json::Value> read = json::parse(text.substr(0, end), arena);
  StoredReply out;
  const std::uint64_t status = read ? json::number_of(read.value(), "status") : 0;
  if (read) {
    out.content_type = json::text_of(read.value(), "content_type");
    out.headers = json::text_of(read.value(), "headers");
  }
  const bool sound = end != std::string_view::npos && read && json::number_of(read.value(), "v") == version &&
                     status >= 200 && status <= 599 && are_lines(out.headers) &&
                     out.content_type.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos;
  if (!sound) {
    return Error{ErrorCode::invalid_argument, "is not an answer that this version knows", "", 0, 0};
  }
  out.status = static_cast<int>(status);
  out.body = text.substr(end + 1);
  return out;
}

}  // namespace plumb::proxy
