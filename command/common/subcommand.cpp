// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/subcommand.hpp"

#include "common/nearest_name.hpp"
#include "common/usage_error.hpp"
#include "text/text.hpp"

#include <regatta/base/error.hpp>

#include <CLI/CLI.hpp>

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <iostream>
#include <string_view>
#include <utility>

namespace regatta::command {
namespace {

constexpr unsigned help_width = 80;
constexpr unsigned help_indent = 30;

/// Every line kept to the width, but for those that begin with a space: examples to be copied.
std::string fitted(const std::string& text, unsigned width) {
    std::string out;
    for (const std::string& line : CLI::detail::split(text, '\n')) {
        const bool stays = line.size() <= width || line.front() == ' ';
        out += stays ? line + '\n' : race::wrapped(line, 0, {width});
    }
    return out.substr(0, out.empty() ? 0 : out.size() - 1);
}

/// The help in 80 columns; the parser's library breaks no line.
class narrow_help : public CLI::Formatter {
public:
    narrow_help() { column_width(help_indent); }

    std::string make_description(const CLI::App* app) const override {
        return fitted(app->get_description(), help_width) + '\n';
    }
    std::string make_footer(const CLI::App* app) const override {
        return app->get_footer().empty() ? "" : fitted(app->get_footer(), help_width) + '\n';
    }
    std::string make_option_desc(const CLI::Option* one) const override {
        return fitted(one->get_description(), help_width - help_indent);
    }
    std::string make_subcommand(const CLI::App* one) const override {
        std::stringstream out;
        CLI::detail::format_help(out, one->get_display_name(true),
                                 fitted(one->get_description(), help_width - help_indent),
                                 help_indent);
        return out.str();
    }
};

bool is_option(const std::string& word) {
    return word.size() > 1 && word.front() == '-';
}

/// The command that the first words name, as far as they do.
struct named_command {
    const CLI::App* last;
    std::string path;
    std::size_t words;
};

named_command command_named(const CLI::App& top, const std::vector<std::string>& words) {
    named_command found{&top, top.get_name(), 0};
    for (const std::string& word : words) {
        const auto below = found.last->get_subcommands(
            [&](const CLI::App* one) { return one->get_name() == word; });
        if (below.empty()) {
            break;
        }
        found = {below.front(), found.path + ' ' + word, found.words + 1};
    }
    return found;
}

/// @param before what stands before each of the names.
std::string did_you_mean(std::string_view before, std::string_view typed,
                         const std::vector<std::string>& names) {
    const std::string near = nearest_name(typed, {names.begin(), names.end()});
    return near.empty() ? "" : fmt::format("; did you mean \"{}{}\"?", before, near);
}

/// Where a word can only be a command, it has to be one.
void check_command(const named_command& found, const std::vector<std::string>& words) {
    const auto below = found.last->get_subcommands([](const CLI::App*) { return true; });
    const auto arguments =
        found.last->get_options([](const CLI::Option* one) { return one->get_positional(); });
    if (below.empty() || !arguments.empty() || words.size() == found.words ||
        is_option(words[found.words])) {
        return;
    }
    const std::string before = found.path.substr(std::min(found.path.find(' '), found.path.size()));
    const std::string parents = before.empty() ? "" : before.substr(1) + ' ';
    std::vector<std::string> names;
    for (const CLI::App* const one : below) {
        names.push_back(one->get_name());
    }
    const std::string& typed = words[found.words];
    throw usage_error(fmt::format("there is no command \"{}{}\"{}", parents, typed,
                                  did_you_mean(parents, typed, names)));
}

std::string no_value(const std::string& name, const std::string& type) {
    return fmt::format("{} has no value; write {} {}", name, name, type);
}

/// The parser drops empty entries of a list. Where none is left it takes the next word, too.
void check_list(const CLI::Option& one, const std::string& value) {
    const char between = one.get_delimiter();
    if (between == '\0' || value.empty()) {
        return;
    }
    if (value.front() == between || value.back() == between ||
        value.find(std::string(2, between)) != value.npos) {
        throw usage_error(fmt::format("{}: \"{}\" has an empty entry; write {} {}", one.get_name(),
                                      value, one.get_name(), one.get_type_name()));
    }
}

/// The parser takes what follows a flag, as in "-q1", for a word of its own: "-1".
void check_short_flags(const named_command& found, const std::string& word) {
    for (std::size_t next = 2; next < word.size(); ++next) {
        const auto* const flag = found.last->get_option_no_throw({'-', word[next - 1]});
        if (flag == nullptr || flag->get_items_expected_max() != 0) {
            return;
        }
        if (std::isalpha(static_cast<unsigned char>(word[next])) == 0) {
            throw usage_error(
                fmt::format("`{}`: a flag takes no value: \"{}\"", found.path, word.substr(next)));
        }
    }
}

/// Whether it is an option of the command, with its value or without, or the end of all options. As
/// the value of the option before it the parser would take it.
bool is_next_option(const named_command& found, const std::string& word) {
    return is_option(word) && (word == "--" || found.last->get_option_no_throw(
                                                   word.substr(0, word.find('='))) != nullptr);
}

/// Refuses what the parser would silently misread. Only long options have values.
void check_options(const named_command& found, const std::vector<std::string>& words) {
    for (std::size_t i = found.words; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with("--")) {
            check_short_flags(found, is_option(words[i]) ? words[i] : "");
            continue;
        }
        const std::string name = words[i].substr(0, words[i].find('='));
        const CLI::Option* const one = found.last->get_option_no_throw(name);
        if (one == nullptr || one->get_items_expected_max() == 0) {
            continue;
        }
        if (words[i].size() == name.size()) {
            ++i;
            if (i < words.size() && is_next_option(found, words[i])) {
                throw usage_error(no_value(name, one->get_type_name()));
            }
            check_list(*one, i < words.size() ? words[i] : "");
        } else if (words[i].size() == name.size() + 1) { // "--json=": it takes the next word.
            throw usage_error(no_value(name, one->get_type_name()));
        } else {
            check_list(*one, words[i].substr(name.size() + 1));
        }
    }
}

/// In place of the parser's "--json: At Most 1 required but received 2", "--json: 1 required FILE
/// missing" and "list was given a disallowed flag override".
std::string wrong_count(const std::string& said) {
    const std::string name = said.substr(0, said.find_first_of(": "));
    if (said.find("At Most") != said.npos) {
        return name + " is there twice";
    }
    constexpr std::string_view before = ": 1 required ";
    constexpr std::string_view after = " missing";
    if (said.size() > name.size() + before.size() + after.size() && said.ends_with(after) &&
        said.compare(name.size(), before.size(), before) == 0) {
        const auto begin = name.size() + before.size();
        return no_value(name, said.substr(begin, said.size() - after.size() - begin));
    }
    return fmt::format("{}{} takes no value", name.size() == 1 ? "-" : "--", name);
}

/// The parser takes "[a,b]" apart as a list, also among the words of a user's program, and drops
/// "++", which ends a command for it. With a zero byte at its end, which no word of a command line
/// has, each stays whole.
std::string kept_whole(std::string word) {
    if ((word.starts_with('[') && word.ends_with(']')) || word == "++") {
        word += '\0';
    }
    return word;
}

std::string as_typed(std::string word) {
    if (word.ends_with('\0')) {
        word.pop_back();
    }
    return word;
}

/// The words that the parser had no use for, without the "--" before which options end.
std::vector<std::string> words_left(const CLI::App& app) {
    std::vector<std::string> left = app.remaining(true);
    std::erase(left, "--");
    std::ranges::transform(left, left.begin(), as_typed);
    return left;
}

/// @param words the whole command line.
std::string unexpected_words(const named_command& found, const std::vector<std::string>& extra,
                             const std::vector<std::string>& words) {
    const auto mark = std::ranges::find(words, "--");
    const auto unknown = std::find_if(extra.begin(), extra.end(), [&](const std::string& word) {
        return is_option(word) && std::find(mark, words.end(), word) == words.end();
    });
    if (unknown == extra.end()) {
        return fmt::format("`{}` takes no further word: \"{}\"", found.path, extra.front());
    }
    const std::string typed = unknown->substr(0, unknown->find('='));
    const std::string name = typed.substr(std::min(typed.find_first_not_of('-'), typed.size()));
    std::vector<std::string> names;
    for (const CLI::Option* const one : found.last->get_options()) {
        if (one->get_positional() && one->get_name(true) == name) {
            return fmt::format("`{}` has no option \"{}\"; give the {} without it", found.path,
                               typed, name);
        }
        for (const std::string& known : one->get_lnames()) {
            names.push_back(known);
        }
    }
    return fmt::format("`{}` has no option \"{}\"{}", found.path, typed,
                       did_you_mean("--", name, names));
}

option_entry entry_of(const CLI::Option& is) {
    option_entry entry;
    for (const std::string& name : is.get_snames()) {
        entry.names.push_back("-" + name);
    }
    for (const std::string& name : is.get_lnames()) {
        entry.names.push_back("--" + name);
    }
    if (is.get_positional()) {
        entry.names = {is.get_name(true)};
    }
    if (is.get_type_size() != 0) {
        entry.value = is.get_type_name();
        entry.preset = is.get_default_str();
        entry.several = is.get_expected_max() > 1;
    }
    entry.purpose = is.get_description();
    for (const CLI::Option* const other : is.get_excludes()) {
        entry.excludes.push_back(other->get_name());
    }
    entry.required = is.get_required();
    return entry;
}

command_entry entry_of(const CLI::App& is) {
    command_entry entry{is.get_name(), is.get_description(), is.get_footer(), {}, {}, {}};
    for (const CLI::Option* const one : is.get_options()) {
        (one->get_positional() ? entry.arguments : entry.options).push_back(entry_of(*one));
    }
    for (const CLI::App* const one : is.get_subcommands([](const CLI::App*) { return true; })) {
        entry.commands.push_back(entry_of(*one));
    }
    return entry;
}

} // namespace

