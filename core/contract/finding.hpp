// A finding: one thing that is wrong with an artifact, and where. See docs/contract-reference.md for every rule.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::contract {

enum class Severity : std::uint8_t { error, warning, info };

// What kind of wrong it is (after the classes of a manifest check): the value itself, a reference to something that is
// not there, a number of things, or the meaning.
enum class FindingClass : std::uint8_t { inner, reference, count, meaning };

// The value's place in the text. Byte ranges are half open; lines and columns count from 1, columns in UTF-16 code
// units as editors do. A line ends at LF, CRLF or CR.
struct Span {
  std::uint64_t from = 0;
  std::uint64_t to = 0;
  std::uint64_t utf16_from = 0;
  std::uint64_t utf16_to = 0;
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  std::uint32_t line_to = 1;
  std::uint32_t column_to = 1;
};

struct Finding {
  std::uint32_t id = 0;  // from 1, in the order in which findings became certain
  std::string rule;      // a keyword ("minItems"), a rule's id ("answerable"), or syntax, duplicateKey, limit
  Severity severity = Severity::error;
  FindingClass finding_class = FindingClass::inner;
  std::string at;                    // JSON Pointer of the instance
  std::string item;                  // the nearest item label, "Question 1", or empty
  std::string message;               // one sentence for people; empty while `partial`
  std::string provided;              // what was there, bounded to 200 characters; empty while `partial`
  std::string requirement;           // what is required, without the place: "at least 4 items"
  std::string property;              // `required`, additional and unevaluated properties: the member's name
  std::string action;                // the rule's own `action`, else empty
  std::string schema_location;       // JSON Pointer into the contract, or URI#pointer for another document
  std::string wants_context;         // undecided only: the context pointer that found nothing
  std::vector<std::string> allowed;  // as JSON texts, near misses first, at most 20
  std::uint64_t decided_at = 0;      // the number of bytes after which the finding was certain
  Span span;
  bool partial = false;           // certain, but its value has not ended yet
  bool blocks = false;            // broken rule with `blocks`
  std::uint32_t shadowed_by = 0;  // the id of the finding whose stopAt hides this one, or 0
  std::vector<Finding> causes;    // anyOf, oneOf: why the closest branch did not hold
};

}  // namespace plumb::contract
