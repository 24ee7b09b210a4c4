// `plumb budget tokens`: files, estimated or counted.
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "core/json/writer.hpp"
#include "core/text/bpe.hpp"
#include "core/text/tokens.hpp"
#include "native/base/file_bytes.hpp"
#include "native/cli/commands.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/terminal.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t file_bytes_max = std::uint64_t{1} << 30U;
constexpr std::uint64_t ranks_bytes_max = std::uint64_t{64} << 20U;

struct Cost {
  std::string file;
  std::uint64_t bytes = 0;
  text::TokenEstimate tokens;  // both are the count where it is exact
};

text::Encoding encoding_of(const Arguments& arguments) {
  const std::string said = arguments.text("--encoding", "");
  return said.empty() ? text::encoding_of_model(arguments.text("--model", "")) : *text::encoding_named(said);
}

Result<std::optional<text::Bpe>> tokenizer(const Arguments& arguments, text::Encoding encoding) {
  const std::string path = arguments.text("--tokenizer", "");
  if (path.empty()) {
    return std::optional<text::Bpe>();
  }
  const Result<std::string> ranks = read_file(path, ranks_bytes_max);
  if (!ranks) {
    return ranks.error();
  }
  Result<text::Bpe> bpe = text::Bpe::read(ranks.value(), encoding);
  if (!bpe) {
    Error error = bpe.error();
    error.where = path;
    return error;
  }
  return std::optional<text::Bpe>(std::move(bpe).value());
}

std::string as_json(const std::vector<Cost>& costs, text::Encoding encoding, bool exact) {
  std::string out;
  json::Writer json(out);
  json.begin_object().member_boolean("valid", true).member("encoding", text::encoding_name(encoding));
  json.member_boolean("exact", exact).key("files").begin_array();
  for (const Cost& one : costs) {
    json.begin_object().member("file", one.file);
    json.member_uint("likely", one.tokens.likely).member_uint("safe", one.tokens.safe);
    json.member_uint("bytes", one.bytes).end_object();
  }
  json.end_array().key("findings").begin_array().end_array().end_object();
  return out + "\n";
}

std::string padded(std::uint64_t number, std::size_t width) {
  std::string out = std::to_string(number);
  return std::string(width - std::min(width, out.size()), ' ') + out;
}

std::string as_text(const std::vector<Cost>& costs, text::Encoding encoding, bool exact,
                    const contract::TextStyle& style) {
  std::string out = dim(exact ? "    tokens      bytes  " : "    likely       safe      bytes  ", style) +
                    dim(text::encoding_name(encoding), style) + "\n";
  Cost sum;
  for (const Cost& one : costs) {
    out += padded(one.tokens.likely, 10) + " " + (exact ? "" : padded(one.tokens.safe, 10) + " ") +
           padded(one.bytes, 10) + "  " + one.file + "\n";
    sum.tokens.likely += one.tokens.likely;
    sum.tokens.safe += one.tokens.safe;
    sum.bytes += one.bytes;
  }
  if (costs.size() > 1) {
    out += padded(sum.tokens.likely, 10) + " " + (exact ? "" : padded(sum.tokens.safe, 10) + " ") +
           padded(sum.bytes, 10) + "  " + bold("in all", style) + "\n";
  }
  return out;
}

}  // namespace

int run_budget_tokens(const Arguments& arguments) {
  text::Encoding encoding = encoding_of(arguments);
  const Result<std::optional<text::Bpe>> bpe = tokenizer(arguments, encoding);
  if (!bpe) {
    return fail(bpe.error());
  }
  const bool exact = bpe.value().has_value();
  encoding = exact ? bpe.value()->encoding() : encoding;
  std::vector<Cost> costs;
  for (const std::string& path : arguments.positionals()) {
    const Result<std::string> text = read_file(path, file_bytes_max);
    if (!text) {
      return fail(text.error());
    }
    Cost cost;
    cost.file = path;
    cost.bytes = text.value().size();
    if (exact) {
      cost.tokens.likely = bpe.value()->count(text.value());
      cost.tokens.safe = cost.tokens.likely;
    } else {
      cost.tokens = text::estimate_tokens(text.value(), encoding);
    }
    costs.push_back(std::move(cost));
  }
  const std::string out = arguments.has("--json")
                              ? as_json(costs, encoding, exact)
                              : as_text(costs, encoding, exact, style_for(arguments, STDOUT_FILENO));
  return write_all(STDOUT_FILENO, out)
             ? exit_clean
             : fail(Error{ErrorCode::unavailable, "cannot be written", "standard output", 0, 0});
}

}  // namespace plumb::cli
