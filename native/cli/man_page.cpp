// plumb(1) from the command table.
#include "native/base/version.hpp"
#include "native/cli/exit_codes.hpp"
#include "native/cli/help_text.hpp"

namespace plumb::cli {

namespace {

// Text for roff: hyphens that may be copied, no line that begins with a control character.
std::string roff(std::string_view text) {
  std::string out;
  bool line_start = true;
  for (char c : text) {
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else if ((c == '.' || c == '\'') && line_start) {
      out += "\\&";
      out += c;
    } else if (c == '`') {
      out += '"';  // code in our texts; roff has no need of it
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

// A macro's argument in quotes.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (char c : roff(text)) {
    if (c == '"') {
      out += "\\(dq";
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void paragraphs(std::string& out, std::string_view text) {
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = text.find("\n\n", from);
    out += roff(text.substr(from, to == std::string_view::npos ? text.size() - from : to - from)) + "\n";
    if (to == std::string_view::npos) {
      break;
    }
    out += ".PP\n";
    from = to + 2;
  }
}

void option(std::string& out, const OptionSpec& spec) {
  out += ".TP\n";
  if (spec.letter != 0) {
    out += "\\fB\\-" + std::string(1, spec.letter) + "\\fR, ";
  }
  out += "\\fB" + roff(spec.name) + "\\fR";
  if (!spec.value.empty()) {
    out += (spec.optional ? "[=\\fI" : " \\fI") + roff(spec.value) + (spec.optional ? "\\fR]" : "\\fR");
  }
  out += "\n" + roff(spec.help);
  if (!spec.choices.empty()) {
    out += " One of";
    for (std::size_t i = 0; i < spec.choices.size(); ++i) {
      out += (i == 0 ? " " : ", ") + std::string("\\fB") + roff(spec.choices[i]) + "\\fR";
    }
    out += ".";
  }
  if (spec.repeats) {
    out += " May be repeated.";
  }
  if (!spec.default_text.empty()) {
    out += " Default: " + roff(spec.default_text) + ".";
  }
  out += "\n";
}

}  // namespace

std::string man_page() {
  std::string out;
  out += ".TH PLUMB 1 \"\" " + in_quotes("plumb " + std::string(version)) + " \"Plumbline\"\n";
  out += ".SH NAME\nplumb \\- check what a model produced, and repair it\n";
  out += ".SH SYNOPSIS\n";
  for (const CommandSpec& command : command_table()) {
    out += ".B plumb " + roff(command.path) + "\n";
    if (command.options.size() > 1) {
      out += "[\\fIOPTIONS\\fR]\n";
    }
    for (const ArgumentSpec& argument : command.arguments) {
      std::string name = "\\fI" + roff(argument.name) + "\\fR";
      if (argument.repeats) {
        name += "...";
      }
      out += (argument.required ? name : "[" + name + "]") + "\n";
    }
    out += ".br\n";
  }
  out += ".SH DESCRIPTION\n";
  out +=
      "Plumbline decides whether the output of a language model is good enough to pass on. A \\fIcontract\\fR is a "
      "JSON "
      "Schema document with some additional keywords. An \\fIartifact\\fR is a model's output. A \\fIverdict\\fR lists "
      "everything that is wrong with an artifact under a contract, and the resulting decision.\n";
  out += ".SH COMMANDS\n";
  for (const CommandSpec& command : command_table()) {
    out += ".SS " + in_quotes("plumb " + std::string(command.path)) + "\n";
    out += roff(command.summary) + ".\n.PP\n";
    paragraphs(out, command.description);
    for (const OptionSpec& spec : command.options) {
      if (spec.name != "--help") {
        option(out, spec);
      }
    }
    if (!command.examples.empty()) {
      out += ".PP\nExamples:\n.RS\n.nf\n";
      for (std::string_view example : command.examples) {
        const std::size_t tab = example.find('\t');
        out += roff(example.substr(0, tab)) + "\n";
      }
      out += ".fi\n.RE\n";
    }
  }
  out += ".SH FILES\n.TP\n.B plumb.yaml\n";
  out +=
      "Assigns contracts to files. It is looked for in the working directory and those above. Globs and paths are "
      "relative to it; the first entry whose glob matches decides. Keys: \\fBcontracts\\fR (a list of entries with "
      "\\fBfiles\\fR, "
      "a glob or a list of globs, \\fBcontract\\fR, a name or a file, and \\fBcontext\\fR, a file), \\fBdocuments\\fR "
      "(a "
      "map from URI to file), \\fBfail_on\\fR, \\fBformat\\fR and \\fBstore\\fR (where runs are kept). The command "
      "line overrides it.\n.RS\n.PP\n.nf\n"
      "contracts:\n  \\- files: artifacts/quiz\\-*.json\n    contract: quiz\n"
      "  \\- files: [\"cards/**/*.json\", \"cards/**/*.jsonl\"]\n    contract: contracts/cards.json\n"
      "fail_on: warning\n.fi\n.RE\n";
  out += ".SH EXIT STATUS\n";
  for (const ExitCode& code : exit_codes()) {
    out += ".TP\n.B " + std::string(1, code.digit) + "\n" + roff(code.meaning) + "\n";
  }
  out += ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nDisables colours if it is set and not empty.\n";
  out += ".TP\n.B PLUMB_STORE, XDG_STATE_HOME\nWhere runs are kept, unless \\fB\\-\\-store\\fR is given.\n";
  out += ".TP\n.B LC_ALL, LC_CTYPE, LANG\nSymbols outside ASCII are printed only in a UTF\\-8 locale.\n";
  return out;
}

}  // namespace plumb::cli