option option::check(argument_check complaint) const {
    option_->check(std::move(complaint), "");
    return *this;
}

option option::type_name(const std::string& name) const {
    option_->type_name(name);
    return *this;
}

option option::default_str(const std::string& text) const {
    option_->default_str(text);
    return *this;
}

option option::required() const {
    option_->required();
    return *this;
}

option option::excludes(option other) const {
    option_->excludes(other.option_);
    return *this;
}

option option::delimiter(char between) const {
    option_->delimiter(between);
    return *this;
}

option option::one_value_each() const {
    option_->allow_extra_args(false);
    return *this;
}

std::size_t option::count() const {
    return option_->count();
}

subcommand subcommand::add_subcommand(const std::string& name, const std::string& purpose) const {
    return subcommand(app_->add_subcommand(name, purpose));
}

template<class Value>
option subcommand::add_option(const std::string& name, Value& value,
                              const std::string& purpose) const {
    return option(app_->add_option(name, value, purpose)->transform(as_typed));
}
template option subcommand::add_option(const std::string&, std::string&, const std::string&) const;
template option subcommand::add_option(const std::string&, std::optional<std::string>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::optional<int>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::optional<unsigned>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::optional<unsigned long>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::optional<double>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::vector<std::string>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::vector<int>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::vector<unsigned>&,
                                       const std::string&) const;
