#include "native/provider/recording.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::provider {

namespace {

// Shorter texts are no keys, and taking them out would break words.
constexpr std::size_t secret_bytes_min = 6;

std::size_t alike(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  return static_cast<std::size_t>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

void take_out(std::string& text, std::string_view secret) {
  constexpr std::string_view mask = "[key]";
  for (std::size_t at = text.find(secret); at != std::string::npos; at = text.find(secret, at + mask.size())) {
    text.replace(at, secret.size(), mask);
  }
}

// The hash of what is asked: how long it may take is no part of it.
std::string hash_of(const run::Data& request) {
  const json::Value& all = request.value();
  if (all.find("idle_ms") == nullptr && all.find("wait_ms") == nullptr) {
    return request.hash();
  }
  std::string text;
  json::Writer json(text);
  json.begin_object();
  for (const json::Member& member : all.object()) {
    if (member.key != "idle_ms" && member.key != "wait_ms") {
      json.key(member.key).value(member.value);
    }
  }
  json.end_object();
  return run::Data::written(std::move(text)).hash();
}

}  // namespace

Result<bool> Recording::read_line(std::string_view text, std::size_t line) {
  const auto refused = [&](std::string message) {
    return Error{ErrorCode::invalid_argument, std::move(message), path_, line, 0};
  };
  json::Arena arena;
  const Result<json::Value> tree = json::parse(text, arena);
  if (!tree) {
    return refused("this line of the recording is not JSON: " + tree.error().message);
  }
  const json::Value* const format = tree.value().find("recording");
  std::uint64_t number = 0;
  if (format == nullptr || !format->is(json::Kind::number) || !json::read_uint(format->str(), number)) {
    return refused("this line is not one of a recording: it has no member 'recording'");
  }
  if (number != recording_format) {
    return refused("this is a recording of format " + std::to_string(number) + "; format 1 is understood");
  }
  const json::Value* const request = tree.value().find("request");
  const json::Value* const value = tree.value().find("value");
  const std::string hash(text_of(tree.value(), "hash"));
  Entry entry;
  entry.line = line;
  entry.phase = text_of(tree.value(), "phase");
  if (request == nullptr || hash.empty() || !run::status_of(text_of(tree.value(), "status"), entry.reply.status)) {
    return refused("this line of the recording lacks a hash, a request or a status");
  }
  entry.request = json::value_text(*request);
  entry.reply.error = text_of(tree.value(), "error");
  if (value != nullptr) {
    entry.reply.value = run::Data::written(json::value_text(*value));
  }
  by_hash_[hash].entries.push_back(entries_.size());
  entries_.push_back(std::move(entry));
  return true;
}

Result<std::unique_ptr<Recording>> Recording::read(const std::string& path) {
  const Result<std::string> text = plumb::read_file(path, recording_bytes_max);
  if (!text) {
    return Error{text.error().code, "the recording cannot be read: " + text.error().message, path, 0, 0};
  }
  std::unique_ptr<Recording> recording(new Recording(path));
  std::string_view rest = text.value();
  for (std::size_t line = 1; !rest.empty(); ++line) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view one = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (ascii::only(one, ascii::line_blanks)) {
      continue;
    }
    const Result<bool> read = recording->read_line(one, line);
    if (!read) {
      return read.error();
    }
  }
  if (recording->entries_.empty()) {
    return Error{ErrorCode::invalid_argument, "the recording is empty; --record FILE makes one", path, 0, 0};
  }
  return recording;
}

Result<run::Reply> Recording::answer(const run::Data& request, std::string_view phase) {
  const std::string hash = hash_of(request);
  const std::lock_guard lock(mutex_);
  const auto found = by_hash_.find(hash);
  if (found != by_hash_.end()) {
    Found& of = found->second;
    const Entry& entry = entries_[of.entries[std::min(of.next, of.entries.size() - 1)]];
    ++of.next;
    // Of its own: Data may not be read by two threads for the first time.
    return run::Reply{entry.reply.status, run::Data::written(std::string(entry.reply.value.text())), entry.reply.error};
  }
  // The nearest: of the same phase where there is one, and with the longest beginning that is the same.
  const Entry* nearest = nullptr;
  std::size_t same = 0;
  for (const Entry& entry : entries_) {
    const std::size_t now = alike(entry.request, request.text());
    const bool better_phase = nearest != nullptr && entry.phase == phase && nearest->phase != phase;
    const bool worse_phase = nearest != nullptr && entry.phase != phase && nearest->phase == phase;
    if (nearest == nullptr || better_phase || (!worse_phase && now > same)) {
      nearest = &entry;
      same = now;
    }
  }
  std::string message = "the recording has no answer to this request of the phase " + std::string(phase) + " (" +
                        hash.substr(0, 19) + "); the nearest one is of the phase " + nearest->phase + ", on line " +
                        std::to_string(nearest->line) + ", and differs from byte " + std::to_string(same) +
                        " on: it has '" + json::excerpt(std::string_view(nearest->request).substr(same), 40) +
                        "' where '" + json::excerpt(std::string_view(request.text()).substr(same), 40) + "' is asked";
  return Error{ErrorCode::not_found, std::move(message), path_, 0, 0};
}

Result<std::unique_ptr<Recorder>> Recorder::open(const std::string& path, std::vector<std::string> secrets) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor < 0) {
    return Error{ErrorCode::unavailable, "cannot be recorded to: " + plumb::reason_of(errno), path, 0, 0};
  }
  return std::unique_ptr<Recorder>(new Recorder(path, descriptor, std::move(secrets)));
}

Recorder::~Recorder() { ::close(descriptor_); }

Result<bool> Recorder::add(const run::Data& request, std::string_view phase, const run::Reply& reply) {
  json::Arena arena;
  const Result<json::Value> tree = json::parse(request.text(), arena);
  if (!tree) {
    return tree.error();
  }
  std::string line;
  json::Writer json(line);
  json.begin_object().member_uint("recording", recording_format).member("hash", hash_of(request));
  json.member("phase", phase).key("request").value(tree.value());
  json.member("status", run::status_name(reply.status));
  if (!reply.error.empty()) {
    json.member("error", reply.error);
  }
  json.key("value").raw(reply.value.text()).end_object();
  for (const std::string& secret : secrets_) {
    if (secret.size() < secret_bytes_min) {
      continue;
    }
    std::string written;
    json::append_string(written, secret);
    take_out(line, std::string_view(written).substr(1, written.size() - 2));
  }
  line += '\n';
  const std::lock_guard lock(mutex_);
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t wrote = ::write(descriptor_, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) {
      continue;
    }
    if (wrote < 0) {
      return Error{ErrorCode::unavailable, "the answer could not be recorded: " + plumb::reason_of(errno), path_, 0, 0};
    }
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace plumb::provider
