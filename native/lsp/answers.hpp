// Answers to what an editor asks about a document, as JSON: completion, hover, code actions; and its diagnostics.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "native/lsp/judged.hpp"
#include "native/lsp/positions.hpp"

namespace plumb::lsp {

// What the client can do, as it said when it began.
struct Client {
  Units units = Units::utf16;
  bool markdown = false;          // in hovers and completions
  bool document_changes = false;  // edits that name a version
};

struct Document {
  std::string path;  // empty where the URI is no file
  std::string text;
  std::int64_t version = 0;
  bool has_version = false;
  bool changed = true;           // `said` is of an older text
  std::vector<Diagnostic> said;  // diagnostics, in the order of the command
};

void append_range(std::string& out, const Range& range);
// The parameters of textDocument/publishDiagnostics.
std::string diagnostics_json(std::string_view uri, const Document& document);

// Keywords of the schema at this place that it does not have, values of some keywords, and, in plumb.yaml, the built-in
// contracts.
std::string completion(const Document& document, std::uint64_t byte, bool is_contract, const Client& client);

// What `plumb explain` says of the keyword at this place of a contract, or of the rules of the findings there. "null"
// where there is nothing to say.
std::string hover(const Document& document, Position position, std::uint64_t byte, bool is_contract,
                  const Client& client);

// One for each edit that meets `about`, and one for all that the document needs. `only`: kinds, or null.
std::string code_actions(std::string_view uri, const Document& document, const Offers& offers, const json::Value* only,
                         const Client& client);

}  // namespace plumb::lsp
