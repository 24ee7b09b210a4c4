#include "tests/story/seeded_outline.hpp"

#include <array>
#include <string_view>
#include <vector>

#include "core/json/writer.hpp"

namespace plumb_test {

namespace {

using plumb::json::Writer;

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15U + 1) {}
  std::uint32_t below(std::uint32_t n) {
    state_ ^= state_ >> 12U;
    state_ ^= state_ << 25U;
    state_ ^= state_ >> 27U;
    return static_cast<std::uint32_t>((state_ * 0x2545F4914F6CDD1DU) >> 33U) % n;
  }
  bool chance(std::uint32_t of_100) { return below(100) < of_100; }

 private:
  std::uint64_t state_;
};

constexpr std::array<std::string_view, 12> pieces = {"The tide turns.",
                                                     "<b>bold</b> & \"quoted\" 'twice'",
                                                     "<<set $x to 1>> [[a->b]]",
                                                     "</script><script>alert(1)</script>",
                                                     "// comment /* this */ ''not bold'' __nor this__",
                                                     "$name _temp {{{raw}}} ~~x~~ ^^y^^ @@z@@",
                                                     "Käthe läuft — 水 🌊",
                                                     "line one\nline two\n\n:: Not a passage [tag]",
                                                     "* no list\n# nor this\n> nor a quote\n! nor a heading",
                                                     "a\\b \\ c|d",
                                                     "---- == <!-- gone --> %%",
                                                     "Say nothing, and row."};

struct Dilemma {
  std::string id;
  std::string_view policy, salience, weight;
  std::uint32_t budget;
};

struct Maker {
  Random random;
  OutlineWish wish;
  std::string out;
  Writer json{out};
  std::vector<Dilemma> dilemmas;
  std::uint32_t beats = 0;

  Maker(std::uint64_t seed, const OutlineWish& wanted) : random(seed), wish(wanted) {}

  std::string text() {
    std::string words;
    for (std::uint32_t i = 0, n = 1 + random.below(3); i < n; ++i) {
      words += (i == 0 ? "" : " ") + std::string(pieces[random.below(pieces.size())]);
    }
    return words;
  }

  void texts(bool label) {
    json.member("summary", text());
    if (wish.plain || random.chance(90)) {
      json.member("prose", text());
    }
    if (label && random.chance(60)) {
      json.member("label", "Go on " + std::to_string(beats) + " " +
                               std::string(pieces[random.below(pieces.size())].substr(0, 20)));
    }
  }

  // The paths of dilemmas that a beat of no path in particular may name once hard ones have parted.
  void common_paths(std::size_t up_to, std::size_t own) {
    bool parted = false;
    for (std::size_t i = 0; i < up_to; ++i) {
      parted = parted || dilemmas[i].policy == "hard";
    }
    if (!parted) {
      return;
    }
    json.key("paths").begin_array();
    for (std::size_t i = 0; i < dilemmas.size(); ++i) {
      if (i == own || (i > own && i >= up_to)) {
        json.string(dilemmas[i].id + "/a").string(dilemmas[i].id + "/b");
      }
    }
    json.end_array();
  }

  void beat(std::string_view id) {
    json.begin_object().member("id", id);
    ++beats;
  }

  void shared(std::size_t dilemma, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i) {
      beat("s" + std::to_string(dilemma) + "n" + std::to_string(i));
      texts(dilemma + i > 0);
      common_paths(dilemma, std::min(dilemma, dilemmas.size() - 1));
      if (dilemma < dilemmas.size()) {
        json.key("advances").begin_array().string(dilemmas[dilemma].id).end_array();
      }
      if (!wish.plain && random.chance(15)) {
        json.key(random.chance(50) ? "spokes" : "fork").begin_array();
        for (int k = 0; k < 2; ++k) {
          json.begin_object();
          texts(true);
          json.end_object();
        }
        json.end_array();
      }
      json.end_object();
    }
  }

  void branch(std::size_t number) {
    const Dilemma& one = dilemmas[number];
    const std::uint32_t count = wish.beats_a_path != 0 ? wish.beats_a_path : one.budget + 1 + random.below(2);
    const std::uint32_t commit = random.below(count);
    for (const char answer : {'a', 'b'}) {
      for (std::uint32_t i = 0; i < count; ++i) {
        beat(one.id + answer + std::to_string(i));
        texts(true);
        json.key("paths").begin_array().string(one.id + "/" + answer).end_array();
        if (i == commit) {
          json.key("commits").begin_array().string(one.id).end_array();
        }
        json.end_object();
      }
    }
  }

  void answers(const Dilemma& one) {
    json.key("answers").begin_array();
    for (const char answer : {'a', 'b'}) {
      json.begin_object().member("id", std::string(1, answer)).member("description", text());
      if (answer == 'a') {
        json.member_boolean("default", true);
      }
      if (one.weight != "cosmetic" && random.chance(60)) {
        json.key("residue").begin_array().begin_object();
        texts(true);
        json.end_object().end_array();
      }
      json.end_object();
    }
    json.end_array();
  }

  std::string make() {
    const std::uint32_t count = wish.dilemmas != 0 ? wish.dilemmas : 1 + random.below(5);
    constexpr std::array<std::string_view, 3> policies = {"flavor", "soft", "hard"};
    constexpr std::array<std::string_view, 3> weights = {"cosmetic", "light", "heavy"};
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::string_view policy = policies[random.below(3)];
      dilemmas.push_back({"d" + std::to_string(i), policy, random.chance(40) ? "high" : "none",
                          weights[random.below(3)], policy == "soft" ? 1 + random.below(2) : 0});
    }
    json.begin_object().member("title", "Seeded " + text()).member("size", "long").key("dilemmas").begin_array();
    for (const Dilemma& one : dilemmas) {
      json.begin_object().member("id", one.id).member("question", text()).member("policy", one.policy);
      json.member_uint("payoff_budget", one.budget).member("ending_salience", one.salience);
      json.member("residue_weight", one.weight);
      answers(one);
      json.end_object();
    }
    json.end_array().key("beats").begin_array();
    for (std::size_t i = 0; i < dilemmas.size(); ++i) {
      shared(i, wish.shared != 0 ? wish.shared : 1 + random.below(2));
      branch(i);
    }
    if (dilemmas.back().policy != "hard") {
      shared(dilemmas.size(), wish.shared != 0 ? wish.shared : 1 + random.below(2));
    }
    json.end_array().end_object();
    return out;
  }
};

}  // namespace

std::string seeded_outline(std::uint64_t seed, const OutlineWish& wish) { return Maker(seed, wish).make(); }

}  // namespace plumb_test
