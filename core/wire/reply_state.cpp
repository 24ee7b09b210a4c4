#include "core/wire/reply_state.hpp"

#include <utility>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/require.hpp"
#include "core/text/utf8.hpp"
#include "core/wire/usage_numbers.hpp"

namespace plumb::wire {

namespace {

constexpr std::size_t name_code_points_max = 256;
constexpr std::size_t surrogate_size = 3;

// U+D800 to U+DBFF where `first` is 0xA0, U+DC00 to U+DFFF where it is 0xB0, by itself in three bytes.
bool is_half(std::string_view bytes, unsigned first) {
  return bytes.size() == surrogate_size && bytes[0] == '\xED' &&
         (static_cast<unsigned char>(bytes[1]) & 0xF0U) == first;
}

char32_t half_value(std::string_view bytes) {
  const auto low_bits = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[i]) & 0x3FU);
  };
  return 0xD000 | low_bits(1) << 6U | low_bits(2);
}

}  // namespace

std::string_view text_member(const json::Value& object, std::string_view name) {
  const json::Value* const value = object.find(name);
  return value != nullptr && value->is(json::Kind::string) ? value->str() : std::string_view();
}

bool uint_member(const json::Value& object, std::string_view name, std::uint64_t& number) {
  const json::Value* const value = object.find(name);
  return value != nullptr && value->is(json::Kind::number) && read_count(value->str(), number);
}

void ReplyState::begin_event() {
  deltas_.clear();
  arena_.clear();
}

bool ReplyState::fits(std::size_t bytes) {
  if (failure_) {
    return false;
  }
  if (bytes > answer_bytes_max_ - answer_bytes_) {
    std::string message = "The answer is longer than ";
    json::append_uint(message, answer_bytes_max_);
    message += " bytes";
    fail(FailureClass::limit, message);
    return false;
  }
  answer_bytes_ += bytes;
  return true;
}

void ReplyState::emit_text(DeltaKind kind, std::string_view piece) {
  if (piece.empty() || !fits(piece.size())) {
    return;
  }
  std::string& whole = kind == DeltaKind::text       ? reply_.text
                       : kind == DeltaKind::thinking ? reply_.thinking
                                                     : reply_.refusal;
  whole += piece;
  ModelDelta delta;
  delta.kind = kind;
  delta.text = piece;
  delta.item = kind == DeltaKind::text ? std::string_view(reply_.text_item) : std::string_view();
  deltas_.push_back(delta);
}

// The other half did not come: it is told as it is.
void ReplyState::release_half() {
  if (!half_.empty()) {
    const std::string_view half = arena_.copy(half_);
    half_.clear();
    emit_text(half_kind_, half);
  }
}

void ReplyState::add_text(DeltaKind kind, std::string_view piece) {
  if (piece.empty()) {
    return;
  }
  if (!half_.empty() && half_kind_ == kind && is_half(piece.substr(0, surrogate_size), 0xB0)) {
    const char32_t high = half_value(half_) - 0xD800;
    const char32_t low = half_value(piece.substr(0, surrogate_size)) - 0xDC00;
    std::string joined;
    text::append_utf8(joined, 0x10000 + (high << 10U) + low);
    half_.clear();
    joined += piece.substr(surrogate_size);
    piece = arena_.copy(joined);
  } else {
    release_half();
  }
  if (piece.size() >= surrogate_size && is_half(piece.substr(piece.size() - surrogate_size), 0xA0)) {
    half_ = piece.substr(piece.size() - surrogate_size);
    half_kind_ = kind;
    piece.remove_suffix(surrogate_size);
  }
  emit_text(kind, piece);
}

void ReplyState::set_text_item(std::string_view id) {
  if (reply_.text_item.empty()) {
    reply_.text_item = json::excerpt(id, name_code_points_max);
  }
}

void ReplyState::set_members(std::vector<ExtraMember> members) { reply_.members = std::move(members); }

