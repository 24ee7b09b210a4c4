#include "core/wire/response_events.hpp"

#include <array>
#include <utility>

#include "core/json/number_text.hpp"
#include "core/require.hpp"
#include "core/wire/reply_writer.hpp"
#include "core/wire/sse.hpp"

namespace plumb::wire {

namespace {

struct Member {
  std::string_view name, usual;
};
// What a response repeats of its request.
constexpr std::array<Member, 16> members = {{
    {"background", "false"},
    {"instructions", "null"},
    {"max_output_tokens", "null"},
    {"max_tool_calls", "null"},
    {"metadata", "{}"},
    {"parallel_tool_calls", "true"},
    {"previous_response_id", "null"},
    {"reasoning", R"({"effort":null,"summary":null})"},
    {"store", "false"},
    {"temperature", "null"},
    {"text", R"({"format":{"type":"text"}})"},
    {"tool_choice", R"("auto")"},
    {"tools", "[]"},
    {"top_p", "null"},
    {"truncation", R"("disabled")"},
    {"user", "null"},
}};

std::string_view part_type(DeltaKind kind) {
  return kind == DeltaKind::text ? "output_text" : kind == DeltaKind::refusal ? "refusal" : "reasoning_text";
}

std::string event_type(DeltaKind kind, std::string_view what) {
  return std::string("response.").append(part_type(kind)).append(".").append(what);
}

void write_part(json::Writer& json, DeltaKind kind, std::string_view text) {
  json.begin_object().member("type", part_type(kind));
  json.member(kind == DeltaKind::refusal ? "refusal" : "text", text);
  if (kind == DeltaKind::text) {
    json.key("annotations").begin_array().end_array().key("logprobs").begin_array().end_array();
  }
  json.end_object();
}

void write_usage(json::Writer& json, const Usage& usage) {
  json.begin_object().member_uint("input_tokens", usage.input_tokens).key("input_tokens_details").begin_object();
  json.member_uint("cached_tokens", usage.cached_tokens).end_object();
  json.member_uint("output_tokens", usage.output_tokens).key("output_tokens_details").begin_object();
  json.member_uint("reasoning_tokens", usage.reasoning_tokens).end_object();
  json.member_uint("total_tokens", usage.input_tokens + usage.output_tokens).end_object();
}

// A refusal without a text of its own (Anthropic's) must not look like any other end.
std::string_view incomplete_reason(const ModelReply& reply) {
  const bool filtered =
      reply.finish == Finish::content_filter || (reply.finish == Finish::refusal && reply.refusal.empty());
  return reply.finish == Finish::length ? "max_output_tokens" : filtered ? "content_filter" : std::string_view();
}

}  // namespace

std::vector<ExtraMember> response_members(std::string_view body) {
  json::Arena arena;
  const Result<json::Value> request = json::parse(body, arena);
  std::vector<ExtraMember> out;
  for (const Member& member : members) {
    const json::Value* const said = request ? request.value().find(member.name) : nullptr;
    out.push_back({std::string(member.name), said == nullptr ? std::string(member.usual) : json::value_text(*said)});
  }
  return out;
}

ResponseEvents::ResponseEvents(ReplyHead head) : head_(std::move(head)), sequence_(head_.sequence) {
  if (head_.members.empty()) {
    head_.members = response_members({});
  }
}

template <class Write>
void ResponseEvents::event(std::string& out, std::string_view type, Write&& write) {
  std::string text;
  json::Writer json(text);
  json.begin_object().member("type", type).member_uint("sequence_number", sequence_++);
  write(json);
  json.end_object();
  append_sse(out, text, type);
}

// The provider's id, else one of the answer's own.
std::string ResponseEvents::id_of(std::string_view prefix, std::string_view told, std::size_t index) const {
  if (!told.empty()) {
    return std::string(told);
  }
  std::string id(prefix);
  id.append(head_.id, head_.id.find('_') + 1).append("_");
  json::append_uint(id, index);
  return id;
}

void ResponseEvents::write_item(json::Writer& json, const Item& item, bool done) const {
  if (item.kind == Kind::other) {
    json.raw(item.json);
    return;
  }
  const std::string_view status = done ? "completed" : "in_progress";
  json.begin_object().member("id", item.id);
  if (item.kind == Kind::call) {
    json.member("type", "function_call").member("status", status).member("arguments", item.call.arguments);
    json.member("call_id", item.call.id).member("name", item.call.name).end_object();
    return;
  }
  if (item.kind == Kind::message) {
    json.member("type", "message").member("status", status).member("role", "assistant");
  } else {
    json.member("type", "reasoning").key("summary").begin_array().end_array();
  }
  json.key("content").begin_array();
  for (const Part& part : item.parts) {
    write_part(json, part.kind, part.text);
  }
  json.end_array().end_object();
}

void ResponseEvents::write_response(json::Writer& json, std::string_view status, const ModelReply* reply,
                                    std::string_view plumb) const {
  json.begin_object().member("id", head_.id).member("object", "response").member_uint("created_at", head_.created_s);
  json.member("status", status).key("error").null().key("incomplete_details");
  const std::string_view reason = reply == nullptr ? std::string_view() : incomplete_reason(*reply);
  if (reason.empty()) {
    json.null();
  } else {
    json.begin_object().member("reason", reason).end_object();
  }
  json.member("model", head_.model).key("output").begin_array();
  for (const Item& item : items_) {
    if (reply != nullptr) {
      write_item(json, item, true);
    }
  }
  json.end_array().key("usage");
  if (reply != nullptr && reply->usage.known) {
    write_usage(json, reply->usage);
  } else {
    json.null();
  }
  for (const ExtraMember& member : head_.members) {
    json.key(member.name).raw(member.json);
  }
  if (!plumb.empty()) {
    json.key("plumb").raw(plumb);
  }
  json.end_object();
}

void ResponseEvents::begin(std::string& out) {
  for (const std::string_view type : {"response.created", "response.in_progress"}) {
    event(out, type, [&](json::Writer& json) {
      json.key("response");
      write_response(json, "in_progress", nullptr, {});
    });
  }
}

std::size_t ResponseEvents::add(std::string& out, Item item) {
  const std::size_t index = items_.size();
  items_.push_back(std::move(item));
  event(out, "response.output_item.added", [&](json::Writer& json) {
    json.member_uint("output_index", index).key("item");
    write_item(json, items_[index], false);
  });
  return index;
}

// Where a piece of a text belongs; item and part begin with the first one.
ResponseEvents::Place ResponseEvents::part_of(std::string& out, const ModelDelta& delta) {
  const Kind kind = delta.kind == DeltaKind::thinking ? Kind::reasoning : Kind::message;
  Place place;
  while (place.item < items_.size() && items_[place.item].kind != kind) {
    ++place.item;
  }
  if (place.item == items_.size()) {
    Item item;
    item.kind = kind;
    item.id = id_of(kind == Kind::message ? "msg_" : "rs_", delta.item, place.item);
    add(out, std::move(item));
  }
  Item& item = items_[place.item];
  while (place.part < item.parts.size() && item.parts[place.part].kind != delta.kind) {
    ++place.part;
  }
  if (place.part == item.parts.size()) {
    item.parts.push_back({delta.kind, {}});
    event(out, "response.content_part.added", [&](json::Writer& json) {
      json.member("item_id", item.id).member_uint("output_index", place.item).member_uint("content_index", place.part);
      json.key("part");
      write_part(json, delta.kind, {});
    });
  }
  return place;
}

void ResponseEvents::call_delta(std::string& out, const ModelDelta& delta) {
  if (delta.kind == DeltaKind::call_begin) {
    Item item;
    item.kind = Kind::call;
    item.id = id_of("fc_", delta.item, items_.size());
    item.call.id = delta.id.empty() ? id_of("call_", {}, items_.size()) : std::string(delta.id);
    item.call.name = delta.name;
    calls_.push_back(add(out, std::move(item)));
    return;
  }
  PLUMB_REQUIRE(delta.index < calls_.size(), "a call begins before its arguments");
  const std::size_t index = calls_[delta.index];
  Item& item = items_[index];
  item.call.arguments += delta.text;
  event(out, "response.function_call_arguments.delta", [&](json::Writer& json) {
    json.member("item_id", item.id).member_uint("output_index", index).member("delta", delta.text);
  });
}

void ResponseEvents::delta(std::string& out, const ModelDelta& delta) {
  if (delta.kind == DeltaKind::call_begin || delta.kind == DeltaKind::call_arguments) {
    call_delta(out, delta);
  } else if (delta.kind == DeltaKind::other) {
    Item item;
    item.json = delta.text;
    add(out, std::move(item));
  } else {
    const Place place = part_of(out, delta);
    Item& item = items_[place.item];
    item.parts[place.part].text += delta.text;
    event(out, event_type(delta.kind, "delta"), [&](json::Writer& json) {
      json.member("item_id", item.id).member_uint("output_index", place.item).member_uint("content_index", place.part);
      json.member("delta", delta.text);
      if (delta.kind == DeltaKind::text) {
        json.key("logprobs").begin_array().end_array();
      }
    });
  }
}

void ResponseEvents::end_item(std::string& out, std::size_t index) {
  const Item& item = items_[index];
  for (std::size_t i = 0; i < item.parts.size(); ++i) {
    const Part& part = item.parts[i];
    const auto place = [&](json::Writer& json) {
      json.member("item_id", item.id).member_uint("output_index", index).member_uint("content_index", i);
    };
    event(out, event_type(part.kind, "done"), [&](json::Writer& json) {
      place(json);
      json.member(part.kind == DeltaKind::refusal ? "refusal" : "text", part.text);
      if (part.kind == DeltaKind::text) {
        json.key("logprobs").begin_array().end_array();
      }
    });
    event(out, "response.content_part.done", [&](json::Writer& json) {
      place(json);
      json.key("part");
      write_part(json, part.kind, part.text);
    });
  }
  if (item.kind == Kind::call) {
    event(out, "response.function_call_arguments.done", [&](json::Writer& json) {
      json.member("item_id", item.id).member_uint("output_index", index).member("name", item.call.name);
      json.member("arguments", item.call.arguments);
    });
  }
  event(out, "response.output_item.done", [&](json::Writer& json) {
    json.member_uint("output_index", index).key("item");
    write_item(json, item, true);
  });
}

void ResponseEvents::end(std::string& out, const ModelReply& reply, std::string_view plumb) {
  for (std::size_t i = 0; i < items_.size(); ++i) {
    end_item(out, i);
  }
  append_plumb_note(out, Wire::responses, head_, plumb);
  const std::string_view status = incomplete_reason(reply).empty() ? "completed" : "incomplete";
  event(out, std::string("response.").append(status), [&](json::Writer& json) {
    json.key("response");
    write_response(json, status, &reply, {});
  });
}

void ResponseEvents::fail(std::string& out, const Failure& failure, std::string_view plumb) {
  event(out, "error", [&](json::Writer& json) {
    json.member("code", failure.code.empty() ? failure_class_name(failure.failure_class) : failure.code);
    json.member("message", failure.message).key("param").null();
    // ... and as the other errors of this interface, which is what official clients read.
    std::string whole;
    append_failure(whole, Wire::responses, failure, plumb);
    json::Arena arena;
    const Result<json::Value> read = json::parse(whole, arena);
    if (const json::Value* const error = read ? read.value().find("error") : nullptr) {
      json.key("error").value(*error);
    }
  });
}

void ResponseEvents::whole(std::string& out, const ModelReply& reply, std::string_view plumb) {
  std::string events;
  std::size_t other = 0;
  const auto others = [&](bool behind_text, std::uint32_t calls) {
    while (other < reply.others.size() && (behind_text || !reply.others[other].behind_text) &&
           reply.others[other].behind_calls <= calls) {
      delta(events, {DeltaKind::other, 0, reply.others[other++].json, {}, {}});
    }
  };
  if (!reply.thinking.empty()) {
    delta(events, {DeltaKind::thinking, 0, reply.thinking, {}, {}});
  }
  others(false, 0);
  if (!reply.text.empty() || (reply.calls.empty() && reply.refusal.empty())) {
    delta(events, {DeltaKind::text, 0, reply.text, {}, {}, reply.text_item});
  }
  if (!reply.refusal.empty()) {
    delta(events, {DeltaKind::refusal, 0, reply.refusal, {}, {}, reply.text_item});
  }
  for (std::size_t i = 0; i < reply.calls.size(); ++i) {
    const auto index = static_cast<std::uint32_t>(i);
    others(true, index);
    const ToolCall& call = reply.calls[i];
    delta(events, {DeltaKind::call_begin, index, {}, call.id, call.name, call.item});
    delta(events, {DeltaKind::call_arguments, index, call.arguments, {}, {}});
  }
  others(true, static_cast<std::uint32_t>(reply.calls.size()));
  json::Writer json(out);
  write_response(json, incomplete_reason(reply).empty() ? "completed" : "incomplete", &reply, plumb);
}

}  // namespace plumb::wire
