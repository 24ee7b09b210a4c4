// What `plumb search` and `plumb corpus` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec flag(std::string_view name, std::string_view help) {
  return {name, 0, "", {}, "", help, Completes::nothing, false};
}

OptionSpec index_option() {
  return {"--index",
          0,
          "FILE",
          {},
          "",
          "Where the index of the folder is kept (otherwise a file of its own in ~/.cache/plumb/corpus).",
          Completes::file,
          false};
}

void finish(CommandSpec& c) {
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
}

CommandSpec corpus_command(std::string_view path, std::string_view summary, std::string_view description) {
  CommandSpec c;
  c.path = path;
  c.summary = summary;
  c.description = description;
  c.arguments = {{"DIR", "The folder of documents.", Completes::directory, false, true}};
  c.options = {index_option(), flag("--json", "As JSON.")};
  return c;
}

}  // namespace

CommandSpec search_command() {
  CommandSpec c;
  c.path = "search";
  c.summary = "Find passages in a folder of documents, or on the web through SearXNG";
  c.description =
      "QUERY is plain words or a question; no character of it has a meaning of its own. Found are passages of text, "
      "Markdown, HTML, manual pages (.gz too) and PDF (through pdftotext, where it is installed), the best first, each "
      "with the sentences that answer best and the file and line they are in. The index of the folder is made "
      "with the first search and brought up to date with each.\n\n"
      "A query that may mean several things is answered with its readings and the word that would separate them.\n\n"
      "Exit code 0: something was found; 1: nothing; 2: the search could not be made.";
  c.arguments = {{"QUERY", "What is looked for, in words.", Completes::nothing, true, true}};
  c.options = {
      {"--corpus", 0, "DIR", {}, "", "The folder of documents.", Completes::directory, false},
      index_option(),
      {"--searxng",
       0,
       "URL",
       {},
       "",
       "A SearXNG instance to ask: with --corpus where that has nothing, else alone. Nothing but this address is "
       "asked.",
       Completes::nothing,
       false},
      {"--limit", 0, "N", {}, "8", "Passages at most, up to 50.", Completes::nothing, false},
      flag("--no-refresh", "The index as it is, without a look at the folder."),
      flag("--json", "The answer as JSON: the form of a `search` effect's reply."),
      flag("--answer", "The answer as an artifact under the contract `search`, as JSON."),
  };
  finish(c);
  c.examples = {"plumb search --corpus /usr/share/doc which option of apt-get removes configuration files",
                "plumb search --corpus docs --json \"early stop\"",
                "plumb search --corpus docs --answer early stop | plumb check --contract search -",
                "plumb search --searxng http://127.0.0.1:8888 electric cars sold in Norway in 2023"};
  return c;
}

CommandSpec corpus_index_command() {
  CommandSpec c =
      corpus_command("corpus index", "Make the index of a folder, or bring it up to date",
                     "Reads what is new or changed, and forgets what is gone. It may be killed at any time: the next "
                     "one goes on. Files that cannot be read, are no text or too large are skipped and told.");
  c.options.insert(
      c.options.begin() + 1,
      {"--file-max", 0, "BYTES", {}, "32M", "The largest file that is read (K, M or G).", Completes::nothing, false});
  finish(c);
  c.examples = {"plumb corpus index /usr/share/doc", "plumb corpus index docs --index docs.db --json"};
  return c;
}

CommandSpec corpus_status_command() {
  CommandSpec c = corpus_command("corpus status", "What the index of a folder holds, and what was skipped",
                                 "Files, passages, sizes, and the files that are not in it with the reason.");
  finish(c);
  c.examples = {"plumb corpus status /usr/share/doc"};
  return c;
}

}  // namespace plumb::cli
