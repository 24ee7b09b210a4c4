#include "core/run/journal_file.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/json/sha256.hpp"
#include "core/json/writer.hpp"

namespace plumb::run {

namespace {

Error bad_line(std::size_t line, std::string message) {
  Error error;
  error.code = ErrorCode::invalid_argument;
  error.message = std::move(message);
  error.line = line;
  return error;
}

bool is_string(const json::Value* value) { return value != nullptr && value->is(json::Kind::string); }

}  // namespace

void append_to_file(std::string& file, const Stored& entry) {
  for (const Blob& blob : entry.blobs) {
    json::Writer(file).begin_object().member("blob", blob.hash).member("text", blob.text).end_object();
    file += '\n';
  }
  file += entry.line;
  file += '\n';
}

Result<JournalFile> JournalFile::read(std::string_view text) {
  JournalFile out;
  std::unordered_set<std::string> known;
  std::vector<Blob> waiting;  // texts whose entry has not come yet
  std::size_t number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    if (line.empty()) {
      continue;
    }
    json::Arena arena;
    const Result<json::Value> parsed = json::parse(line, arena);
    if (!parsed) {
      return bad_line(number, "this line of the journal is no JSON: " + parsed.error().message);
    }
    const json::Value& value = parsed.value();
    const json::Value* hash = value.find("blob");
    if (hash == nullptr) {
      const json::Value* n = value.find("n");
      if (n == nullptr || !n->is(json::Kind::number)) {
        return bad_line(number, "this line is neither an entry of a journal (`n`) nor a text (`blob`)");
      }
      if (n->str() != std::to_string(out.entries.size())) {
        return bad_line(number,
                        "expected entry " + std::to_string(out.entries.size()) + ", this is " + std::string(n->str()));
      }
      out.entries.push_back({out.entries.size(), std::string(line), std::move(waiting)});
      waiting.clear();
      continue;
    }
    const json::Value* body = value.find("text");
    if (!is_string(hash) || !is_string(body)) {
      return bad_line(number, "a text of a journal is {\"blob\": its hash, \"text\": the text}");
    }
    if ("sha256:" + json::sha256_hex(body->str()) != hash->str()) {
      return bad_line(number, "the text is not the one that " + std::string(hash->str()) + " names");
    }
    if (known.insert(std::string(hash->str())).second) {
      waiting.push_back({std::string(hash->str()), std::string(body->str())});
    }
  }
  if (out.entries.empty()) {
    return bad_line(0, "the file has no entry of a journal");
  }
  return out;
}

Result<Journal> JournalFile::journal() const {
  std::unordered_map<std::string, const std::string*> texts;
  std::vector<std::string_view> lines;
  for (const Stored& entry : entries) {
    lines.push_back(entry.line);
    for (const Blob& blob : entry.blobs) {
      texts.emplace(blob.hash, &blob.text);
    }
  }
  return Journal::read(lines, [&](std::string_view hash) -> const std::string* {
    const auto found = texts.find(std::string(hash));
    return found == texts.end() ? nullptr : found->second;
  });
}

}  // namespace plumb::run
