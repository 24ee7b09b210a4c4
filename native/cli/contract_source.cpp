#include "native/cli/contract_source.hpp"

#include "core/pipelines/pipeline_contracts.hpp"

#include <algorithm>
#include <cerrno>

#include "core/json/value.hpp"
#include "native/base/file_bytes.hpp"
#include "native/base/near_miss.hpp"
#include "native/cli/terminal.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

// The file's own name without directories and endings: what a verdict calls a contract without `$id`.
std::string name_of_file(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.find('.');
  if (dot != std::string::npos && dot > 0) {
    name.resize(dot);
  }
  return name;
}

// Does the document say its own name? A look at the top level only.
bool has_id(std::string_view text) {
  json::Arena arena;
  const Result<json::Value> value = json::parse(text, arena);
  return value && value.value().find("$id") != nullptr;
}

}  // namespace

Result<ContractReading> ContractReading::from(const Arguments& arguments,
                                              const std::vector<std::pair<std::string, std::string>>& configured,
                                              std::vector<std::pair<std::string, std::string>> artifacts) {
  ContractReading reading;
  reading.artifacts_ = std::move(artifacts);
  reading.dialect_ = contract::dialect_named(arguments.text("--dialect", "2020-12"));
  reading.assert_formats_ = arguments.has("--assert-formats");

  std::vector<std::pair<std::string, std::string>> wanted;
  for (const std::string& given : arguments.list("--schema")) {
    // A file name may hold '=', a URI too (in its query): the last one with a file behind it would be a guess, so the
    // first one decides and a URI with '=' is given through plumb.yaml.
    const std::size_t sign = given.find('=');
    if (sign == std::string::npos || sign == 0 || sign + 1 == given.size()) {
      return Error{ErrorCode::invalid_argument, "'--schema " + given + "': must be URI=FILE", "", 0, 0};
    }
    wanted.emplace_back(given.substr(0, sign), given.substr(sign + 1));
  }
  for (const auto& document : configured) {
    const bool given =
        std::any_of(wanted.begin(), wanted.end(), [&](const auto& other) { return other.first == document.first; });
    if (!given) {
      wanted.push_back(document);
    }
  }
  for (const auto& [uri, path] : wanted) {
    Result<std::string> text = read_file(path, contract_bytes_max);
    if (!text) {
      return text.error();
    }
    reading.documents_.emplace_back(uri, std::make_unique<std::string>(std::move(text).value()));
  }
  return reading;
}

contract::ReadOptions ContractReading::options() const {
  contract::ReadOptions options;
  options.dialect = dialect_;
  options.assert_formats = assert_formats_;
  for (const auto& [uri, document] : documents_) {
    options.documents.push_back({uri, *document});
  }
  return options;
}

Result<contract::Contract> ContractReading::read(std::string_view text, const std::string& source) const {
  contract::ReadOptions options = this->options();
  std::string name;
  if (!source.empty() && !has_id(text)) {
    name = name_of_file(source);
    options.name = name;
  }
  Result<contract::Contract> read = contract::Contract::read(text, options);
  if (read) {
    return read;
  }
  Error error = read.error();
  if (!source.empty()) {
    // `where` is a place in the contract; the file comes in front, where editors look for it.
    if (!error.where.empty() && error.where != source) {
      error.message += " (at " + error.where + ")";
    }
    error.where = source;
  }
  return error;
}

Result<NamedContract> find_contract(const std::string& wanted, const ContractReading& reading) {
  std::string name_or_file = wanted;
  for (const auto& [type, file] : reading.artifacts()) {
    name_or_file = type == wanted ? file : name_or_file;
  }
  const bool of_type = name_or_file != wanted;
  if (const contract::BuiltIn* built_in = of_type ? nullptr : pipelines::known_contract(name_or_file)) {
    Result<contract::Contract> contract = reading.read(built_in->text, "");
    if (!contract) {
      return contract.error();
    }
    return NamedContract{std::move(contract).value(), ""};
  }
  Result<std::string> text = read_file(name_or_file, contract_bytes_max);
  if (!text) {
    Error error = text.error();
    if (error.code == ErrorCode::not_found && name_or_file.find('/') == std::string::npos) {
      std::vector<std::string_view> names;
      std::string all;
      for (const auto& [type, file] : reading.artifacts()) {
        names.push_back(type);
      }
      for (const contract::BuiltIn& built_in : contract::built_in_contracts()) {
        names.push_back(built_in.name);
        all += (all.empty() ? "" : ", ") + std::string(built_in.name);
      }
      error.message = "no built-in contract and no file has this name" + did_you_mean(name_or_file, names) +
                      "; built in are " + (all.empty() ? "none" : all);
    }
    return error;
  }
  Result<contract::Contract> contract = reading.read(text.value(), name_or_file);
  if (!contract) {
    return contract.error();
  }
  return NamedContract{std::move(contract).value(), name_or_file};
}

Result<NamedContract> named_contract(const Arguments& arguments, const std::string& wanted) {
  std::vector<std::pair<std::string, std::string>> configured;
  std::vector<std::pair<std::string, std::string>> artifacts;
  if (const std::string path = find_config_file(); !path.empty()) {
    if (Result<ConfigFile> config = read_config_file(path)) {
      configured = config.value().documents;
      artifacts = config.value().artifacts;
    }
  }
  const Result<ContractReading> reading = ContractReading::from(arguments, configured, std::move(artifacts));
  if (!reading) {
    return reading.error();
  }
  Result<NamedContract> named = find_contract(wanted, reading.value());
  if (!named && named.error().where.empty()) {
    Error error = named.error();
    error.where = wanted;
    return error;
  }
  return named;
}

Result<NamedContract> contract_argument(const Arguments& arguments) {
  return named_contract(arguments, arguments.positionals().front());
}

std::vector<std::string> warning_lines(const NamedContract& named) {
  std::vector<std::string> lines;
  for (const contract::Warning& warning : named.contract.warnings()) {
    std::string line = named.source.empty() ? named.contract.name() : named.source;
    if (warning.line > 0) {
      line += ":" + std::to_string(warning.line) + ":" + std::to_string(warning.column);
    }
    line += ": warning: " + warning.message;
    if (!warning.at.empty()) {
      line += " (at " + warning.at + ")";
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace plumb::cli
