#include "native/proxy/client_answer.hpp"

#include <utility>

#include "core/wire/facet.hpp"
#include "core/wire/reply_writer.hpp"

namespace plumb::proxy {

namespace {

constexpr std::string_view json_type = "application/json";

}  // namespace

std::string retry_fields(const wire::Failure& failure) {
  if (!failure.retry_after_ms) {
    return {};
  }
  return "retry-after: " + std::to_string((*failure.retry_after_ms + 999) / 1'000) +
         "\r\nretry-after-ms: " + std::to_string(*failure.retry_after_ms) + "\r\n";
}

std::string_view ClientAnswer::stream_type() const { return wire::stream_type(facet_of(wire_)); }

void ClientAnswer::remember(std::string_view bytes) {
  if (kept_max_ == 0 || too_much_) {
    return;
  }
  if (kept_.size() + bytes.size() > kept_max_) {
    too_much_ = true;
    std::string().swap(kept_);
    return;
  }
  kept_ += bytes;
}

// Without the keys that are known here. A piece that was changed stays until the next one.
std::string_view ClientAnswer::safe(std::string_view bytes) {
  if (provider_secret_ != nullptr) {
    bytes = provider_secret_->hidden(bytes, changed_);
  }
  return client_secret_ ? client_secret_->hidden(bytes, changed_) : bytes;
}

// The same of a piece that may end in the middle of a key: that end waits for the next piece.
std::string_view ClientAnswer::safe_piece(std::string_view bytes) {
  std::string joined;
  if (!held_.empty()) {
    joined = std::exchange(held_, {});
    joined += bytes;
    bytes = joined;
  }
  std::string_view out = safe(bytes);
  std::size_t begun = provider_secret_ != nullptr ? provider_secret_->begun_at_end(out) : 0;
  if (client_secret_) {
    begun = std::max(begun, client_secret_->begun_at_end(out));
  }
  held_ = out.substr(out.size() - begun);
  out.remove_suffix(begun);
  if (!joined.empty() && out.data() != changed_.data()) {
    changed_ = out;
    out = changed_;
  }
  return out;
}

bool ClientAnswer::send(std::string_view bytes) {
  released_ = true;
  remember(bytes);
  return client_->write(bytes);
}

void ClientAnswer::begin(int status, std::string_view content_type, std::uint64_t length) {
  begun_ = true;
  status_ = status;
  content_type_ = content_type;
  std::string lines;
  lines.reserve(content_type.size() + fields_.size() + passed_.size() + added_.size() + provider_id_.size() + 120);
  lines += "content-type: ";
  lines += content_type;
  lines += "\r\n";
  if (content_type == stream_type()) {
    lines += "cache-control: no-cache\r\nx-accel-buffering: no\r\n";
  }
  lines += fields_;
  lines += passed_;
  lines += added_;
  if (attempts_ != 0) {
    lines.append("x-plumb-attempts: ").append(std::to_string(attempts_)).append("\r\n");
  }
  if (tokens_ != 0 && length != Client::unknown) {
    lines.append("x-plumb-tokens: ").append(std::to_string(tokens_)).append("\r\n");
  }
  if (status >= 400 && final_) {
    lines += "x-should-retry: false\r\n";
  }
  if (!provider_id_.empty()) {
    lines.append("x-plumb-provider-request-id: ").append(provider_id_).append("\r\n");
  }
  client_->begin(status, lines, length);
}

bool ClientAnswer::stream(std::string_view bytes) {
  if (client_ == nullptr || bytes.empty()) {
    return true;
  }
  if (!begun_) {
    begin(200, stream_type(), Client::unknown);
  }
  // Events come whole, but for one that is too long to be held.
  return send(held_.empty() && bytes.back() == '\n' ? safe(bytes) : safe_piece(bytes));
}

void ClientAnswer::keep_alive(std::uint64_t now_ms) {
  // Lines have no comments.
  if (client_ == nullptr || facet_of(wire_).lines) {
    return;
  }
  if (!begun_) {
    begin(200, stream_type(), Client::unknown);
  }
  client_->write(": keep-alive\n\n");
  sent_at_ms_ = now_ms;
}

bool ClientAnswer::body(std::string_view content_type, std::string_view bytes) {
  if (client_ == nullptr) {
    return true;
  }
  if (!begun_) {
    begin(200, content_type, Client::unknown);
  }
  return send(safe_piece(bytes));
}

void ClientAnswer::end() {
  if (client_ == nullptr) {
    return;
  }
  if (!begun_) {
    begin(200, stream_ ? stream_type() : json_type, Client::unknown);
  }
  if (!held_.empty()) {
    send(std::exchange(held_, {}));
  }
  client_->end();
  client_ = nullptr;
}

void ClientAnswer::whole(int status, std::string_view content_type, std::string_view body) {
  if (client_ == nullptr) {
    return;
  }
  body = safe(body);
  released_ = true;
  remember(body);
  begin(status, content_type, body.size());
  client_->write(body);
  client_->end();
  client_ = nullptr;
}

void ClientAnswer::again(const StoredReply& reply) {
  if (client_ == nullptr) {
    return;
  }
  added_ += reply.headers;
  begin(reply.status, reply.content_type, reply.body.size());
  client_->write(reply.body);
  client_->end();
  client_ = nullptr;
}

void ClientAnswer::fail(const wire::Failure& failure, ErrorEnd how) {
  if (client_ == nullptr) {
    return;
  }
  too_much_ = true;
  std::string text;
  if (!begun_) {
    wire::append_failure(text, wire_, failure);
    passed_ = retry_fields(failure);
    const std::string_view said = safe(text);
    begin(wire::status_of(failure), json_type, said.size());
    client_->write(said);
    client_->end();
  } else {
    if (stream_) {
      wire::ReplyHead head;
      head.sequence = sequence_;
      wire::StreamWriter(wire_, std::move(head)).fail(text, failure);
      client_->write(safe(text));
    }
    if (stream_ && how == ErrorEnd::clean) {
      client_->end();
    } else {
      client_->cut();
    }
  }
  client_ = nullptr;
}

void ClientAnswer::cut() {
  if (client_ != nullptr) {
    client_->cut();
  }
  client_ = nullptr;
}

std::shared_ptr<const StoredReply> ClientAnswer::kept() const {
  if (kept_max_ == 0 || too_much_ || !begun_) {
    return nullptr;
  }
  return std::make_shared<const StoredReply>(StoredReply{status_, content_type_, kept_, added_});
}

}  // namespace plumb::proxy
