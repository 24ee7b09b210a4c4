// The documentation page: what the artifact holds, the rules, the messages, an example. Written once, over a sink for
// Markdown or HTML.

#include <algorithm>

#include "core/derive/draft.hpp"
#include "core/derive/requirement_text.hpp"
#include "core/derive/wording.hpp"
#include "core/json/indented.hpp"
#include "core/json/writer.hpp"
#include "core/text/markup.hpp"
#include "core/wording.hpp"

namespace plumb::derive {

namespace {

constexpr std::size_t rows_max = 2000;
constexpr std::uint32_t rows_depth_max = 24;

// Marked text: `code` is marked by back quotes in what is given, the rest is text.
class Sink {
 public:
  Sink(std::string& out, bool html) : out_(out), html_(html) {}

  void heading(int level, std::string_view text) {
    if (html_) {
      const std::string tag = "h" + std::to_string(level);
      out_ += "<" + tag + ">" + inline_text(text) + "</" + tag + ">\n";
    } else {
      out_ += out_.empty() ? "" : "\n";
      out_ += std::string(static_cast<std::size_t>(level), '#') + " " + inline_text(text) + "\n";
    }
  }

  void paragraph(std::string_view text) {
    out_ += html_ ? "<p>" + inline_text(text) + "</p>\n" : "\n" + inline_text(text) + "\n";
  }

  void table(const std::vector<std::string>& head) {
    columns_ = head.size();
    if (html_) {
      out_ += "<table>\n";
      row_of(head, "th");
      return;
    }
    out_ += "\n";
    row(head);
    out_ += "|";
    for (std::size_t i = 0; i < columns_; ++i) {
      out_ += " --- |";
    }
    out_ += "\n";
  }

  void row(const std::vector<std::string>& cells) {
    if (html_) {
      row_of(cells, "td");
      return;
    }
    out_ += "|";
    for (const std::string& cell : cells) {
      std::string text = inline_text(cell);
      for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) {
        text.insert(at, "\\");
      }
      out_ += " " + text + " |";
    }
    out_ += "\n";
  }

  void end_table() { out_ += html_ ? "</table>\n" : ""; }

  void code(std::string_view text) {
    out_ += html_ ? "<pre><code>" + escaped(text) + "</code></pre>\n" : "\n```json\n" + std::string(text) + "\n```\n";
  }

 private:
  void row_of(const std::vector<std::string>& cells, std::string_view tag) {
    out_ += "<tr>";
    for (const std::string& cell : cells) {
      out_ += "<" + std::string(tag) + ">" + inline_text(cell) + "</" + std::string(tag) + ">";
    }
    out_ += "</tr>\n";
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      const std::string_view entity = text::markup_entity(static_cast<unsigned char>(c));
      out += entity.empty() ? std::string_view(&c, 1) : entity;
    }
    return out;
  }

  std::string inline_text(std::string_view text) const {
    std::string out;
    bool code = false;
    for (char c : text) {
      if (c == '\n' || c == '\r') {
        out += ' ';
      } else if (html_ && c == '`') {
        out += code ? "</code>" : "<code>";
        code = !code;
      } else if (html_) {
        out += escaped(std::string_view(&c, 1));
      } else {
        const bool marks = !code && (c == '<' || c == '*' || c == '_' || c == '[' || c == ']');
        code = c == '`' ? !code : code;
        out += marks ? "\\" : "";
        out += c;
      }
    }
    out += html_ && code ? "</code>" : "";
    return out;
  }

  std::string& out_;
  bool html_;
  std::size_t columns_ = 0;
};

class PageWriter {
 public:
  PageWriter(Draft& draft, const Forms& forms, bool html)
      : draft_(draft), forms_(forms), graph_(draft.graph), html_(html), sink_(draft.text, html) {}

  void write() {
    const contract::Contract& contract = draft_.contract;
    const std::string title = contract.title().empty() ? contract.name() : contract.title();
    if (html_) {
      draft_.text += "<article class=\"plumb-contract\">\n";
    }
    sink_.heading(1, title);
    const json::Value* description = graph_.schema(graph_.root()).find("description");
    if (description != nullptr && description->size > 0) {
      sink_.paragraph(description->str());
    }
    sink_.paragraph("The contract " + quoted(contract.name()) + ", " + quoted(contract.hash()) + ".");
    fields();
    rules();
    messages();
    example();
    if (!contract.context_read().empty()) {
      std::vector<std::string> all;
      for (const std::string& one : contract.context_read()) {
        all.push_back(quoted(one));
      }
      sink_.heading(2, "Context");
      sink_.paragraph("It reads " + listed(all) + ".");
    }
    if (html_) {
      draft_.text += "</article>\n";
    }
  }

 private:
  std::string types(const Form& form) const {
    if (form.any) {
      return "any value";
    }
    std::vector<std::string> all;
    if (!form.branches.empty()) {
      for (FormId branch : forms_.branches(form)) {
        const std::string one = types(forms_[branch]);
        if (std::find(all.begin(), all.end(), one) == all.end()) {
          all.push_back(one);
        }
      }
      return listed(all, "or");
    }
    if (form.has_values) {
      for (const json::Value* one : form.values) {
        all.push_back(quoted(json::excerpt(json::value_text(*one), 60)));
        if (all.size() == 20 && form.values.size() > 20) {
          all.push_back(std::to_string(form.values.size() - 20) + " more");
          break;
        }
      }
      return listed(all, "or");
    }
    static constexpr std::pair<std::uint8_t, std::string_view> names[] = {
        {contract::type_object, "object"}, {contract::type_array, "array"},     {contract::type_string, "string"},
        {contract::type_number, "number"}, {contract::type_integer, "integer"}, {contract::type_boolean, "boolean"},
        {contract::type_null, "null"}};
    for (const auto& [bit, name] : names) {
      if ((form.types & bit) != 0) {
        all.emplace_back(name);
      }
    }
    return all.size() == 6 ? "any value" : listed(all, "or");
  }

