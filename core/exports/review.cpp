// The review sheet: one row a claim, with the place, what the artifact says there, and the quote that proves it.
#include "core/exports/writers.hpp"
#include "core/json/members.hpp"
#include "core/json/pointer.hpp"

namespace plumb::exports {

namespace {

using json::Kind;
using json::Value;

constexpr std::string_view head =
    "<!doctype html>\n<html><head><meta charset=\"utf-8\"><title>Review sheet</title>\n"
    "<style>body{font:1rem/1.4 sans-serif;margin:2rem}table{border-collapse:collapse}"
    "td,th{border:1px solid;padding:.4rem;text-align:start;vertical-align:top;unicode-bidi:plaintext}</style></head>\n"
    "<body><h1>Review sheet</h1>\n";

void add_line(std::string& out, std::string_view name, std::string_view text) {
  if (!text.empty()) {
    out += (out.empty() ? "" : "\n") + std::string(name) + (name.empty() ? "" : ": ") + std::string(text);
  }
}

// An item's own texts and lists of texts, without those of the items below it.
std::string texts_of(const Value& value) {
  std::string out;
  add_line(out, "", value.str());
  for (const json::Member& member : value.object()) {
    add_line(out, member.key, member.value.str());
    for (const Value& one : member.value.array()) {
      add_line(out, member.key, one.str());
    }
  }
  return out;
}

void add_row(std::string& out, const Value& artifact, const Value& claim, std::string_view source) {
  const std::string_view place = json::text_of(claim, "at");
  const Value* item = json::resolve(artifact, place);
  out += "<tr><td>" + html(place) + "</td><td>" + (item == nullptr ? std::string() : html(texts_of(*item))) +
         "</td><td>" + html(json::text_of(claim, "rule")) + "</td><td>" + html(source) + "</td></tr>\n";
}

void add_list(std::string& out, const Value& run, std::string_view member, std::string_view title) {
  const std::span<const Value> all = json::list_of(run, member);
  if (all.empty()) {
    return;
  }
  out += "<h2>" + std::string(title) + "</h2>\n<ul>\n";
  for (const Value& one : all) {
    out += "<li>" + html(one.str()) + "</li>\n";
  }
  out += "</ul>\n";
}

}  // namespace

Result<std::string> write_review(const Value& artifact, const Value& run) {
  if (!run.is(Kind::object)) {
    return Error{ErrorCode::invalid_argument,
                 "a review sheet shows the quotes of the run that made the artifact; name the run", "", 0, 0};
  }
  std::string out(head);
  out += "<p>Decision: " + html(json::text_of(run, "decision")) + "</p>\n";
  add_list(out, run, "warnings", "Warnings");
  add_list(out, run, "issues", "Issues");
  out += "<table>\n<tr><th>Place</th><th>Artifact</th><th>Claim</th><th>Source</th></tr>\n";
  for (const Value& proof : json::list_of(run, "evidence")) {
    const Value* chunk = proof.find("chunk");
    add_row(out, artifact, proof,
            "Passage " + std::string(chunk == nullptr ? "?" : chunk->str()) + ": \xE2\x80\x9C" +
                std::string(json::text_of(proof, "quote")) + "\xE2\x80\x9D");
  }
  for (const Value& open : json::list_of(run, "unverified")) {
    add_row(out, artifact, open, "Not verified: " + std::string(json::text_of(open, "reason")));
  }
  return out + "</table>\n</body></html>\n";
}

}  // namespace plumb::exports
