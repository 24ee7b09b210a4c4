// What `plumb search` and `plumb corpus` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec flag(std::string_view name, std::string_view help) {
  return {name, 0, "", {}, "", help, Completes::nothing, false};
}

OptionSpec index_option() {
  return {"--index",       0,    "FILE", {}, "", "The folder's index file. Default: a file in ~/.cache/plumb/corpus.",
          Completes::file, false};
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
      "QUERY is plain words or a question; no character is special. It finds passages of text, Markdown, HTML, manual "
      "pages (also .gz) and PDF (if pdftotext is installed). The best come first, each with the sentences that answer "
      "best and their file and line. The index is built on the first search and updated on each.\n\nIf a query has "
      "several meanings, the result lists them, with the word that tells them apart.\n\nExit code 0: found; 1: nothing "
      "found; 2: the search failed.";
  c.arguments = {{"QUERY", "The words or question to search for.", Completes::nothing, true, true}};
  c.options = {
      {"--corpus", 0, "DIR", {}, "", "The folder of documents.", Completes::directory, false},
      index_option(),
      {"--searxng",
       0,
       "URL",
       {},
       "",
       "The address of a SearXNG instance. With --corpus, it is used only if the folder has no answer. No other "
       "address is contacted.",
       Completes::nothing,
       false},
      {"--limit", 0, "N", {}, "8", "Maximum number of passages, up to 50.", Completes::nothing, false},
      flag("--no-refresh", "Use the index as it is, without reading the folder."),
      flag("--json", "Print JSON, in the form of a `search` effect's reply."),
      flag("--answer", "Print JSON that satisfies the contract `search`."),
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
      corpus_command("corpus index", "Build or update the index of a folder",
                     "Reads new and changed files, and drops deleted ones. It may be killed at any time; the next run "
                     "continues. Files that are unreadable, not text or too large are skipped and reported.");
  c.options.insert(
      c.options.begin() + 1,
      {"--file-max", 0, "BYTES", {}, "32M", "Skip files larger than this (K, M or G).", Completes::nothing, false});
  finish(c);
  c.examples = {"plumb corpus index /usr/share/doc", "plumb corpus index docs --index docs.db --json"};
  return c;
}

CommandSpec corpus_status_command() {
  CommandSpec c = corpus_command("corpus status", "Show the contents of a folder's index, and skipped files",
                                 "Prints files, passages, sizes, and each skipped file with the reason.");
  finish(c);
  c.examples = {"plumb corpus status /usr/share/doc"};
  return c;
}

}  // namespace plumb::cli
