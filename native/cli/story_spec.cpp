// What the commands of `plumb story` take.
#include "native/cli/command_specs.hpp"

namespace plumb::cli {

namespace {

OptionSpec choice_option(std::string_view name, std::string_view value, std::vector<std::string_view> choices,
                         std::string_view otherwise, std::string_view help) {
  return {name, 0, value, std::move(choices), otherwise, help, Completes::choice, false};
}

OptionSpec drafts_option() {
  return plain_option("--drafts", "", "Passages without prose show the author's summary, marked as a draft.");
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
  return {"STORY", "An outline, in YAML or JSON, or the folder of a project.", Completes::file, false, true};
}
ArgumentSpec project_argument() { return {"PROJECT", "The folder of a project.", Completes::directory, false, true}; }

OptionSpec run_option() { return plain_option("--run", "ID", "A line of the project (otherwise the newest)."); }

OptionSpec folder_option() {
  OptionSpec out = plain_option("--output", "DIR", "The folder that the story is written to.");
  out.letter = 'o';
  out.completes = Completes::directory;
  return out;
}

OptionSpec as_option() {
  return choice_option("--as", "FORM", {"all", "twee", "html", "json", "gamebook"}, "all",
                       "What is written: Twee 3 for SugarCube, one HTML file, story.json, a gamebook to print.");
}

ArgumentSpec outline_argument() { return {"OUTLINE", "The outline, in YAML or JSON.", Completes::file, false, true}; }

std::vector<OptionSpec> report_options() {
  return {choice_option("--format", "FORMAT", {"text", "short", "json", "jsonl", "sarif", "junit", "github", "llm"},
                        "text", "The report's form, as in `plumb check`."),
          choice_option("--fail-on", "LEVEL", {"error", "warning", "info", "never"}, "error",
                        "The least severity of a finding that gives exit code 1."),
          plain_option("--quiet", "", "Findings only.")};
}

}  // namespace

std::vector<CommandSpec> story_commands() {
  std::vector<CommandSpec> out;
  out.push_back(command("story new", "Write an outline of two dilemmas to begin with",
                        "Writes FILE, which `plumb story make` turns into a story that can be read at once. A file "
                        "that is there already stays as it is.",
                        {"FILE", "Where the outline is to be written, in YAML.", Completes::file, false, true}, {},
                        {"plumb story new tale.yaml"}));
  std::vector<OptionSpec> make = report_options();
  make.insert(make.begin(), {folder_option(), drafts_option(), as_option(),
                             plain_option("--project", "DIR", "The folder of the project that keeps how it was made."),
                             plain_option("--watch", "", "Stay, and make it again whenever the outline changes.")});
  make[3].completes = Completes::directory;
  out.push_back(command("story make", "Make a story of an outline, prove that it can be read to an end, and ship it",
                        "Grows the outline into passages, choices and codewords, judges the result, walks through "
                        "every reading, and writes the story. Nothing is "
                        "written while there are errors: from every passage that a reader can come to, an ending must "
                        "be within reach.\n\n"
                        "No sentence is invented. Passages without prose are refused unless --drafts is given.\n\n"
                        "Exit code 0: made; 1: there are findings, and nothing was written; 2: it could not be judged.",
                        outline_argument(), std::move(make),
                        {"plumb story make docs/examples/lighthouse.yaml -o story",
                         "plumb story make tale.yaml -o story --drafts --watch",
                         "plumb story make tale.yaml --format sarif\tjudge only"}));
  std::vector<OptionSpec> check = report_options();
  check.push_back(plain_option("--output", "FILE", "Write the report there."));
  check.back().letter = 'o';
  check.back().completes = Completes::file;
  CommandSpec checks = command(
      "story check", "Check stories: Twee 3, story.json, our HTML, or outlines",
      "Finds links that lead nowhere, passages that nobody reaches, and dead ends. Then walks every reading, and "
      "reports each place from which no ending can be reached, with the shortest way there. Of SugarCube, links, "
      "settings and conditions over values are read. Of other formats, links alone are read. A story of which "
      "something was not read is undecided: exit code 2, with each such place. It is never called a trap where "
      "a way may exist.",
      {"FILE", "The stories.", Completes::file, true, true}, std::move(check),
      {"plumb story check old.twee", "plumb story check tale.yaml --format short"});
  out.push_back(std::move(checks));
  out.push_back(command("story inspect", "What an outline grows into, as JSON",
                        "Counts, prose, branching, each dilemma's policy and whether it is kept, gates and their "
                        "codewords, what a model would have added, play, findings, and the "
                        "phases with the graph's hash after each.",
                        story_argument(), {run_option()}, {"plumb story inspect docs/examples/lighthouse.yaml"}));
  out.push_back(command(
      "story graph", "Draw the grown story", "Passages and choices; gates are in brackets, variants are dashed.",
      story_argument(),
      {choice_option("--format", "FORM", {"dot", "mermaid", "svg"}, "dot", "Graphviz, Mermaid or SVG."), run_option()},
      {"plumb story graph docs/examples/lighthouse.yaml --format svg > story.svg"}));
  out.push_back(command(
      "story audit", "Every change of the story's graph, with stage, phase and reason",
      "One JSON object a line: stage, phase, operation, target, what changed, what was before, and why.",
      story_argument(),
      {plain_option("--stage", "NAME", "Of this stage only."), plain_option("--phase", "NAME", "Of this phase only."),
       choice_option("--operation", "NAME",
                     {"create_node", "update_node", "replace_node", "delete_node", "add_edge", "remove_edge"}, "",
                     "Of this kind only."),
       plain_option("--target", "ID", "Of this node only, or edges from or to it."),
       plain_option("--limit", "N", "At most so many, up to 1,000,000 (otherwise 50)."),
       plain_option("--summary", "", "How many there are, by phase and operation."), run_option()},
      {"plumb story audit docs/examples/lighthouse.yaml --phase apply_routing --summary"}));
  out.push_back(command("story status", "The phases that a story goes through, and what each did",
                        "A line a phase: stage, phase, status, changes, the graph's hash, what it tells. Of a project "
                        "its lines too, the newest first: each is a run that goes on from another one or begins anew.",
                        story_argument(), {run_option()}, {"plumb story status docs/examples/lighthouse.yaml"}));
  out.push_back(command("story ship", "Write a project's story as Twee, HTML, JSON and a gamebook",
                        "What `plumb story make` writes, of a project. Nothing is written of a story with errors.",
                        project_argument(), {folder_option(), drafts_option(), as_option(), run_option()},
                        {"plumb story ship tale -o out"}));
  std::vector<OptionSpec> rewind = report_options();
  rewind.insert(rewind.begin(),
                {plain_option("--to", "PHASE", "Go on before this phase, \"seed/analyses\", or stage, \"grow\"."),
                 plain_option("--outline", "FILE", "The outline of what follows (otherwise the same).")});
  rewind[1].completes = Completes::file;
  out.push_back(
      command("story rewind", "Go on with a project's story from before a phase",
              "A new line that takes over what comes before the phase, and makes it and all behind it again. "
              "The former line stays as it is; `plumb story status` shows both. With another outline, what "
              "is taken over must be what that outline gives; else it says to which phase to rewind.",
              project_argument(), std::move(rewind),
              {"plumb story rewind tale --to seed/analyses --outline tale.yaml", "plumb story rewind tale --to grow"}));
  return out;
}

}  // namespace plumb::cli
