#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cli/output/printer.hpp"
#include "cli/output/style.hpp"
#include "logs/layout.hpp"

namespace bloomtime::cli {

// overloaded: done, but a filter holds more than it was sized for and exceeds its error.
enum exit_status : int { yes = 0, no = 1, trouble = 2, overloaded = 3 };

// Where a parsed option is stored: a flag, a string or a list.
using destination = std::variant<bool*, std::string*, std::vector<std::string>*>;

struct option {
  std::string name;  // "--items"; "FILE" for arguments
  destination into;
  std::string type;  // placeholder of the value in the help
  std::string description;
  std::string group;
  std::vector<std::string> choices = {};  // all values, if they can be listed
};

// One command of the tree. It only describes: parser, help, manual pages and completion scripts are
// made from it.
class command {
 public:
  command(std::string name, std::string summary, const command* parent = nullptr);

  command& add(const std::string& name, const std::string& summary);
  void flag(const std::string& name, bool& given, const std::string& description);
  void text(const std::string& name, std::string& typed, const std::string& type,
            const std::string& description, std::vector<std::string> choices = {});
  // An option that may be repeated.
  void texts(const std::string& name, std::vector<std::string>& typed, const std::string& type,
             const std::string& description);
  // What stands without an option: FILE, STORE and what follows it, or COMMAND.
  void arguments(const std::string& name, std::vector<std::string>& typed,
                 const std::string& description, std::vector<std::string> choices = {});
  // The options of the one reader, the same on every command that reads events.
  void input(logs::input_options& asked);
  // The option of commands that read with several threads; see threads_of().
  void threads(std::string& typed);
  // The options of the one renderer, the same on every command.
  void output(output_options& asked);

  const std::string& name() const { return name_; }
  std::string full_name() const;  // "bloomtime plan bloom"
  const std::string& summary() const { return summary_; }
  const command* parent() const { return parent_; }
  const std::vector<option>& options() const { return options_; }
  const std::vector<std::unique_ptr<command>>& children() const { return children_; }
  // Where arguments are stored; null if the command takes none.
  std::vector<std::string>* arguments() const;

  std::string usage;     // what follows the name
  std::string examples;  // one per line
  std::string details;   // what it prints, line by line
  entries keys;          // of a row in TSV and JSON
  entries fields;        // of the JSON object, without schema and command
  std::function<exit_status(const printer&)> act;

 private:
  std::string name_;
  std::string summary_;
  const command* parent_;
  std::vector<option> options_;
  std::vector<std::unique_ptr<command>> children_;
};

// What --threads says: by default the cores that the process may use. Throws usage_error.
unsigned threads_of(const std::string& typed);

// Each adds itself below `root`.
void add_plan(command& root, output_options& asked);
void add_profile(command& root, output_options& asked);
void add_hot(command& root, output_options& asked);
void add_heat(command& root, output_options& asked);
void add_compare(command& root, output_options& asked);
void add_seen(command& root, output_options& asked);
void add_timeline(command& root, output_options& asked);
void add_dedupe(command& root, output_options& asked);
void add_tally(command& root, output_options& asked);
void add_count(command& root, output_options& asked);
void add_report(command& root, output_options& asked);
void add_serve(command& root, output_options& asked);
void add_info(command& root, output_options& asked);
void add_verify(command& root, output_options& asked);
void add_merge(command& root, output_options& asked);
void add_push(command& root, output_options& asked);
void add_pull(command& root, output_options& asked);
void add_generate(command& root, output_options& asked);
void add_completions(command& root);
void add_man(command& root);

}  // namespace bloomtime::cli
