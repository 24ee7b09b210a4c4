#include "native/cli/search_text.hpp"

#include "core/json/writer.hpp"
#include "core/wording.hpp"
#include "native/cli/terminal.hpp"
#include "native/search/search_value.hpp"

namespace plumb::cli {

namespace {

constexpr std::size_t told_max = 20;  // files of each reason in text

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000) {
    return std::to_string(bytes) + " bytes";
  }
  if (bytes < 10'000'000) {
    return std::to_string(bytes / 1000) + " KB";
  }
  return std::to_string(bytes / 1'000'000) + " MB";
}

void put_hit(std::string& out, std::size_t number, const search::Hit& hit, const contract::TextStyle& style,
             std::size_t columns) {
  const std::string label = std::to_string(number) + ". ";
  std::string place = hit.path + ":" + std::to_string(hit.quote_line);
  if (hit.quote_line_to > hit.quote_line) {
    place += "-" + std::to_string(hit.quote_line_to);
  }
  out += label + bold(hit.title, style);
  if (!hit.heading.empty() && hit.heading != hit.title) {
    out += ": " + hit.heading;
  }
  out += "\n   " + cyan(place, style) + "\n   ";
  out += wrapped("\"" + search::one_line(hit.quote) + "\"", 3, columns) + "\n";
}

void put_skipped(std::string& out, const search::CorpusState& state) {
  if (state.skipped_count == 0) {
    return;
  }
  out += counted(state.skipped_count, "file is", "files are") + " not in it:\n";
  std::string reason;
  std::size_t told = 0;
  for (const search::SkippedFile& one : state.skipped) {
    if (one.reason != reason) {
      reason = one.reason;
      told = 0;
    }
    if (told++ < told_max) {
      out += "  " + one.path + ": " + one.why + "\n";
    }
  }
  if (state.skipped_count > state.skipped.size()) {
    out += "  and more\n";
  }
}

void put_state(json::Writer& json, const search::Corpus& corpus, const search::CorpusState& state) {
  json.member("folder", corpus.folder()).member("index", corpus.index_file());
  json.member_uint("files", state.files).member_uint("passages", state.passages);
  json.member_uint("text_bytes", state.text_bytes).member_uint("index_bytes", state.index_bytes);
  json.member_uint("skipped_count", state.skipped_count).key("skipped").begin_array();
  for (const search::SkippedFile& one : state.skipped) {
    json.begin_object().member("path", one.path).member("reason", one.reason).member("why", one.why).end_object();
  }
  json.end_array();
}

}  // namespace

std::string hits_text(const search::Hits& hits, const contract::TextStyle& style, std::size_t columns) {
  std::string out;
  if (!hits.not_found.empty()) {
    out += "in no document:";
    for (const std::string& word : hits.not_found) {
      out += " " + word;
    }
    out += "\n";
  }
  if (hits.hits.empty()) {
    return out + "nothing was found\n";
  }
  if (!hits.readings.empty()) {
    out += yellow("This may mean several things. Add " + search::separator_of(hits) + ":", style) + "\n";
    for (const search::HitReading& one : hits.readings) {
      out += "- " + wrapped(one.reading, 2, columns);
      for (const std::size_t hit : one.hits) {
        out += " [" + std::to_string(hit + 1) + "]";
      }
      out += "\n";
    }
    out += "\n";
  }
  for (std::size_t i = 0; i < hits.hits.size(); ++i) {
    put_hit(out, i + 1, hits.hits[i], style, columns);
  }
  return out;
}

std::string web_text(const pipelines::research::SearchReply& reply, const contract::TextStyle& style,
                     std::size_t columns) {
  if (reply.results.empty()) {
    return "nothing was found\n";
  }
  std::string out;
  std::size_t number = 0;
  for (const pipelines::research::SearchResult& one : reply.results) {
    out += std::to_string(++number) + ". " + bold(one.title, style) + "\n   " + cyan(one.uri, style) + "\n   " +
           wrapped("\"" + search::one_line(one.passage) + "\"", 3, columns) + "\n";
  }
  return out;
}

std::string state_text(const search::Corpus& corpus, const search::CorpusState& state) {
  std::string out = corpus.folder() + ": " + counted(state.files, "document", "documents") + ", " +
                    counted(state.passages, "passage", "passages") + ", " + bytes_text(state.text_bytes) +
                    " of text\nindex: " + corpus.index_file() + ", " + bytes_text(state.index_bytes) + "\n";
  put_skipped(out, state);
  return out;
}

std::string refresh_text(const search::Corpus& corpus, const search::Refresh& done, const search::CorpusState& state) {
  std::string out = std::to_string(done.added) + " added, " + std::to_string(done.changed) + " changed, " +
                    std::to_string(done.removed) + " removed, " + std::to_string(done.unchanged) + " as they were\n";
  for (const std::string& bound : done.bounds) {
    out += "bound: " + bound + "\n";
  }
  if (done.left_out_count > 0) {
    out += counted(done.left_out_count, "entry was", "entries were") + " left out:\n";
    for (std::size_t i = 0; i < done.left_out.size() && i < told_max; ++i) {
      out += "  " + done.left_out[i].path + " " + done.left_out[i].why + "\n";
    }
    if (done.left_out_count > told_max) {
      out += "  and more\n";
    }
  }
  return out + state_text(corpus, state);
}

std::string refresh_json(const search::Corpus& corpus, const search::Refresh& done, const search::CorpusState& state) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  json.member_uint("added", done.added).member_uint("changed", done.changed).member_uint("removed", done.removed);
  json.member_uint("unchanged", done.unchanged).member_uint("links", done.links);
  json.key("bounds").begin_array();
  for (const std::string& bound : done.bounds) {
    json.string(bound);
  }
  json.end_array().member_uint("left_out_count", done.left_out_count).key("left_out").begin_array();
  for (const search::LeftOut& one : done.left_out) {
    json.begin_object().member("path", one.path).member("why", one.why).end_object();
  }
  json.end_array();
  put_state(json, corpus, state);
  json.end_object();
  return out;
}

std::string state_json(const search::Corpus& corpus, const search::CorpusState& state) {
  std::string out;
  json::Writer json(out);
  json.begin_object();
  put_state(json, corpus, state);
  json.end_object();
  return out;
}

}  // namespace plumb::cli
