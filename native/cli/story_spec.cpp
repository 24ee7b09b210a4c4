// What the commands of `plumb story` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec choice_option(std::string_view name, std::string_view value, std::vector<std::string_view> choices,
                         std::string_view otherwise, std::string_view help) {
  return {name, 0, value, std::move(choices), otherwise, help, Completes::choice, false};
}

OptionSpec drafts_option() {
  return plain_option("--drafts", "",
                      "Accept passages without prose: they show the author's summary, marked as a draft.");
}

CommandSpec command(std::string_view path, std::string_view summary, std::string_view description,
                    ArgumentSpec argument, std::vector<OptionSpec> options, std::vector<std::string_view> examples) {
  CommandSpec c;
  c.path = path;
  c.summary = summary;
  c.description = description;
  c.arguments = {std::move(argument)};
  c.options = std::move(options);
  for (OptionSpec& o : look_options()) {
    c.options.push_back(std::move(o));
  }
  c.options.push_back(help_option());
  c.examples = std::move(examples);
  return c;
}

ArgumentSpec story_argument() {
  return {"STORY", "An outline in YAML or JSON, or a project's folder.", Completes::file, false, true};
}
ArgumentSpec project_argument() { return {"PROJECT", "A project's folder.", Completes::directory, false, true}; }

OptionSpec run_option() { return plain_option("--run", "ID", "The project's revision line. Default: the newest."); }

OptionSpec folder_option() {
  OptionSpec out = plain_option("--output", "DIR", "The folder to write the story to.");
  out.letter = 'o';
  out.completes = Completes::directory;
  return out;
}

OptionSpec as_option() {
  return choice_option("--as", "FORM", {"all", "twee", "html", "json", "gamebook"}, "all",
                       "The formats to write: Twee 3 for SugarCube, one HTML file, story.json, a gamebook to print.");
}

std::vector<OptionSpec> reader_options() {
  std::vector<OptionSpec> out = {
      plain_option("--theme", "FILE", "A CSS file for the HTML, applied after its own style; at most 64 KB."),
      plain_option("--words", "FILE", "The reader's buttons and notes in another language, as YAML or JSON.")};
  for (OptionSpec& one : out) {
    one.completes = Completes::file;
  }
  return out;
}

ArgumentSpec outline_argument() { return {"OUTLINE", "The outline in YAML or JSON.", Completes::file, false, true}; }

std::vector<OptionSpec> report_options() {
  return {choice_option("--format", "FORMAT", {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"},
                        "text", "The report's format, as in `plumb check`."),
          choice_option("--fail-on", "LEVEL", {"error", "warning", "info", "never"}, "error",
                        "The lowest severity that gives exit code 1."),
          plain_option("--quiet", "", "Print only findings.")};
}

}  // namespace

