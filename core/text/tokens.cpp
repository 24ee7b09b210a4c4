#include "core/text/tokens.hpp"

#include <algorithm>

#include "core/text/token_features.hpp"
#include "core/text/token_weights.hpp"

namespace plumb::text {

namespace {

constexpr std::string_view names[] = {"o200k_base", "cl100k_base", "unknown"};

struct ModelEncoding {
  std::string_view prefix;
  Encoding encoding;
};

// The longest prefix decides; what stands behind it begins with no letter or digit, or is nothing.
constexpr ModelEncoding model_encodings[] = {
    {"chatgpt-4o", Encoding::o200k_base},
    {"codex-mini", Encoding::o200k_base},
    {"gpt-3.5", Encoding::cl100k_base},
    {"gpt-35", Encoding::cl100k_base},
    {"gpt-4", Encoding::cl100k_base},
    {"gpt-4.1", Encoding::o200k_base},
    {"gpt-4.5", Encoding::o200k_base},
    {"gpt-4o", Encoding::o200k_base},
    {"gpt-5", Encoding::o200k_base},
    {"gpt-oss", Encoding::o200k_base},
    {"o1", Encoding::o200k_base},
    {"o3", Encoding::o200k_base},
    {"o4", Encoding::o200k_base},
    {"text-embedding-3", Encoding::cl100k_base},
    {"text-embedding-ada-002", Encoding::cl100k_base},
};

bool ends_name(std::string_view rest) {
  return rest.empty() || rest[0] == '-' || rest[0] == ':' || rest[0] == '@' || rest[0] == '.';
}

// Thousandths of a token in both encodings, and the letters that vocabularies differ most about.
struct Sums {
  std::int64_t o200k = 0;
  std::int64_t cl100k = 0;
  std::int64_t o200k_beyond = 0;  // of that, for scripts other than Latin
  std::int64_t cl100k_beyond = 0;
};

TokenEstimate rounded(std::int64_t thousandths, std::int64_t beyond, std::size_t bytes) {
  if (bytes == 0) {
    return {};
  }
  const auto whole = [bytes](std::int64_t sum) {
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(sum / 1000, 1, static_cast<std::int64_t>(bytes)));
  };
  const std::int64_t kept = std::max<std::int64_t>(thousandths, 0);
  // A tenth more, a fifth for other scripts, and two tokens, which are much in a short text.
  const std::int64_t margin = kept / 10 + std::max<std::int64_t>(beyond, 0) / 10 + 2000;
  return {whole(kept + 500), whole(kept + margin + 999)};
}

}  // namespace

std::string_view encoding_name(Encoding encoding) { return names[static_cast<std::size_t>(encoding)]; }

std::optional<Encoding> encoding_named(std::string_view name) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (names[i] == name) {
      return static_cast<Encoding>(i);
    }
  }
  return std::nullopt;
}

Encoding encoding_of_model(std::string_view model) {
  if (const std::size_t slash = model.rfind('/'); slash != std::string_view::npos) {
    model.remove_prefix(slash + 1);
  }
  std::size_t longest = 0;
  Encoding found = Encoding::unknown;
  for (const ModelEncoding& one : model_encodings) {
    if (one.prefix.size() > longest && model.substr(0, one.prefix.size()) == one.prefix &&
        ends_name(model.substr(one.prefix.size()))) {
      longest = one.prefix.size();
      found = one.encoding;
    }
  }
  return found;
}

TokenEstimate estimate_tokens(std::string_view utf8, Encoding encoding) {
  Sums sums;
  features::read_features(utf8, [&sums](std::uint32_t feature) {
    const std::int64_t o200k = features::weights_o200k_base[feature];
    const std::int64_t cl100k = features::weights_cl100k_base[feature];
    sums.o200k += o200k;
    sums.cl100k += cl100k;
    if (feature >= features::script_word) {
      sums.o200k_beyond += o200k;
      sums.cl100k_beyond += cl100k;
    }
  });
  const TokenEstimate large = rounded(sums.o200k, sums.o200k_beyond, utf8.size());
  const TokenEstimate small = rounded(sums.cl100k, sums.cl100k_beyond, utf8.size());
  switch (encoding) {
    case Encoding::o200k_base:
      return large;
    case Encoding::cl100k_base:
      return small;
    case Encoding::unknown:
      break;
  }
  return {std::max(large.likely, small.likely), std::max(large.safe, small.safe)};
}

}  // namespace plumb::text
