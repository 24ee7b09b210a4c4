#include "native/proxy/client_answer.hpp"

#include "core/wire/reply_writer.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view json_type = "application/json";
constexpr std::string_view stream_type = "text/event-stream; charset=utf-8";

}  // namespace

std::string retry_fields(const wire::Failure& failure) {
  if (!failure.retry_after_ms)
    return {};
  return "retry-after: " + std::to_string((*failure.retry_after_ms + 999) / 1'000) +
         "\r\nretry-after-ms: " + std::to_string(*failure.retry_after_ms) + "\r\n";
}

void ClientAnswer::remember(std::string_view bytes) {
  if (kept_max_ == 0 || too_much_)
    return;
  if (kept_.size() + bytes.size() > kept_max_) {
    too_much_ = true;
    std::string().swap(kept_);
    return;
  }
  kept_ += bytes;
}

void ClientAnswer::begin(int status, std::string_view content_type, std::uint64_t length) {
  begun_ = true;
  status_ = status;
  content_type_ = content_type;
  std::string lines;
  lines.reserve(content_type.size() + fields_.size() + passed_.size() + added_.size() + 80);
  lines += "content-type: ";
  lines += content_type;
  lines += "\r\n";
  if (content_type == stream_type)
    lines += "cache-control: no-cache\r\nx-accel-buffering: no\r\n";
  lines += fields_;
  lines += passed_;
  lines += added_;
  client_->begin(status, lines, length);
}

bool ClientAnswer::stream(std::string_view bytes) {
  if (client_ == nullptr || bytes.empty())
    return true;
  if (!begun_)
    begin(200, stream_type, Client::unknown);
  released_ = true;
  remember(bytes);
  return client_->write(bytes);
}

void ClientAnswer::keep_alive(std::uint64_t now_ms) {
  if (client_ == nullptr)
    return;
  if (!begun_)
    begin(200, stream_type, Client::unknown);
  client_->write(": keep-alive\n\n");
  sent_at_ms_ = now_ms;
}

bool ClientAnswer::body(std::string_view content_type, std::string_view bytes) {
  if (client_ == nullptr)
    return true;
  if (!begun_)
    begin(200, content_type, Client::unknown);
  released_ = true;
  remember(bytes);
  return client_->write(bytes);
}

void ClientAnswer::end() {
  if (client_ == nullptr)
    return;
  if (!begun_)
    begin(200, stream_ ? stream_type : json_type, Client::unknown);
  client_->end();
  client_ = nullptr;
}

void ClientAnswer::whole(int status, std::string_view content_type, std::string_view body) {
  if (client_ == nullptr)
    return;
  released_ = true;
  remember(body);
  begin(status, content_type, body.size());
  client_->write(body);
  client_->end();
  client_ = nullptr;
}

void ClientAnswer::again(const StoredReply& reply) {
  if (client_ == nullptr)
    return;
  added_ += reply.headers;
  begin(reply.status, reply.content_type, reply.body.size());
  client_->write(reply.body);
  client_->end();
  client_ = nullptr;
}

void ClientAnswer::fail(const wire::Failure& failure, ErrorEnd how) {
  if (client_ == nullptr)
    return;
  too_much_ = true;
  std::string text;
  if (!begun_) {
    wire::append_failure(text, wire_, failure);
    passed_ = retry_fields(failure);
    begin(wire::status_of(failure), json_type, text.size());
    client_->write(text);
    client_->end();
  } else {
    if (stream_) {
      wire::StreamWriter(wire_, {}).fail(text, failure);
      client_->write(text);
    }
    if (stream_ && how == ErrorEnd::clean)
      client_->end();
    else
      client_->cut();
  }
  client_ = nullptr;
}

void ClientAnswer::cut() {
  if (client_ != nullptr)
    client_->cut();
  client_ = nullptr;
}

std::shared_ptr<const StoredReply> ClientAnswer::kept() const {
  if (kept_max_ == 0 || too_much_ || !begun_)
    return nullptr;
  return std::make_shared<const StoredReply>(StoredReply{status_, content_type_, kept_, added_});
}

}  // namespace plumb::proxy