std::vector<CommandSpec> story_commands() {
  std::vector<CommandSpec> out;
  out.push_back(command("story new", "Write a first outline with two dilemmas",
                        "Writes FILE, an outline that `plumb story make` can use at once. An existing file is kept.",
                        {"FILE", "The YAML file to write.", Completes::file, false, true}, {},
                        {"plumb story new tale.yaml"}));
  std::vector<OptionSpec> make = report_options();
  make.insert(make.begin(),
              {folder_option(), drafts_option(), as_option(),
               plain_option("--project", "DIR", "The project's folder, which keeps how the story was made."),
               plain_option("--watch", "", "Keep running, and make the story again whenever the outline changes.")});
  make[3].completes = Completes::directory;
  const std::vector<OptionSpec> reader = reader_options();
  make.insert(make.begin() + 3, reader.begin(), reader.end());
  out.push_back(command(
      "story make", "Make a story from an outline, prove that every reading can reach an ending, and write it",
      "Grows the outline into passages, choices and codewords, checks the result, walks every reading, and "
      "writes the story. With errors nothing is written: an ending must be reachable from every passage that a "
      "reader can reach.\n\nNo sentence is invented. Passages without prose are refused unless --drafts is "
      "given.\n\nExit code 0: made; 1: there are findings, and nothing was written; 2: it could not be judged.",
      outline_argument(), std::move(make),
      {"plumb story make docs/examples/lighthouse.yaml -o story",
       "plumb story make tale.yaml -o story --theme night.css", "plumb story make tale.yaml -o story --drafts --watch",
       "plumb story make tale.yaml --format sarif\tchecks only"}));
  std::vector<OptionSpec> check = report_options();
  check.push_back(plain_option("--output", "FILE", "Write the report to this file."));
  check.back().letter = 'o';
  check.back().completes = Completes::file;
  CommandSpec checks = command(
      "story check", "Check stories: Twee 3, story.json, our HTML, or outlines",
      "Finds broken links, unreachable passages and dead ends. Then walks every reading, and reports each place from "
      "which no ending can be reached, with the shortest way there. For SugarCube, it reads links, variables, "
      "conditions, widgets and includes; for other formats only links. The Twee files of a folder are one story, and "
      "so are several files if only one has StoryData. If part of a story was not read, the result is undecided "
      "(exit code 2), with each such place. A place is never reported as a trap if a way out may exist.",
      {"FILE", "The stories, or folders of Twee files.", Completes::file, true, true}, std::move(check),
      {"plumb story check old.twee", "plumb story check src/\tall Twee files of a folder as one story",
       "plumb story check tale.yaml --format short"});
  out.push_back(std::move(checks));
  out.push_back(command(
      "story inspect", "Print what an outline grows into, as JSON",
      "Prints counts, prose, branching, each dilemma's policy and whether it is satisfied, gates and their codewords, "
      "what a model would have added, play, findings, and the phases with the graph's hash after each.",
      story_argument(), {run_option()}, {"plumb story inspect docs/examples/lighthouse.yaml"}));
  out.push_back(command(
      "story graph", "Draw the grown story", "Draws passages and choices. Gates are in brackets; variants are dashed.",
      story_argument(),
      {choice_option("--format", "FORM", {"dot", "mermaid", "svg"}, "dot", "Graphviz, Mermaid or SVG."), run_option()},
      {"plumb story graph docs/examples/lighthouse.yaml --format svg > story.svg"}));
  out.push_back(
      command("story audit", "List every change of the story's graph, with stage, phase and reason",
              "Prints one JSON object per line: stage, phase, operation, target, new value, old value, and reason.",
              story_argument(),
              {plain_option("--stage", "NAME", "List only this stage."),
               plain_option("--phase", "NAME", "List only this phase."),
               choice_option("--operation", "NAME",
                             {"create_node", "update_node", "replace_node", "delete_node", "add_edge", "remove_edge"},
                             "", "List only this kind."),
               plain_option("--target", "ID", "List only this node and its edges."),
               plain_option("--limit", "N", "Maximum number of changes, up to 1,000,000. Default: 50."),
               plain_option("--summary", "", "Print only the counts, by phase and operation."), run_option()},
              {"plumb story audit docs/examples/lighthouse.yaml --phase apply_routing --summary"}));
  out.push_back(
      command("story status", "List a story's phases, and what each did",
              "Prints one line per phase: stage, phase, status, changes, the graph's hash and notes. For a project, "
              "also its revision lines, newest first: each is a run that continues another or starts anew.",
              story_argument(), {run_option()}, {"plumb story status docs/examples/lighthouse.yaml"}));
  std::vector<OptionSpec> ship = reader_options();
  ship.insert(ship.begin(), {folder_option(), drafts_option(), as_option()});
  ship.push_back(run_option());
  out.push_back(command("story ship", "Write a project's story as Twee, HTML, JSON and a gamebook",
                        "Writes what `plumb story make` writes. A story with errors is not written.",
                        project_argument(), std::move(ship), {"plumb story ship tale -o out"}));
  std::vector<OptionSpec> rewind = report_options();
  rewind.insert(
      rewind.begin(),
      {plain_option("--to", "PHASE", "Continue from before this phase, \"seed/analyses\", or stage, \"grow\"."),
       plain_option("--outline", "FILE", "The outline for the rest. Default: the same.")});
  rewind[1].completes = Completes::file;
  out.push_back(
      command("story rewind", "Redo a project's story from before a phase",
              "Starts a new revision line, which keeps everything before the phase and redoes the rest. The former "
              "line is kept; `plumb story status` shows both. With another outline, the part that is kept must be the "
              "same for both outlines; otherwise the error names the phase to rewind to.",
              project_argument(), std::move(rewind),
              {"plumb story rewind tale --to seed/analyses --outline tale.yaml", "plumb story rewind tale --to grow"}));
  return out;
}

}  // namespace plumb::cli
