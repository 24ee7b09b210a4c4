// docs/settings.md is written from the tables of those who read settings. PLUMB_REWRITE=1 writes it.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "native/cli/command_table.hpp"
#include "native/cli/setting_tables.hpp"
#include "native/proxy/setting_table.hpp"
#include "tests/native/generated_page.hpp"

using namespace plumb;
using plumb::test::markdown;

namespace {

constexpr std::string_view head = R"(# Settings

Look up a key of `plumb.yaml`. Plumbline looks for this file in the working directory and the folders above it;
`--config FILE` names another one.

`plumb.yaml`

```yaml
providers: {default: extract}
fail_on: warning
```

```sh
plumb providers       # shows the provider of each phase, and the key that chose it
```

An unknown key is an error, with the nearest known key. Paths and globs are relative to the file. Options of the
[command line](commands.md) override the file. Some keys have no effect until you [trust](work.md#trust) the file.
This page is generated from the tables of the code, and a test tries every key.

A word in capitals stands for a name that you choose. `PHASE` is a phase that `plumb providers` lists, and `PROVIDER` is
a provider or your own name for one. `[]` stands for each entry of a list.

| type | how to write it |
| --- | --- |
| duration | a number with a unit: `30s`, `5m`, `12h`; `ms` under `proxy` and `limits`, `d` under `proxy` and `runs` |
| milliseconds | a number without a unit |
| size | bytes: `65536`, `64KB`, `16MB`, `1GB` |
| dollars | `2.50` |
| percent | a share with `%`, from 0 to 100: `10%`, `0.5%` |
| glob | `*`, `?`, `[abc]`, `{a,b}`, and `**` for any folders |
| model | `PROVIDER/MODEL` |
| contract | the name of a built-in contract or a type of `artifacts`, or a file |
| file, folder | a path; `~/` begins in your home for keys, commands and repositories |
| URL | `http://127.0.0.1:4318`; for NATS servers `nats://127.0.0.1:4222/NAME` |
| time | a time in UTC: `2026-12-31T23:59:59Z` |
| like `KEY` | the same as `KEY` |

Under `proxy`, an older form of durations still works, with the unit in the key: `call_ms: 600000`, `ttl_s: 3600`. The
state folder is `plumb` in `$XDG_STATE_HOME`, or `~/.local/state/plumb`.
)";

constexpr std::string_view other_files = R"(
## Other files

| file | described in |
| --- | --- |
| gates in `.semspec/config.yaml`, in the form of `workflow.gates` | [Workflows](workflow.md) |
| the registry of models (`budget.models`) | [Budgets](budget.md) |
| prompts (`prompts`) | [Prompts](prompts.md) |
| the outline of a story | [Stories](story.md) |

## The key file

`plumb keys` writes this JSON file. The [proxy](proxy-operate.md#keys) reads it again within a second after a change.
)";

// "proxy.bounds" of "proxy.bounds.head", "contracts" of "contracts[].files", "commands" of "commands.NAME.run".
std::string section_of(std::string_view path) {
  std::string out;
  for (int words = 0; words < 2 && !path.empty(); ++words) {
    const std::size_t end = std::min(path.find('.'), path.size());
    const std::string word(path.substr(0, std::min(end, path.find('['))));
    path.remove_prefix(std::min(end + 1, path.size()));
    const bool chosen = std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (chosen || (words > 0 && path.empty())) {
      break;
    }
    out += (words > 0 ? "." : "") + word;
  }
  return out;
}

// Of the key itself, or of the nearest one above it that names a page.
std::string page_of(const SettingTable& table, std::string path) {
  for (;;) {
    for (const Setting& one : table) {
      if (one.path == path && !one.page.empty()) {
        return one.page;
      }
    }
    const std::size_t end = path.find_last_of(".[");
    if (end == std::string::npos) {
      return {};
    }
    path.resize(end);
  }
}

std::string type_cell(const Setting& one) {
  constexpr std::string_view like = "like ";
  return one.type.starts_with(like) ? "like `" + one.type.substr(like.size()) + "`" : one.type;
}

std::string row_of(const SettingTable& table, const Setting& one) {
  const std::string page = page_of(table, one.path);
  const std::string name = page.substr(0, page.find('.'));
  return "| `" + one.path + "` | " + type_cell(one) + " | " + markdown(one.usual, true) + " | " +
         markdown(one.meaning, true) + " | [" + name + "](" + page + ") |\n";
}

constexpr std::string_view columns = "\n| key | type | default | meaning | more |\n| --- | --- | --- | --- | --- |\n";

std::string settings_page() {
  const SettingTable table = cli::plumb_yaml_settings();
  std::string out = std::string(head) + "\n## Top level\n" + std::string(columns);
  for (const std::string_view key : keys_below(table, "")) {
    out +=
        row_of(table, *std::find_if(table.begin(), table.end(), [&](const Setting& one) { return one.path == key; }));
  }
  // Sections in the order in which they come first; a key that has keys below it is listed in the section above.
  std::vector<std::pair<std::string, std::string>> sections;
  for (const Setting& one : table) {
    const std::string name = section_of(one.path);
    if (one.path.find_first_of(".[") == std::string::npos) {
      continue;
    }
    auto at =
        std::find_if(sections.begin(), sections.end(), [&](const auto& section) { return section.first == name; });
    if (at == sections.end()) {
      at = sections.insert(sections.end(), {name, ""});
    }
    at->second += row_of(table, one);
  }
  for (const auto& [name, rows] : sections) {
    out += (name.find('.') == std::string::npos ? "\n## " : "\n### ") + name + "\n" + std::string(columns) + rows;
  }
  out += std::string(other_files) + std::string(columns);
  for (const Setting& one : proxy::key_file_settings()) {
    out += row_of(proxy::key_file_settings(), one);
  }
  return out;
}

const Setting* setting(const SettingTable& table, std::string_view path) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const Setting& one) { return one.path == path; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace

TEST_CASE("docs: the page of settings is what the tables of the readers say") {
  test::hold_page("docs/settings.md", settings_page());
}

TEST_CASE("docs: every key has one row, a key above it and a page, and nothing that breaks a table") {
  const SettingTable yaml = cli::plumb_yaml_settings();
  for (const SettingTable* table : {&yaml, &proxy::key_file_settings()}) {
    for (const Setting& one : *table) {
      CAPTURE(one.path);
      CHECK(setting(*table, one.path) == &one);
      CHECK_FALSE(one.type.empty());
      CHECK_FALSE(one.meaning.empty());
      CHECK_FALSE(page_of(*table, one.path).empty());
      CHECK(one.type.find('|') == std::string::npos);
      if (constexpr std::string_view like = "like "; one.type.starts_with(like)) {
        CHECK(setting(yaml, one.type.substr(like.size())) != nullptr);
      }
    }
  }
}

TEST_CASE("docs: a key and the option that overrides it have one default") {
  const SettingTable table = cli::plumb_yaml_settings();
  struct Same {
    std::string_view command, option, key;
  };
  for (const Same& one :
       {Same{"check", "--fail-on", "fail_on"}, Same{"check", "--format", "format"},
        Same{"serve", "--keep-runs", "runs.keep"}, Same{"serve", "--stop-grace", "runs.stop_grace"}}) {
    CAPTURE(one.key);
    const cli::CommandSpec* command = cli::find_command(one.command);
    REQUIRE(command != nullptr);
    const auto option = std::find_if(command->options.begin(), command->options.end(),
                                     [&](const cli::OptionSpec& other) { return other.name == one.option; });
    REQUIRE(option != command->options.end());
    CHECK(option->default_text == setting(table, one.key)->usual);
  }
}
