#include "core/text/tokens.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "core/text/token_features.hpp"
#include "core/text/token_weights.hpp"

namespace plumb::text {

namespace {

constexpr std::string_view names[] = {"o200k_base", "cl100k_base", "unknown"};

struct ModelEncoding {
  std::string_view prefix;
  Encoding encoding;
};

// The longest prefix decides; what follows it does not begin with a letter or digit, or is nothing.
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

// What an estimate may be under by, in hundredths of what is counted: as much as it takes for no text of those that
// were measured to cost more than the safe number (tests/bench/tokens), most where vocabularies differ most from a
// rule.
constexpr std::int64_t margin_of_runs = 72;
constexpr std::int64_t margin_of_words = 18;
constexpr std::int64_t margin_of(std::uint32_t feature) {
  namespace f = features;
  return feature < f::digits          ? margin_of_words
         : feature < f::script_word   ? 25  // digits, marks, white space
         : feature < f::han           ? 28  // scripts
         : feature < f::cyrillic_pair ? 20
         : feature < f::blanks_more   ? 28
         : feature < f::encoded       ? margin_of_runs  // runs and controls
         : feature < f::own_letter    ? 24
         : feature < f::lines         ? 28
         : feature < f::same_marks    ? 72
         : feature < f::same_letters  ? 130
                                      : margin_of_runs;
}

constexpr std::array<std::uint8_t, features::count> margins = [] {
  std::array<std::uint8_t, features::count> out{};
  for (std::uint32_t feature = 0; feature < features::count; ++feature) {
    out[feature] = static_cast<std::uint8_t>(margin_of(feature));
  }
  return out;
}();

// Letters of words in capitals, or of mixed case: any of them may be a token.
constexpr std::int64_t margin_of_capital = 85;
constexpr std::uint32_t lower_words = features::word + 4 * features::length_max;  // small, or one capital at the start

struct Sums {
  std::int64_t cost = 0;    // thousandths of a token
  std::int64_t margin = 0;  // a hundredth of that

  void add(std::int64_t weight, std::int64_t percent) {
    cost += weight;
    // A feature of a run may cost less than nothing, because what is next to it is counted with it.
    margin += percent < margin_of_runs || weight > 0 ? weight * percent : 0;
  }
};

// What the features of a text add up to, in both encodings.
class Cost {
 public:
  std::uint64_t pieces = 0;  // words and groups of digits, which are never one token together

  void operator()(std::uint32_t feature) {
    const std::int64_t percent = margins[feature];
    sums_[0].add(features::weights_o200k_base[feature], percent);
    sums_[1].add(features::weights_cl100k_base[feature], percent);
    if (feature < features::word_more && feature >= features::word) {
      ++pieces;
      if (feature >= lower_words) {
        const std::int64_t letters = (feature - features::word) % features::length_max + 1;
        sums_[0].margin += letters * margin_of_capital * 100;
        sums_[1].margin += letters * margin_of_capital * 100;
      }
    } else if (feature == features::digits) {
      ++pieces;
    }
  }

  void letter_pairs(std::span<const std::uint32_t> pairs) {
    std::int64_t large = 0;
    std::int64_t small = 0;
    for (const std::uint32_t feature : pairs) {
      large += features::weights_o200k_base[feature];
      small += features::weights_cl100k_base[feature];
    }
    sums_[0].add(large, margin_of_words);
    sums_[1].add(small, margin_of_words);
  }

  const Sums& large() const { return sums_[0]; }
  const Sums& small() const { return sums_[1]; }

 private:
  Sums sums_[2];
};

TokenEstimate rounded(const Sums& sums, std::uint64_t pieces, std::uint64_t floor, std::size_t bytes) {
  if (bytes == 0) {
    return {};
  }
  const auto whole = [bytes](std::int64_t sum, std::uint64_t least) {
    const std::int64_t tokens = std::max(sum / 1000, static_cast<std::int64_t>(least));
    return static_cast<std::uint64_t>(std::clamp<std::int64_t>(tokens, 1, static_cast<std::int64_t>(bytes)));
  };
  const std::int64_t kept = std::max<std::int64_t>(sums.cost, 0);
  // Two tokens are much in a short text.
  const std::int64_t margin = std::max(sums.margin / 100, kept / 10) + 2000;
  const std::uint64_t likely = whole(kept + 500, pieces);
  return {likely, std::max(likely, whole(kept + margin + 999, std::max(pieces, floor)))};
}

// A token for every 16 bytes, of which those that repeat the one before count little: what no rule foresees costs that.
std::uint64_t floor_by_bytes(std::string_view bytes) {
  std::uint64_t same = 0;
  std::size_t i = 1;
  // Eight at a time: a byte of `differ` is nothing where a byte of the text is that before it.
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t here = 0;
    std::uint64_t before = 0;
    std::memcpy(&here, bytes.data() + i, 8);
    std::memcpy(&before, bytes.data() + i - 1, 8);
    constexpr std::uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
    const std::uint64_t differ = here ^ before;
    const std::uint64_t zeros = ~(((differ & low) + low) | differ | low);
    same += (zeros >> 7U) * 0x0101010101010101ULL >> 56U;
  }
  for (; i < bytes.size(); ++i) {
    same += bytes[i] == bytes[i - 1] ? 1 : 0;
  }
  const std::uint64_t changes = bytes.empty() ? 0 : bytes.size() - 1 - same;
  return changes / 16 + bytes.size() / 128;
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
    if (one.prefix.size() > longest && model.starts_with(one.prefix) && ends_name(model.substr(one.prefix.size()))) {
      longest = one.prefix.size();
      found = one.encoding;
    }
  }
  return found;
}

TokenEstimate estimate_tokens(std::string_view utf8, Encoding encoding) {
  Cost cost;
  features::read_features(utf8, cost);
  const std::uint64_t floor = floor_by_bytes(utf8);
  const TokenEstimate large = rounded(cost.large(), cost.pieces, floor, utf8.size());
  const TokenEstimate small = rounded(cost.small(), cost.pieces, floor, utf8.size());
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
