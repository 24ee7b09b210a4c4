#include "core/workflow/makefile.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "core/ascii.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t lines_max = 10'000;
constexpr std::size_t targets_max = 1'000;
constexpr std::size_t unfolded_max = 5;  // variables in variables

struct Rule {
  std::vector<std::string> waits;
  std::string recipe;
};

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> out;
  while (!(text = ascii::trim(text)).empty()) {
    const std::size_t end = std::min(text.find_first_of(ascii::spaces), text.size());
    out.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return out;
}

// Lines, those that end with a backslash put together.
std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  bool goes_on = false;
  for (std::size_t from = 0; from < text.size() && out.size() < lines_max;) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    std::string line(text.substr(from, end - from));
    from = end + 1;
    if (!line.empty() && line.back() == '\r') {
      line.pop_back();
    }
    const bool more = !line.empty() && line.back() == '\\';
    if (more) {
      line.back() = ' ';
    }
    goes_on ? void(out.back() += line) : out.push_back(std::move(line));
    goes_on = more;
  }
  return out;
}

class Makefile {
 public:
  explicit Makefile(std::string_view text) {
    std::vector<std::string> targets;
    variables_["MAKE"] = "make";
    for (const char* here : {"CURDIR", "PWD", "shell pwd"}) {
      variables_[here] = ".";
    }
    for (const std::string& line : lines_of(text)) {
      if (line.starts_with('\t')) {
        recipe(targets, line.substr(1));
      } else if (const std::string_view plain = ascii::trim(std::string_view(line).substr(0, line.find('#')));
                 !plain.empty()) {
        const std::size_t colon = plain.find(':'), equals = plain.find('=');
        if (equals != std::string_view::npos && (colon == std::string_view::npos || equals <= colon + 2)) {
          assign(plain, equals);
        } else if (colon != std::string_view::npos) {
          targets = rule(plain, colon);
        }
      }
    }
  }

  std::string recipes(std::span<const std::string> goals) {
    std::vector<std::string> names(goals.begin(), goals.end());
    if (names.empty() && !first_.empty()) {
      names.push_back(first_);
    }
    for (const std::string& name : names) {
      visit(name);
    }
    return std::move(out_);
  }

 private:
  void assign(std::string_view line, std::size_t equals) {
    std::string_view name = line.substr(0, equals);
    while (!name.empty() &&
           (name.back() == ':' || name.back() == '?' || name.back() == '+' || ascii::is_blank(name.back()))) {
      name.remove_suffix(1);
    }
    for (const std::string_view before : {"export ", "override "}) {
      name.remove_prefix(name.starts_with(before) ? before.size() : 0);
    }
    std::string& value = variables_[std::string(name)];
    value += (value.empty() ? "" : " ") + std::string(ascii::trim(line.substr(equals + 1)));
  }

  std::vector<std::string> rule(std::string_view line, std::size_t colon) {
    std::vector<std::string> targets = words_of(unfolded(std::string(line.substr(0, colon))));
    std::string_view rest = line.substr(colon + 1);
    rest.remove_prefix(rest.starts_with(':') ? 1 : 0);
    const std::size_t semicolon = rest.find(';');
    if (semicolon != std::string_view::npos) {
      recipe(targets, std::string(rest.substr(semicolon + 1)));
    }
    for (const std::string& one : targets) {
      if (first_.empty() && one.front() != '.') {
        first_ = one;
      }
      for (std::string& wait : words_of(unfolded(std::string(rest.substr(0, semicolon))))) {
        rules_[one].waits.push_back(std::move(wait));
      }
    }
    return targets;
  }

  void recipe(const std::vector<std::string>& targets, std::string line) {
    line.erase(0, std::min(line.find_first_not_of("@-+ \t"), line.size()));
    for (const std::string& one : targets) {
      rules_[one].recipe += line + "\n";
    }
  }

  std::map<std::string, Rule> rules_;
  std::map<std::string, std::string> variables_;
  std::string first_, out_;
  std::set<std::string> visited_;

 public:
  // $(NAME) and ${NAME} by what they are set to.
  std::string unfolded(std::string text) const {
    for (std::size_t round = 0; round < unfolded_max; ++round) {
      std::string out;
      bool changed = false;
      for (std::size_t at = 0; at < text.size(); ++at) {
        const char close = text.compare(at, 2, "$(") == 0 ? ')' : text.compare(at, 2, "${") == 0 ? '}' : '\0';
        const std::size_t end = close == '\0' ? std::string::npos : text.find(close, at);
        const auto found =
            end == std::string::npos ? variables_.end() : variables_.find(text.substr(at + 2, end - at - 2));
        if (found != variables_.end() && out.size() < 100'000) {
          out += found->second;
          at = end;
          changed = true;
        } else {
          out += text[at];
        }
      }
      text = std::move(out);
      if (!changed) {
        break;
      }
    }
    return text;
  }

 private:
  void visit(const std::string& name) {
    const auto found = rules_.find(name);
    if (found == rules_.end() || visited_.size() >= targets_max || !visited_.insert(name).second) {
      return;
    }
    for (const std::string& wait : found->second.waits) {
      visit(wait);
    }
    std::string text = unfolded(found->second.recipe);
    for (std::size_t at = text.find("$$"); at != std::string::npos; at = text.find("$$", at + 1)) {
      text.erase(at, 1);
    }
    out_ += text;
  }
};

}  // namespace

std::string recipes_of(std::string_view makefile, std::span<const std::string> goals) {
  return Makefile(makefile).recipes(goals);
}

std::string shell_of(std::string_view makefile) {
  const std::string said = Makefile(makefile).unfolded("$(SHELL)");
  return said == "$(SHELL)" ? std::string() : said.substr(0, said.find(' '));
}

std::vector<std::string> included_makefiles(std::string_view makefile) {
  const Makefile whole(makefile);
  std::vector<std::string> out;
  for (std::string& line : lines_of(makefile)) {
    if (line.find("include") == std::string::npos) {
      continue;
    }
    line = whole.unfolded(std::move(line));
    constexpr std::string_view wildcard = "$(wildcard ";
    for (std::size_t at = line.find(wildcard); at != std::string::npos; at = line.find(wildcard)) {
      line.erase(at, wildcard.size());
      const std::size_t end = line.find(')', at);
      line.erase(std::min(end, line.size()), 1);
    }
    std::vector<std::string> words = words_of(line);
    if (words.size() > 1 && (words[0] == "include" || words[0] == "-include" || words[0] == "sinclude") &&
        line[0] != '\t') {
      out.insert(out.end(), words.begin() + 1, words.end());
    }
  }
  return out;
}

}  // namespace plumb::workflow
