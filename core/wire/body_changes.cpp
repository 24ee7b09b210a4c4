// A body changed in place: member by member, each as it is or with another value, and what is between them as it was.
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/wire/client_request.hpp"

namespace plumb::wire {

namespace {

bool same(const BodyRange& a, const BodyRange& b) { return a.there() && a.from == b.from; }

// The options of a stream with `include_usage` set; what else they say stays.
std::string with_usage(std::string_view options) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json::Arena arena;
  const Result<json::Value> value = json::parse(options, arena);
  for (const json::Member& member : value ? value.value().object() : std::span<const json::Member>()) {
    if (member.key != "include_usage") {
      json.key(member.key).value(member.value);
    }
  }
  json.member_boolean("include_usage", true).end_object();
  return out;
}

class BodyWriter {
 public:
  BodyWriter(std::string_view body, const ClientRequest& request, const BodyChanges& changes)
      : body_(body), request_(request), changes_(changes) {}

  std::string write() {
    out_.reserve(body_.size() + changes_.members.size() + changes_.model.size() + 64);
    const std::size_t begin = body_.find('{') + 1;
    std::size_t behind = begin;  // the end of the member before, or the opening brace
    for (const ClientRequest::Member& member : request_.members) {
      if (!removed(member.value)) {
        out_ += body_.substr(0, any_ ? 0 : begin);
        // What precedes a member belongs to it; a comma only where another member has been written.
        out_ += any_ || behind == begin ? body_.substr(behind, member.key_from - behind) : std::string_view();
        any_ = true;
        out_ += body_.substr(member.key_from, member.value.from - member.key_from);
        write_value(member.value);
      }
      behind = member.value.to;
    }
    if (!any_) {
      out_ += body_.substr(0, begin);
    }
    append_missing();
    out_ += body_.substr(behind);
    return std::move(out_);
  }

 private:
  bool removed(const BodyRange& value) const {
    return (changes_.remove_plumb && same(value, request_.plumb_at)) ||
           (changes_.stream == false && same(value, request_.stream_options_at));
  }

  void write_value(const BodyRange& value) {
    if (!changes_.model.empty() && same(value, request_.model_at)) {
      json::append_string(out_, changes_.model);
    } else if (changes_.stream && same(value, request_.stream_at)) {
      out_ += *changes_.stream ? "true" : "false";
    } else if (wants_usage() && same(value, request_.stream_options_at)) {
      out_ += with_usage(value.in(body_));
    } else {
      out_ += value.in(body_);
    }
  }

  bool wants_usage() const {
    return changes_.include_usage && request_.wire == Wire::openai && !request_.include_usage &&
           changes_.stream.value_or(request_.stream);
  }

  void append(std::string_view members) {
    out_ += any_ ? "," : "";
    out_ += members;
    any_ = true;
  }

  void append_missing() {
    if (changes_.stream && !request_.stream_at.there()) {
      append(*changes_.stream ? R"("stream":true)" : R"("stream":false)");
    }
    if (wants_usage() && !request_.stream_options_at.there()) {
      append(R"("stream_options":{"include_usage":true})");
    }
    if (!changes_.members.empty()) {
      append(changes_.members);
    }
  }

  std::string_view body_;
  const ClientRequest& request_;
  const BodyChanges& changes_;
  std::string out_;
  bool any_ = false;
};

}  // namespace

std::string changed_body(std::string_view body, const ClientRequest& request, const BodyChanges& changes) {
  return BodyWriter(body, request, changes).write();
}

}  // namespace plumb::wire
