#include "core/workflow/junit.hpp"

#include <algorithm>
#include <optional>

#include "core/ascii.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/utf8.hpp"
#include "core/wording.hpp"

namespace plumb::workflow {

namespace {

constexpr std::size_t bytes_max = std::size_t{16} << 20U;
constexpr std::size_t levels_max = 64;
constexpr std::size_t tests_max = 200'000;
constexpr std::size_t name_max = 300;
constexpr std::size_t failing_max = 200;
constexpr std::size_t attributes_max = 64;
constexpr std::uint64_t counted_max = 1'000'000;

bool ends_name(char c) {
  return ascii::is_space(c) || c == '>' || c == '/' || c == '=' || c == '<' || c == '"' || c == '\'';
}

struct Attributes {
  std::string name, suite, status, result, failures, errors;
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view xml) : xml_(xml) {}

  Result<TestCounts> run() {
    if (xml_.starts_with("\xEF\xBB\xBF")) {
      at_ = 3;
    }
    while (!error_ && at_ < xml_.size()) {
      const std::size_t open = xml_.find('<', at_);
      at_ = open == std::string_view::npos ? xml_.size() : open;
      if (at_ < xml_.size()) {
        markup();
      }
    }
    if (!error_ && !open_.empty()) {
      fail("<" + open_.back() + "> is not closed: the report is cut off");
    }
    if (!error_ && !any_) {
      fail("there is no element in it: this is no report");
    }
    if (error_) {
      return *error_;
    }
    if (out_.failed == 0 && declared_ > 0) {  // a failure that no test stands for, as of a file that cannot be loaded
      out_.failed = declared_;
      out_.failing.push_back(declared_by_);
    }
    return std::move(out_);
  }

