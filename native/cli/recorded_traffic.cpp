#include "native/cli/recorded_traffic.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/ascii.hpp"
#include "core/run/journal_file.hpp"

namespace plumb::cli {

namespace {

constexpr std::string_view plumb_names = "plumb:";

bool is_json(std::string_view text) {
  json::Arena arena;
  return static_cast<bool>(json::parse(text, arena));
}

// Whether these first lines of a file begin a document, not records a line each.
bool begins_document(std::string_view bytes, wire::RecordedBy by) {
  bytes = ascii::trim_front(bytes);
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  if (bytes.starts_with('[') || !is_json(line)) {
    return true;
  }
  json::Arena arena;
  const Result<json::Value> first = json::parse(line, arena);
  const json::Value* const kind = first.value().find("kind");
  return by == wire::RecordedBy::plumb &&
         (first.value().find("blob") != nullptr || (kind != nullptr && kind->str() == "begin"));
}

void take(const RecordedReading& reading, wire::RecordedAnswer answer, std::uint64_t line, RecordedTexts& out) {
  RecordedText text;
  text.line = line;
  text.record = {std::move(answer.id), std::move(answer.model), std::move(answer.part)};
  text.unanswered = std::move(answer.unanswered);
  if (!text.unanswered.empty()) {
    out.texts.push_back(std::move(text));
  } else if (reading.tool.empty()) {
    // An answer that calls tools is no final answer, whatever it says beside them.
    if (!answer.calls.empty()) {
      ++out.calls_left;
      return;
    }
    text.text = std::move(answer.text);
    out.texts.push_back(std::move(text));
  } else {
    const std::string part = text.record.part;
    std::uint64_t number = 0;
    for (wire::ToolCall& call : answer.calls) {
      if (call.name != reading.tool) {
        continue;
      }
      ++number;
      text.text = std::move(call.arguments);
      text.record.part = part + (part.empty() ? "" : ", ") + "call " + std::to_string(number);
      out.texts.push_back(text);
    }
    if (number == 0) {
      ++(answer.calls.empty() ? out.texts_left : out.calls_left);
    }
  }
}

void take_unanswered(std::uint64_t line, std::string why, RecordedTexts& out) {
  RecordedText text;
  text.line = line;
  text.unanswered = std::move(why);
  out.texts.push_back(std::move(text));
}

void take_lines(const RecordedReading& reading, std::string_view bytes, std::uint64_t number, RecordedTexts& out) {
  Line line;
  for (; take_line(bytes, line); ++number) {
    if (line.blank) {
      continue;
    }
    json::Arena arena;
    const Result<json::Value> record = json::parse(line.text, arena);
    if (!record) {
      take_unanswered(number, "this line is not JSON: " + record.error().message, out);
      continue;
    }
    std::vector<wire::RecordedAnswer> answers;
    if (!wire::read_recorded(reading.by, record.value(), line.text, answers)) {
      ++out.others_left;
    }
    for (wire::RecordedAnswer& answer : answers) {
      take(reading, std::move(answer), number, out);
    }
  }
}

// The contracts of a run, by the names of their pins.
std::map<std::string, std::string, std::less<>> pinned_contracts(const run::Journal& journal) {
  std::map<std::string, std::string, std::less<>> names;
  const json::Value* const pins = journal.begin().data.value().find("pins");
  for (const json::Value& pin : pins == nullptr ? std::span<const json::Value>() : pins->array()) {
    const json::Value* const name = pin.find("name");
    const json::Value* const text = pin.find("text");
    const json::Value* const id = text == nullptr ? nullptr : text->find("$id");
    if (name == nullptr || id == nullptr) {
      continue;
    }
    std::string_view called = id->str();
    if (called.starts_with(plumb_names)) {
      called.remove_prefix(plumb_names.size());
    }
    names[std::string(name->str())] = called;
  }
  return names;
}

void take_journal(const RecordedReading& reading, std::string_view bytes, std::uint64_t first_line,
                  std::string_view contract_name, RecordedTexts& out) {
  const Result<run::JournalFile> file = run::JournalFile::read(bytes);
  const Result<run::Journal> journal = file ? file.value().journal() : Result<run::Journal>(file.error());
  if (!journal) {
    const Error& error = journal.error();
    out.problem = (error.line == 0 ? "" : "line " + std::to_string(error.line) + ": ") + error.message;
    return;
  }
  // Texts that are stored by hash are between the entries.
  std::vector<std::uint64_t> lines;
  Line line;
  for (std::uint64_t number = first_line; take_line(bytes, line); ++number) {
    if (lines.size() < file.value().entries.size() && line.text == file.value().entries[lines.size()].line) {
      lines.push_back(number);
    }
  }
  const auto contracts = pinned_contracts(journal.value());
  std::map<std::string, const run::Entry*, std::less<>> asked;  // model calls that wait for a reply, by key
  for (std::size_t i = 0; i < journal.value().entries().size(); ++i) {
    const run::Entry& entry = journal.value().entries()[i];
    if (entry.kind == run::EntryKind::attempt && entry.name == "model" && !entry.data.is_null()) {
      asked[entry.key] = &entry;
    }
    const auto call = entry.kind == run::EntryKind::reply ? asked.find(entry.key) : asked.end();
    if (call == asked.end()) {
      continue;
    }
    const json::Value* const pin = call->second->data.value().find("contract");
    const auto known = pin == nullptr ? contracts.end() : contracts.find(pin->str());
    asked.erase(call);
    if (known == contracts.end() || known->second != contract_name) {
      ++out.others_left;
      continue;
    }
    wire::RecordedAnswer answer;
    if (entry.status == run::Status::ok) {
      answer = wire::read_journalled(entry.data.value());
    } else {
      answer.unanswered = "the call failed (" + std::string(run::status_name(entry.status)) + "): " + entry.error;
    }
    answer.id = entry.key;
    take(reading, std::move(answer), i < lines.size() ? lines[i] : first_line, out);
  }
  if (out.texts.empty() && out.calls_left == 0) {
    out.problem = "no model of this run was asked for an artifact of the contract " + std::string(contract_name);
    out.problem += contracts.empty() ? "" : "; its contracts are";
    for (const auto& [name, called] : contracts) {
      out.problem += (name == contracts.begin()->first ? " " : ", ") + called;
    }
  }
}

void take_document(const RecordedReading& reading, std::string_view bytes, std::uint64_t first_line,
                   RecordedTexts& out) {
  json::Arena arena;
  const Result<json::Value> read = json::parse(bytes, arena);
  if (!read) {
    // One bad line at the beginning is not the end of a log: where one of the first two is JSON, lines are records.
    const std::string_view begun = ascii::trim_front(bytes);
    const std::size_t end = begun.find('\n');
    const std::string_view rest = end == std::string_view::npos ? std::string_view() : begun.substr(end + 1);
    if (!rest.empty() && (is_json(begun.substr(0, end)) || is_json(rest.substr(0, rest.find('\n'))))) {
      take_lines(reading, bytes, first_line, out);
      return;
    }
    out.problem = "is not JSON: " + read.error().message + " (line " +
                  std::to_string(first_line - 1 + read.error().line) + ", column " +
                  std::to_string(read.error().column) + ")";
    return;
  }
  const bool list = read.value().is(json::Kind::array);
  std::uint64_t line = first_line;
  std::uint64_t counted = 0;  // bytes whose line ends are in `line`
  for (const json::Value& record : list ? read.value().array() : std::span<const json::Value>(&read.value(), 1)) {
    std::vector<wire::RecordedAnswer> answers;
    if (!wire::read_recorded(reading.by, record, bytes, answers)) {
      ++out.others_left;
    }
    for (wire::RecordedAnswer& answer : answers) {
      const std::uint64_t from = std::max(answer.from, counted);
      line += static_cast<std::uint64_t>(std::count(bytes.begin() + static_cast<std::ptrdiff_t>(counted),
                                                    bytes.begin() + static_cast<std::ptrdiff_t>(from), '\n'));
      counted = from;
      take(reading, std::move(answer), line, out);
    }
  }
}

}  // namespace

Result<RecordedFile> RecordedFile::open(const std::string& path, wire::RecordedBy by) {
  Result<LineBatches> lines = LineBatches::open(path);
  if (!lines) {
    return lines.error();
  }
  return RecordedFile(std::move(lines).value(), by);
}

Result<RecordedPiece> RecordedFile::next() {
  Result<LineBatches::Batch> read = lines_.next();
  if (!read) {
    return read.error();
  }
  LineBatches::Batch& batch = read.value();
  if (batch.kind == LineBatches::Kind::end) {
    return RecordedPiece{};
  }
  const std::size_t first = batch.bytes.find_first_not_of(ascii::spaces);
  if (!begun_ && first != std::string::npos) {
    begun_ = true;
    const bool whole_lines = batch.kind == LineBatches::Kind::lines;
    if (whole_lines ? begins_document(batch.bytes, by_) : batch.bytes[first] == '[') {
      return document(std::move(batch));
    }
  }
  if (batch.kind != LineBatches::Kind::lines) {
    return long_line(std::move(batch));
  }
  return RecordedPiece{RecordedPiece::Kind::lines, std::move(batch.bytes), batch.first_line, batch.consumed};
}

// All that is left of the file.
Result<RecordedPiece> RecordedFile::document(LineBatches::Batch batch) {
  RecordedPiece out{RecordedPiece::Kind::document, std::move(batch.bytes), batch.first_line, batch.consumed};
  for (bool line_open = batch.kind == LineBatches::Kind::long_piece;;) {
    Result<LineBatches::Batch> more = lines_.next();
    if (!more) {
      return more.error();
    }
    if (more.value().kind == LineBatches::Kind::end) {
      return out;
    }
    out.bytes += more.value().bytes;
    out.consumed += more.value().consumed;
    if (line_open && more.value().kind == LineBatches::Kind::long_end) {
      out.bytes += '\n';
    }
    line_open = more.value().kind == LineBatches::Kind::long_piece;
    if (out.bytes.size() > document_bytes_max) {
      return Error{ErrorCode::limit,
                   "is one JSON document of more than 256 MB; write a record a line, then it may have any size", "", 0,
                   0};
    }
  }
}

Result<RecordedPiece> RecordedFile::long_line(LineBatches::Batch batch) {
  RecordedPiece out{RecordedPiece::Kind::lines, std::move(batch.bytes), batch.first_line, batch.consumed};
  for (bool ended = batch.kind == LineBatches::Kind::long_end; !ended;) {
    Result<LineBatches::Batch> more = lines_.next();
    if (!more) {
      return more.error();
    }
    ended = more.value().kind == LineBatches::Kind::long_end || more.value().kind == LineBatches::Kind::end;
    out.consumed += more.value().consumed;
    if (out.kind == RecordedPiece::Kind::lines) {
      out.bytes += more.value().bytes;
    }
    if (out.bytes.size() > record_bytes_max) {
      out.kind = RecordedPiece::Kind::too_long;
      std::string().swap(out.bytes);
    }
  }
  return out;
}

RecordedTexts recorded_texts(const RecordedReading& reading, const RecordedPiece& piece,
                             std::string_view contract_name) {
  RecordedTexts out;
  switch (piece.kind) {
    case RecordedPiece::Kind::lines:
      take_lines(reading, piece.bytes, piece.first_line, out);
      break;
    case RecordedPiece::Kind::document: {
      const std::string_view bytes = piece.bytes;
      const std::string_view line = bytes.substr(0, bytes.find('\n'));
      // Of ours, only a journal is a document that begins with a line that is JSON.
      if (reading.by == wire::RecordedBy::plumb && line.size() > 1 && line.size() < bytes.size() && line[0] == '{' &&
          is_json(line)) {
        take_journal(reading, bytes, piece.first_line, contract_name, out);
      } else {
        take_document(reading, bytes, piece.first_line, out);
      }
      break;
    }
    case RecordedPiece::Kind::too_long:
      take_unanswered(piece.first_line, "a record of more than 64 MB is not read", out);
      break;
    case RecordedPiece::Kind::end:
      break;
  }
  return out;
}

}  // namespace plumb::cli