template option subcommand::add_option(const std::string&, std::vector<unsigned long>&,
                                       const std::string&) const;

option subcommand::add_flag(const std::string& name, bool& value,
                            const std::string& purpose) const {
    return option(app_->add_flag(name, value, purpose)->disable_flag_override());
}

option subcommand::option_named(const std::string& name) const {
    return option(app_->get_option(name));
}

void subcommand::footer(const std::string& text) const {
    app_->footer(text);
}

void subcommand::runs(action& chosen, action what) const {
    final_callback([this_one = *this, &chosen, what = std::move(what)] {
        if (!chosen) {
            chosen = what;
            return;
        }
        const std::vector<std::string> typed = this_one.typed_options();
        if (!typed.empty()) {
            const std::string below = this_one.app_->get_subcommands().at(0)->get_name();
            throw usage_error("\"" + typed.front() + "\" stands before \"" + below +
                              "\", whose options follow it; see `regatta " + this_one.name() + ' ' +
                              below + " --help`");
        }
    });
}

void subcommand::final_callback(std::function<void()> then) const {
    app_->final_callback(std::move(then));
}

std::string subcommand::name() const {
    return app_->get_name();
}

std::vector<std::string> subcommand::typed_options() const {
    std::vector<std::string> all;
    for (const CLI::Option* const one : app_->get_options()) {
        if (one->count() != 0 && one != app_->get_help_ptr()) {
            all.push_back(one->get_name());
        }
    }
    return all;
}

command_entry subcommand::entry() const {
    return entry_of(*app_);
}

command_line::command_line(const std::string& name, const std::string& purpose,
                           const std::string& version)
    : app_(std::make_unique<CLI::App>(purpose)) {
    app_->name(name);
    app_->formatter(std::make_shared<narrow_help>());
    app_->set_version_flag("-V,--version", version);
    app_->require_subcommand(1);
}

command_line::~command_line() = default;

std::string command_line::command_of(const std::vector<std::string>& words) const {
    return command_named(*app_, words).path;
}

std::optional<int> command_line::parse(std::vector<std::string> words) const {
    if (!words.empty() && words.front() == "help") {
        words.erase(words.begin());
        words.emplace_back("--help");
    }
    const named_command found = command_named(*app_, words);
    check_command(found, words);
    check_options(found, words);
    try {
        std::vector<std::string> last_first(words.size());
        std::transform(words.rbegin(), words.rend(), last_first.begin(), kept_whole);
        app_->parse(std::move(last_first));
    } catch (const CLI::ExtrasError&) {
        throw usage_error(unexpected_words(found, words_left(*app_), words));
    } catch (const CLI::RequiredError& e) {
        // `regatta --typo` names no command either, but the option is what is wrong.
        if (const auto extra = words_left(*app_); !extra.empty()) {
            throw usage_error(unexpected_words(found, extra, words));
        }
        const bool command = found.last == app_.get();
        throw usage_error(command ? "no command was named" : e.what());
    } catch (const CLI::ArgumentMismatch& e) {
        throw usage_error(wrong_count(e.what()));
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) {
            const int status = app_->exit(e); // --help, --version
            if (!std::cout.flush()) {
                fail_system(errno, "cannot write to standard output");
            }
            return status;
        }
        throw usage_error(e.what());
    }
    return std::nullopt;
}

} // namespace regatta::command