 private:
  void fail(std::string message, ErrorCode code = ErrorCode::invalid_argument) {
    if (!error_) {
      const auto to = xml_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, xml_.size()));
      const auto line = static_cast<std::size_t>(std::count(xml_.begin(), to, '\n')) + 1;
      error_ = Error{code, "line " + std::to_string(line) + " of the report: " + std::move(message), "", line, 1};
    }
  }

  bool begins(std::string_view text) const { return xml_.substr(at_, text.size()) == text; }

  void skip_to(std::string_view end, std::string_view what) {
    const std::size_t found = xml_.find(end, at_);
    if (found == std::string_view::npos) {
      return fail(std::string(what) + " is not closed");
    }
    at_ = found + end.size();
  }

  void markup() {
    if (begins("<!--")) {
      at_ += 4;
      skip_to("-->", "a comment");
    } else if (begins("<![CDATA[")) {
      skip_to("]]>", "a CDATA section");
    } else if (begins("<?")) {
      skip_to("?>", "a processing instruction");
    } else if (begins("<!")) {
      fail("a DOCTYPE is not read: reports have none, and its entities are a way to fill memory");
    } else if (begins("</")) {
      closing();
    } else {
      element();
    }
  }

  std::string_view name() {
    const std::size_t from = at_;
    while (at_ < xml_.size() && !ends_name(xml_[at_])) {
      ++at_;
    }
    return xml_.substr(from, at_ - from);
  }

  void blanks() {
    while (at_ < xml_.size() && ascii::is_space(xml_[at_])) {
      ++at_;
    }
  }

  void closing() {
    at_ += 2;
    const std::string_view closed = name();
    blanks();
    if (at_ == xml_.size() || xml_[at_] != '>' || open_.empty() || open_.back() != closed) {
      return fail("</" + json::excerpt(closed, 40) + "> closes nothing that is open");
    }
    ++at_;
    close();
  }

  void element() {
    ++at_;
    const std::string_view opened = name();
    if (opened.empty()) {
      return fail("a '<' begins no element");
    }
    any_ = true;
    Attributes attributes;
    std::size_t count = 0;
    for (blanks(); !error_ && at_ < xml_.size() && xml_[at_] != '>' && xml_[at_] != '/'; blanks()) {
      if (++count > attributes_max) {
        return fail("an element has more than " + std::to_string(attributes_max) + " attributes", ErrorCode::limit);
      }
      attribute(attributes);
    }
    if (error_) {
      return;
    }
    const bool empty = begins("/>");
    if (!empty && (at_ == xml_.size() || xml_[at_] != '>')) {
      return fail("<" + json::excerpt(opened, 40) + " is not closed");
    }
    at_ += empty ? 2 : 1;
    if (open_.size() == levels_max) {
      return fail("elements are nested more than " + std::to_string(levels_max) + " deep", ErrorCode::limit);
    }
    open_.emplace_back(opened);
    begin(opened, attributes);
    if (empty && !error_) {
      close();
    }
  }

  void attribute(Attributes& into) {
    const std::string_view key = name();
    blanks();
    if (key.empty() || at_ == xml_.size() || xml_[at_] != '=') {
      return fail("an attribute has no value");
    }
    ++at_;
    blanks();
    const char quote = at_ < xml_.size() ? xml_[at_] : ' ';
    const std::size_t end = quote == '"' || quote == '\'' ? xml_.find(quote, at_ + 1) : std::string_view::npos;
    if (end == std::string_view::npos) {
      return fail("the value of '" + json::excerpt(key, 40) + "' is not closed");
    }
    std::string* const wanted = key == "name"        ? &into.name
                                : key == "classname" ? &into.suite
                                : key == "status"    ? &into.status
                                : key == "result"    ? &into.result
                                : key == "failures"  ? &into.failures
                                : key == "errors"    ? &into.errors
                                                     : nullptr;
    if (wanted != nullptr) {
      *wanted = decoded(xml_.substr(at_ + 1, end - at_ - 1));
    }
    at_ = end + 1;
  }

  // An entity that is none of XML's five stays as it is written.
  static std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size() && out.size() < name_max; ++i) {
      const std::size_t end = text[i] == '&' ? text.find(';', i) : std::string_view::npos;
      if (end == std::string_view::npos || end - i > 10) {
        out += ascii::is_space(text[i]) ? ' ' : text[i];
        continue;
      }
      const std::string_view entity = text.substr(i + 1, end - i - 1);
      if (const char32_t c = character(entity); c != 0) {
        text::append_utf8(out, c);
        i = end;
      } else {
        out += '&';
      }
    }
    while (!out.empty() && !text::is_utf8(out) && out.size() + 4 > name_max) {
      out.pop_back();  // the middle of a character
    }
    return out;
  }

  static char32_t character(std::string_view entity) {
    if (entity == "lt" || entity == "gt" || entity == "amp" || entity == "quot" || entity == "apos") {
      return entity == "lt" ? '<' : entity == "gt" ? '>' : entity == "amp" ? '&' : entity == "quot" ? '"' : '\'';
    }
    if (entity.size() < 2 || entity[0] != '#') {
      return 0;
    }
    const bool hex = entity[1] == 'x';
    char32_t value = 0;
    for (const char c : entity.substr(hex ? 2 : 1)) {
      const int digit = hex || ascii::is_digit(c) ? ascii::hex_value(c) : -1;
      if (digit < 0) {
        return 0;
      }
      value = value * (hex ? 16 : 10) + static_cast<char32_t>(digit);
    }
    return value > text::code_point_last || text::is_surrogate(value) ? 0 : value;
  }

  void begin(std::string_view element, const Attributes& attributes) {
    if (element == "testcase") {
      if (in_test_) {
        return fail("a <testcase> is inside another");
      }
      if (++out_.tests > tests_max) {
        return fail("there are more than " + std::to_string(tests_max) + " tests", ErrorCode::limit);
      }
      in_test_ = true;
      skipped_ = attributes.status == "notrun" || attributes.status == "disabled" || attributes.result == "skipped" ||
                 attributes.result == "suppressed";
      failed_ = false;
      test_ = attributes.suite.empty() || attributes.suite == attributes.name
                  ? attributes.name
                  : attributes.suite + "." + attributes.name;
    } else if (in_test_ && (element == "failure" || element == "error")) {
      failed_ = true;
    } else if (in_test_ && element == "skipped") {
      skipped_ = true;
    } else if (element == "testsuite" || element == "testsuites") {
      std::uint64_t failures = 0, errors = 0;
      if (!json::read_uint(attributes.failures, failures)) {
        failures = 0;
      }
      if (!json::read_uint(attributes.errors, errors)) {
        errors = 0;
      }
      const std::uint64_t sum = std::min(failures, counted_max) + std::min(errors, counted_max);
      if (sum > declared_) {
        declared_ = sum;
        declared_by_ = attributes.name.empty() ? std::string(element) : attributes.name;
      }
    }
  }

  void close() {
    if (open_.back() == "testcase") {
      in_test_ = false;
      if (failed_) {
        ++out_.failed;
        if (out_.failing.size() < failing_max) {
          out_.failing.push_back(test_);
        }
      } else if (skipped_) {
        ++out_.skipped;
      }
    }
    open_.pop_back();
  }

  std::string_view xml_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  bool any_ = false, in_test_ = false, skipped_ = false, failed_ = false;
  std::string test_;
  std::uint64_t declared_ = 0;  // the largest count of failures and errors that a suite has
  std::string declared_by_;
  std::optional<Error> error_;
  TestCounts out_;
};

std::string ran(std::uint64_t count) { return count == 0 ? "no test ran" : counted(count, "test ran", "tests ran"); }

}  // namespace

std::span<const json::Field> TestCounts::fields() {
  static constexpr json::Field table[] = {
      json::field<&TestCounts::tests>("tests"), json::field<&TestCounts::skipped>("skipped"),
      json::field<&TestCounts::failed>("failed"), json::field<&TestCounts::failing>("failing")};
  return table;
}

Result<TestCounts> read_junit(std::string_view xml) {
  if (xml.size() > bytes_max) {
    return Error{ErrorCode::limit, "the report has " + std::to_string(xml.size()) + " bytes; at most 16 MB are read",
                 "", 0, 0};
  }
  return XmlReader(xml).run();
}

std::vector<std::string> worse_than(const TestCounts& base, const TestCounts& now) {
  std::vector<std::string> out;
  if (now.ran() < base.ran()) {
    out.push_back(ran(now.ran()) + ", " + std::to_string(base.ran()) + " ran before");
  }
  if (now.skipped > base.skipped) {
    out.push_back(counted(now.skipped, "is skipped, ", "are skipped, ") +
                  (base.skipped == 0 ? "none" : std::to_string(base.skipped)) + (base.skipped == 1 ? " was" : " were") +
                  " before");
  }
  return out;
}

}  // namespace plumb::workflow