void ReplyState::add_other(std::string_view json) {
  if (json.empty() || !fits(json.size())) {
    return;
  }
  if (reply_.others.size() == calls_max) {
    fail(FailureClass::limit, "The answer has more than 1024 items that are no text and no call");
    return;
  }
  reply_.others.push_back({std::string(json), !reply_.text.empty(), static_cast<std::uint32_t>(reply_.calls.size())});
  ModelDelta delta;
  delta.kind = DeltaKind::other;
  delta.text = arena_.copy(json);
  deltas_.push_back(delta);
}

std::uint32_t ReplyState::begin_call(std::string_view id, std::string_view name, std::string_view item) {
  if (!fits(id.size() + name.size() + item.size())) {
    return 0;
  }
  if (reply_.calls.size() == calls_max) {
    fail(FailureClass::limit, "The answer has more than 1024 tool calls");
    return 0;
  }
  const auto index = static_cast<std::uint32_t>(reply_.calls.size());
  ToolCall call;
  call.id = id;
  call.name = name;
  call.item = item;
  reply_.calls.push_back(std::move(call));
  ModelDelta delta;
  delta.kind = DeltaKind::call_begin;
  delta.index = index;
  delta.id = id;
  delta.name = name;
  delta.item = item;
  deltas_.push_back(delta);
  return index;
}

void ReplyState::add_arguments(std::uint32_t call, std::string_view piece) {
  if (piece.empty() || !fits(piece.size())) {
    return;
  }
  PLUMB_REQUIRE(call < reply_.calls.size(), "a call begins before its arguments");
  reply_.calls[call].arguments += piece;
  ModelDelta delta;
  delta.kind = DeltaKind::call_arguments;
  delta.index = call;
  delta.text = piece;
  deltas_.push_back(delta);
}

void ReplyState::add_arguments(std::uint32_t call, const json::Value& arguments) {
  add_arguments(call, arena_.copy(json::value_text(arguments)));
}

void ReplyState::set_names(std::string_view id, std::string_view model) {
  if (reply_.id.empty()) {
    reply_.id = json::excerpt(id, name_code_points_max);
  }
  if (reply_.model.empty()) {
    reply_.model = json::excerpt(model, name_code_points_max);
  }
}

void ReplyState::set_usage(const Usage& usage) {
  reply_.usage = usage;
  ModelDelta delta;
  delta.kind = DeltaKind::usage;
  deltas_.push_back(delta);
}

void ReplyState::set_finish(Finish finish, std::string_view word) {
  release_half();
  if (finish == Finish::stop && !reply_.refusal.empty()) {
    finish = Finish::refusal;
  } else if (finish == Finish::stop && !reply_.calls.empty()) {
    finish = Finish::tool_calls;
  } else if (finish == Finish::tool_calls && reply_.calls.empty() && !structured_tool_.empty()) {
    finish = Finish::stop;
  }
  // A call that has said nothing of its arguments has none, unless the answer was broken off.
  const bool broken_off = finish == Finish::length || finish == Finish::content_filter;
  for (std::size_t i = 0; i < reply_.calls.size() && !broken_off; ++i) {
    if (ascii::only(reply_.calls[i].arguments, ascii::spaces)) {
      add_arguments(static_cast<std::uint32_t>(i), "{}");
    }
  }
  reply_.finish = finish;
  reply_.finish_text = json::excerpt(word, name_code_points_max);
  ModelDelta delta;
  delta.kind = DeltaKind::finish;
  deltas_.push_back(delta);
}

void ReplyState::fail(Failure failure) {
  if (!failure_) {
    failure_ = std::move(failure);
  }
}

ReplyState::Block* ReplyState::find_block(std::uint64_t number) {
  for (std::size_t i = blocks_.size(); i > 0; --i) {
    if (blocks_[i - 1].number == number) {
      return &blocks_[i - 1];
    }
  }
  return nullptr;
}

ReplyState::Block* ReplyState::add_block(std::uint64_t number, BlockKind kind, std::uint32_t call) {
  if (blocks_.size() == blocks_max) {
    fail(FailureClass::limit, "The answer has more than 10000 parts");
    return nullptr;
  }
  blocks_.push_back({number, kind, call, false});
  return &blocks_.back();
}

}  // namespace plumb::wire
