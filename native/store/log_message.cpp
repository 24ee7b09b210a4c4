#include "native/store/log_message.hpp"

#include <array>
#include <memory>
#include <utility>

#include "core/json/arena.hpp"
#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::store {

namespace {

constexpr std::uint64_t log_format = 1;
// Of what a plumb that knows no projects would give to everybody: it refuses to read on.
constexpr std::uint64_t project_format = 2;
constexpr std::array<std::string_view, 7> names = {"create", "append", "take", "waits", "adopt", "gone", "claim"};

Error unknown(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

bool read_state(std::string_view name, run::State& state) {
  for (const run::State one : {run::State::waiting, run::State::done, run::State::failed, run::State::cancelled}) {
    if (run::state_name(one) == name) {
      state = one;
      return true;
    }
  }
  return false;
}

void write_row(json::Writer& json, const RunRow& row) {
  json.key("row").begin_object();
  json.member("pipeline", row.pipeline).member_uint("version", row.version).member("owner", row.owner);
  json.member("fingerprint", row.fingerprint).member("request_key", row.request_key);
  json.member("state", run::state_name(row.state)).member("error", row.error);
  json.member_uint("created_ms", row.created_ms).member_uint("changed_ms", row.changed_ms);
  json.member("forked_from", row.forked_from).member_boolean("imported", row.imported);
  if (!row.project.empty()) {
    json.member("project", row.project);
  }
  json.end_object();
}

bool read_row(const json::Value& value, RunRow& row) {
  row.pipeline = json::text_of(value, "pipeline");
  row.version = json::number_of(value, "version");
  row.owner = json::text_of(value, "owner");
  row.fingerprint = json::text_of(value, "fingerprint");
  row.request_key = json::text_of(value, "request_key");
  row.error = json::text_of(value, "error");
  row.created_ms = json::number_of(value, "created_ms");
  row.changed_ms = json::number_of(value, "changed_ms");
  row.forked_from = json::text_of(value, "forked_from");
  row.imported = json::flag_of(value, "imported");
  row.project = json::text_of(value, "project");
  return read_state(json::text_of(value, "state"), row.state);
}

void write_entries(json::Writer& json, const Batch& entries, const std::set<std::string>& elsewhere) {
  json.key("entries").begin_array();
  for (const run::Stored& entry : *entries) {
    json.begin_object().member_uint("n", entry.number).member("line", entry.line);
    if (!entry.blobs.empty()) {
      json.key("texts").begin_array();
      for (const run::Blob& blob : entry.blobs) {
        json.begin_object().member("hash", blob.hash);
        if (blob.text.size() <= inline_bytes && elsewhere.count(blob.hash) == 0) {
          json.member("text", blob.text);
        }
        json.end_object();
      }
      json.end_array();
    }
    json.end_object();
  }
  json.end_array();
}

Batch read_entries_of(const json::Value& value, std::vector<TextPlace>& missing) {
  auto out = std::make_shared<std::vector<run::Stored>>();
  for (const json::Value& one : json::list_of(value, "entries")) {
    run::Stored entry;
    entry.number = json::number_of(one, "n");
    entry.line = json::text_of(one, "line");
    for (const json::Value& text : json::list_of(one, "texts")) {
      const json::Value* here = text.find("text");
      if (here == nullptr) {
        missing.push_back({out->size(), entry.blobs.size()});
      }
      entry.blobs.push_back(
          {std::string(json::text_of(text, "hash")), here == nullptr ? std::string() : std::string(here->str())});
    }
    out->push_back(std::move(entry));
  }
  return out;
}

}  // namespace

std::string op_text(const LoggedOp& op, const std::set<std::string>& elsewhere) {
  std::string out;
  json::Writer json(out);
  const bool of_project = op.op == LogOp::create && !op.row.project.empty();
  json.begin_object().member_uint("v", of_project ? project_format : log_format);
  json.member("op", names.at(static_cast<std::size_t>(op.op)));
  json.member("run", op.run);
  switch (op.op) {
    case LogOp::create:
      write_row(json, op.row);
      write_entries(json, op.entries, elsewhere);
      break;
    case LogOp::append:
      json.member_uint("expected", op.expected).member_uint("at_ms", op.change.at_ms);
      json.member("state", run::state_name(op.change.state)).member("error", op.change.error);
      write_entries(json, op.entries, elsewhere);
      break;
    case LogOp::waits:
      json.member("why", op.why);
      break;
    case LogOp::claim:
      json.member("by", op.wish.by).member_boolean("release", op.wish.release).key("names").begin_array();
      for (const std::string& name : op.wish.names) {
        json.string(name);
      }
      json.end_array();
      break;
    case LogOp::take:
    case LogOp::adopt:
    case LogOp::gone:
      break;
  }
  json.end_object();
  return out;
}

std::string body_reference(const std::string& name) {
  std::string out;
  json::Writer(out).begin_object().member_uint("v", log_format).member("body", name).end_object();
  return out;
}

std::string body_name_in(std::string_view text) {
  if (text.size() > inline_bytes || text.find("\"body\":") == std::string_view::npos) {
    return {};
  }
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  return value ? std::string(json::text_of(value.value(), "body")) : std::string();
}

Result<LoggedOp> read_op(std::string_view text, std::vector<TextPlace>& missing) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(text, arena);
  if (!read) {
    return unknown("a message of the log is not JSON: " + read.error().message);
  }
  const json::Value& value = read.value();
  const std::uint64_t format = json::number_of(value, "v");
  if (format < log_format || format > project_format) {
    return unknown("a message of the log has version " + std::to_string(format) + ", this plumb knows up to " +
                   std::to_string(project_format) + "; use the plumb that wrote it, or a later one");
  }
  LoggedOp op;
  const std::string_view name = json::text_of(value, "op");
  std::size_t at = 0;
  while (at < names.size() && names.at(at) != name) {
    ++at;
  }
  op.run = json::text_of(value, "run");
  if (at == names.size() || op.run.empty()) {
    return unknown("a message of the log is of a kind that this plumb does not know: '" + std::string(name) +
                   "'; use the plumb that wrote it, or a later one");
  }
  op.op = static_cast<LogOp>(at);
  bool sound = true;
  if (op.op == LogOp::create) {
    const json::Value* row = value.find("row");
    sound = row != nullptr && read_row(*row, op.row);
    op.row.id = op.run;
    op.entries = read_entries_of(value, missing);
  } else if (op.op == LogOp::append) {
    op.expected = json::number_of(value, "expected");
    op.change.at_ms = json::number_of(value, "at_ms");
    op.change.error = json::text_of(value, "error");
    sound = read_state(json::text_of(value, "state"), op.change.state);
    op.entries = read_entries_of(value, missing);
  } else if (op.op == LogOp::waits) {
    op.why = json::text_of(value, "why");
  } else if (op.op == LogOp::claim) {
    op.wish.run = op.run;
    op.wish.by = json::text_of(value, "by");
    op.wish.release = json::flag_of(value, "release");
    op.wish.names = json::texts_of(value, "names");
  }
  if (!sound) {
    return unknown("a message of the log has a state that this plumb does not know");
  }
  return op;
}

}  // namespace plumb::store
