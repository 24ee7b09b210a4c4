#include "core/stranger/manner.hpp"

#include <array>
#include <vector>

#include "core/json/number_text.hpp"
#include "core/text/suggest.hpp"

namespace plumb::stranger {

namespace {

enum class Slot : std::uint8_t { mode, size, fault, wire, tools, sampling, rate, context, seed };

struct Word {
  Slot slot;
  std::uint8_t value = 0;
  Mode mode = Mode::obedient;  // of a fault: which mode it belongs to
};

constexpr std::array<MannerWord, 33> said = {{
    {"obedient", "keeps the schema that it is sent"},
    {"sloppy", "writes what models write: one or two faults in an answer, or none"},
    {"lazy", "empty lists, and words copied from the prompt"},
    {"slow", "late, a few words at a time, or stalling"},
    {"refusing", "declines, as the interface says it"},
    {"down", "errors of the server, limits, connections that end"},
    {"typical", "answers of the usual size"},
    {"smallest", "the smallest answer that the schema allows"},
    {"largest", "long lists and texts"},
    {"fence", "sloppy: in a Markdown fence"},
    {"prose", "sloppy: with words before and behind it"},
    {"thinking", "sloppy: <think>...</think> before it"},
    {"numbers", "sloppy: numbers and truth values as text"},
    {"ids", "sloppy: ids and references that nobody gave"},
    {"missing", "sloppy: members or items left out"},
    {"extra", "sloppy: members or items too many"},
    {"cut", "sloppy: ends in the middle"},
    {"call", "sloppy: a call of a tool written into the text"},
    {"late", "slow: nothing for minutes, then all of it"},
    {"steady", "slow: a few words at a time"},
    {"stall", "slow: begins, and then nothing more"},
    {"overloaded", "down: 503 or 529, with the time to come again"},
    {"limited", "down: 429"},
    {"broken", "down: 500"},
    {"page", "down: 502 with a page of HTML"},
    {"dropped", "down: the connection ends before an answer"},
    {"halfway", "down: the connection ends in the middle of one"},
    {"openai", "speaks OpenAI's chat completions (a provider inside a program; the usual one)"},
    {"anthropic", "speaks Anthropic's messages"},
    {"ollama", "speaks Ollama's chat"},
    {"notools", "takes no tools"},
    {"nosampling", "takes no temperature"},
    {"rate30", "30 % of the answers are so, the others obedient; any number to 100"},
}};

constexpr std::size_t sizes_from = 6;
constexpr std::size_t faults_from = 9;
constexpr std::size_t wires_from = 27;
constexpr std::size_t abilities_from = 30;
constexpr std::size_t rate_at = 32;

Error refused(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "model", 0, 0}; }

std::optional<std::uint64_t> number_behind(std::string_view word, std::string_view name) {
  std::uint64_t number = 0;
  if (!word.starts_with(name) || !json::read_uint(word.substr(name.size()), number)) {
    return std::nullopt;
  }
  return number;
}

Mode mode_of(Fault fault) {
  return fault >= Fault::overloaded ? Mode::down : fault >= Fault::late ? Mode::slow : Mode::sloppy;
}

// False: it is no word of a manner.
bool take(std::string_view word, Manner& out, std::array<bool, 9>& seen, Slot& slot) {
  for (std::size_t i = 0; i < rate_at; ++i) {
    if (word != said[i].word) {
      continue;
    }
    if (i < sizes_from) {
      slot = Slot::mode;
      out.mode = static_cast<Mode>(i);
    } else if (i < faults_from) {
      slot = Slot::size;
      out.size = static_cast<Size>(i - sizes_from);
    } else if (i < wires_from) {
      slot = Slot::fault;
      out.fault = static_cast<Fault>(i - faults_from + 1);
    } else if (i < abilities_from) {
      slot = Slot::wire;
      out.wire = static_cast<wire::Wire>(i - wires_from);
    } else {
      slot = word == "notools" ? Slot::tools : Slot::sampling;
      (slot == Slot::tools ? out.tools : out.sampling) = false;
    }
    return true;
  }
  if (const auto rate = number_behind(word, "rate")) {
    slot = Slot::rate;
    out.rate_percent = *rate;
    return *rate <= 100;
  }
  if (const auto context = number_behind(word, "context")) {
    slot = Slot::context;
    out.context = *context;
    return *context > 0;
  }
  slot = Slot::seed;
  return json::read_uint(word, out.seed) && !seen[static_cast<std::size_t>(Slot::seed)];
}

}  // namespace

std::span<const MannerWord> manner_words() { return said; }

std::string_view mode_name(Mode mode) { return said[static_cast<std::size_t>(mode)].word; }

Result<Manner> read_manner(std::string_view model) {
  Manner out;
  std::array<bool, 9> seen = {};
  constexpr std::string_view example = "obedient, sloppy-7, sloppy-fence-rate30, slow, down or refusing";
  for (std::size_t from = 0; from <= model.size();) {
    const std::size_t to = std::min(model.find('-', from), model.size());
    const std::string_view word = model.substr(from, to - from);
    Slot slot = Slot::seed;
    if (!take(word, out, seen, slot)) {
      std::vector<std::string_view> words;
      words.reserve(said.size());
      for (const MannerWord& one : said) {
        words.push_back(one.word);
      }
      const std::optional<std::size_t> near = text::nearest(word, words);
      return refused("'" + std::string(word) + "' says nothing about how a sample behaves" +
                     (near ? "; did you mean '" + std::string(words[*near]) + "'?" : ".") +
                     " A model is named after what it does, such as " + std::string(example));
    }
    if (seen[static_cast<std::size_t>(slot)]) {
      return refused("'" + std::string(word) + "' repeats what comes before it in '" + std::string(model) + "'");
    }
    seen[static_cast<std::size_t>(slot)] = true;
    from = to + 1;
  }
  if (out.fault != Fault::any) {
    const Mode mode = mode_of(out.fault);
    if (seen[static_cast<std::size_t>(Slot::mode)] && mode != out.mode) {
      return refused("'" + std::string(said[faults_from - 1 + static_cast<std::size_t>(out.fault)].word) +
                     "' goes with " + std::string(mode_name(mode)) + ", not with " + std::string(mode_name(out.mode)));
    }
    out.mode = mode;
  }
  return out;
}

}  // namespace plumb::stranger
