#include "core/story/reader_words.hpp"

#include <algorithm>

#include "core/json/arena.hpp"
#include "core/json/writer.hpp"

namespace plumb::story {

namespace {

struct Row {
  std::string_view name, english, german, french;
};

constexpr std::size_t file_bytes_max = 65'536, text_bytes_max = 1000;

constexpr std::array<Row, word_count> rows = {{
    {"begin", "Begin", "Beginnen", "Commencer"},
    {"resume", "Continue", "Weiterlesen", "Reprendre"},
    {"back", "Back", "Zurück", "Retour"},
    {"again", "Begin again", "Von vorn beginnen", "Recommencer"},
    {"again_question", "Begin again from the first passage? “Back” then returns to where you are now.",
     "Von vorn beginnen? „Zurück“ führt danach wieder hierher.",
     "Recommencer depuis le début ? « Retour » vous ramènera ensuite ici."},
    {"keep_reading", "Keep reading", "Weiterlesen", "Continuer"},
    {"looks", "Text and colours", "Schrift und Farben", "Texte et couleurs"},
    {"text_size", "Text size", "Schriftgröße", "Taille du texte"},
    {"smaller", "Smaller text", "Kleinere Schrift", "Texte plus petit"},
    {"larger", "Larger text", "Größere Schrift", "Texte plus grand"},
    {"colours", "Colours", "Farben", "Couleurs"},
    {"automatic", "auto", "auto", "auto"},
    {"light", "light", "hell", "clair"},
    {"dark", "dark", "dunkel", "sombre"},
    {"keys", "Keys: 1 to 9 choose, ↑ and ↓ move, Enter takes a choice, Z goes back.",
     "Tasten: 1 bis 9 wählen, ↑ und ↓ bewegen, Enter nimmt eine Wahl, Z geht zurück.",
     "Touches : 1 à 9 choisissent, ↑ et ↓ déplacent, Entrée valide, Z revient en arrière."},
    {"passage", "Passage %", "Abschnitt %", "Passage %"},
    {"saved", "Your place is saved in this browser.", "Ihre Stelle ist in diesem Browser gespeichert.",
     "Votre place est enregistrée dans ce navigateur."},
    {"not_saved", "This browser cannot save your place.", "Dieser Browser kann Ihre Stelle nicht speichern.",
     "Ce navigateur ne peut pas enregistrer votre place."},
    {"draft", "Draft: the author's summary, not yet written.", "Entwurf: die Zusammenfassung, noch nicht geschrieben.",
     "Brouillon : le résumé de l'auteur, pas encore écrit."},
    {"end", "The End", "Ende", "Fin"},
    {"no_script", "This story needs JavaScript.", "Diese Geschichte braucht JavaScript.",
     "Cette histoire nécessite JavaScript."},
    {"rules", "Begin at 1, and turn to the numbers that your choices name.",
     "Beginnen Sie bei 1 und lesen Sie bei den Nummern weiter, die Ihre Wahl nennt.",
     "Commencez au 1, puis allez aux numéros que vos choix indiquent."},
    {"words", "Words that sections tell you to write down:", "Wörter, die Sie sich notieren sollen:",
     "Mots que les sections vous demandent de noter :"},
    {"write_down", "Write down %.", "Notieren Sie %.", "Notez %."},
    {"turn_to", "turn to %", "weiter bei %", "rendez-vous au %"},
    {"if_word", "if you wrote down %, ", "wenn Sie % notiert haben, ", "si vous avez noté %, "},
    {"otherwise_if", "otherwise, if you wrote down %, ", "sonst, wenn Sie % notiert haben, ",
     "sinon, si vous avez noté %, "},
    {"otherwise", "otherwise ", "sonst ", "sinon "},
    {"look_at", "read % first", "lesen Sie zuerst %", "lisez d'abord le %"},
    {"go_back", "Return to %.", "Zurück zu %.", "Retournez au %."},
    {"conjunction", " and ", " und ", " et "},
}};

constexpr std::array<std::string_view, 48> english_words = {
    "OAK",   "ELM",    "ASH",    "BIRCH",  "CEDAR",   "HAZEL",   "ROWAN",  "WILLOW", "ALDER",  "MAPLE",
    "LARCH", "ASPEN",  "HERON",  "FINCH",  "RAVEN",   "OTTER",   "BADGER", "HARE",   "STOAT",  "PLOVER",
    "WREN",  "THRUSH", "KITE",   "CURLEW", "FLINT",   "SLATE",   "MARBLE", "QUARTZ", "AMBER",  "OPAL",
    "ONYX",  "JASPER", "COPPER", "PEWTER", "BRASS",   "NICKEL",  "CLOVER", "FENNEL", "SORREL", "THYME",
    "SAGE",  "TANSY",  "YARROW", "NETTLE", "BRACKEN", "HEATHER", "TEASEL", "REED"};
constexpr std::array<std::string_view, 24> german_words = {
    "EICHE", "ULME",  "ESCHE",    "BIRKE",  "ZEDER", "HASEL", "WEIDE", "ERLE",   "AHORN",   "REIHER", "FINK", "RABE",
    "OTTER", "DACHS", "SCHIEFER", "MARMOR", "QUARZ", "OPAL",  "ONYX",  "KUPFER", "FENCHEL", "SALBEI", "KLEE", "FARN"};
constexpr std::array<std::string_view, 24> french_words = {"ORME",   "BOULEAU", "NOYER",  "SAULE", "AULNE",  "TREMBLE",
                                                           "PINSON", "CORBEAU", "LOUTRE", "MERLE", "SILEX",  "ARDOISE",
                                                           "MARBRE", "QUARTZ",  "AMBRE",  "OPALE", "ONYX",   "CUIVRE",
                                                           "LAITON", "FENOUIL", "SAUGE",  "THYM",  "ROSEAU", "TILLEUL"};

std::string_view primary(std::string_view language) { return language.substr(0, language.find('-')); }

Error wrong(std::string message) { return Error{ErrorCode::invalid_argument, std::move(message), "", 0, 0}; }

std::string names() {
  std::string out;
  for (const Row& row : rows) {
    out += (out.empty() ? "" : ", ") + std::string(row.name);
  }
  return out;
}

}  // namespace

std::string_view name_of(Word word) { return rows[static_cast<std::size_t>(word)].name; }

std::string ReaderWords::with(Word word, std::string_view text) const {
  std::string out = (*this)[word];
  const std::size_t at = out.find('%');
  return at == std::string::npos ? out : out.replace(at, 1, text);
}

Result<ReaderWords> reader_words(std::string_view language, std::string_view file) {
  ReaderWords out;
  const std::string_view which = primary(language);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.texts[i] = which == "de" ? rows[i].german : which == "fr" ? rows[i].french : rows[i].english;
  }
  if (file.empty()) {
    return out;
  }
  if (file.size() > file_bytes_max) {
    return wrong("a file of words has at most 65,536 bytes");
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(file, arena);
  if (!read) {
    return read.error();
  }
  if (!read.value().is(json::Kind::object)) {
    return wrong("a file of words is an object: a text for each word");
  }
  for (const json::Member& one : read.value().object()) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& known) { return known.name == one.key; });
    if (row == rows.end()) {
      return wrong("there is no word '" + json::excerpt(one.key, 40) + "'. The words are: " + names());
    }
    if (!one.value.is(json::Kind::string) || one.value.str().empty() || one.value.str().size() > text_bytes_max) {
      return wrong("the word '" + std::string(one.key) + "' must be a text of 1 to 1,000 bytes");
    }
    if (row->english.find('%') != std::string_view::npos && one.value.str().find('%') == std::string_view::npos) {
      return wrong("the word '" + std::string(one.key) + "' must contain '%', as in '" + std::string(row->english) +
                   "'");
    }
    out.texts[static_cast<std::size_t>(row - rows.begin())] = one.value.str();
  }
  return out;
}

WayWords way_words(std::string_view language) {
  const std::string_view one = primary(language);
  return one == "en"   ? WayWords{"Continue", "Go back"}
         : one == "de" ? WayWords{"Weiter", "Zurück"}
         : one == "fr" ? WayWords{"Continuer", "Revenir"}
                       : WayWords{"…", "←"};
}

std::string neutral_word(std::string_view language, std::size_t number) {
  const auto of = [&](const auto& list) {
    const std::size_t round = number / list.size();
    return std::string(list[number % list.size()]) + (round == 0 ? "" : std::to_string(round + 1));
  };
  return primary(language) == "de"   ? of(german_words)
         : primary(language) == "fr" ? of(french_words)
                                     : of(english_words);
}

}  // namespace plumb::story