  void fields() {
    sink_.heading(2, "Members");
    sink_.table({"place", "type", "there", "what is asked"});
    field(forms_.root(), no_schema, "", "");
    sink_.end_table();
  }

  void field(FormId id, SchemaId said, const std::string& at, std::string_view there) {
    const Form& form = forms_[id];
    if (rows_++ > rows_max) {
      draft_.fail(ErrorCode::limit, location_of(graph_, form), "the page has more than 2,000 members");
      return;
    }
    std::vector<std::string> lines;
    if (said != no_schema) {
      const json::Value* own = graph_.schema(said).find("description");
      if (own != nullptr) {
        lines.push_back(sentence(own->str()));
      }
    }
    if (const std::string_view own = text_of(graph_, form, "description"); !own.empty() && !at.empty()) {
      if (lines.empty() || lines.front() != sentence(own)) {
        lines.push_back(sentence(own));
      }
    }
    for (const std::string& one : check_texts(graph_, form)) {
      lines.push_back(sentence(one));
    }
    std::string text = joined(lines, " ");
    sink_.row({at.empty() ? "the whole" : quoted(at), types(form), std::string(there), text});
    below(id, at);
  }

  void below(FormId id, const std::string& at) {
    if (std::find(open_.begin(), open_.end(), id) != open_.end()) {
      sink_.row({quoted(at + "/..."), "", "", "as above, within itself"});
      return;
    }
    if (open_.size() > rows_depth_max) {
      draft_.fail(ErrorCode::limit, location_of(graph_, forms_[id]), "the page is nested more than 24 deep");
      return;
    }
    open_.push_back(id);
    const Form& form = forms_[id];
    for (FormId branch : forms_.branches(form)) {
      below(branch, at);
    }
    if (form.branches.empty() && !form.any && !form.has_values) {
      if (forms_.object_possible(form)) {
        for (const FormMember& member : form.members) {
          if (forms_.possible(member.form)) {
            field(member.form, member.said, at + "/" + std::string(member.key), member.required ? "always" : "may be");
          }
        }
        if (form.extra_said && forms_.possible(form.extra)) {
          field(form.extra, no_schema, at + "/*", "other names");
        }
      }
      if (forms_.array_possible(form)) {
        for (std::size_t i = 0; i < form.prefix.size(); ++i) {
          field(form.prefix[i], no_schema, at + "/" + std::to_string(i), i < form.min_items ? "always" : "may be");
        }
        if (forms_.items_max(form) > form.prefix.size() && !forms_[form.rest].any) {
          field(form.rest, no_schema, at + "/*", "each");
        }
      }
    }
    open_.pop_back();
  }

  void rules() {
    const std::vector<RuleText> all = rule_texts(graph_);
    if (all.empty()) {
      return;
    }
    sink_.heading(2, "Rules");
    sink_.table({"rule", "place", "what is asked", "what to do instead"});
    for (const RuleText& rule : all) {
      std::string asks = rule.title.empty() ? "" : sentence(rule.title);
      if (!rule.where.empty()) {
        asks += (asks.empty() ? "" : " ") + sentence(rule.where);
      }
      if (!rule.asks.empty()) {
        asks += (asks.empty() ? "" : " ") + sentence(rule.asks);
      }
      asks += rule.blocks ? " (blocks)" : "";
      sink_.row({quoted(rule.id), rule.at.empty() ? "the whole" : quoted("/" + rule.at), asks, rule.action});
    }
    sink_.end_table();
  }

  void messages() {
    const std::vector<MessageText> all = message_texts(graph_);
    if (all.empty()) {
      return;
    }
    sink_.heading(2, "Messages");
    sink_.table({"place", "keyword", "message"});
    for (const MessageText& one : all) {
      sink_.row({one.at.empty() ? "the whole" : quoted("/" + one.at), quoted(one.keyword), one.text});
    }
    sink_.end_table();
  }

  // The contract's own, else one made up. Whether that keeps every rule only the engine could tell, which does not
  // belong into a module that writes pages.
  void example() {
    const json::Value* given = graph_.schema(graph_.root()).find("examples");
    const bool own = given != nullptr && !given->array().empty();
    std::string text = own ? json::value_text(given->array().front()) : example_text(forms_, forms_.root());
    json::Arena arena;
    const Result<json::Value> tree = json::parse(text, arena);
    if (!tree) {
      return;
    }
    sink_.heading(2, own ? "Example" : "Outline");
    if (!own) {
      sink_.paragraph("The shape alone: its texts are made up and do not keep every rule.");
    }
    sink_.code(json::indented(tree.value()));
  }

  Draft& draft_;
  const Forms& forms_;
  SchemaGraph& graph_;
  bool html_;
  Sink sink_;
  std::vector<FormId> open_;
  std::size_t rows_ = 0;
};

}  // namespace

void write_page(Draft& draft, const Forms& forms, bool html) { PageWriter(draft, forms, html).write(); }

}  // namespace plumb::derive
