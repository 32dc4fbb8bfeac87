// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "common/subcommand.hpp"

#include "common/nearest_name.hpp"
#include "common/usage_error.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <utility>

namespace regatta::command {

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
    return option(app_->add_option(name, value, purpose));
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

option subcommand::add_flag(const std::string& name, bool& value,
                            const std::string& purpose) const {
    return option(app_->add_flag(name, value, purpose));
}

option subcommand::option_named(const std::string& name) const {
    return option(app_->get_option(name));
}

void subcommand::footer(const std::string& text) const {
    app_->footer(text);
}

void subcommand::final_callback(std::function<void()> then) const {
    app_->final_callback(std::move(then));
}

std::string subcommand::name() const {
    return app_->get_name();
}

std::vector<std::string> subcommand::names() const {
    std::vector<std::string> all;
    for (const CLI::App* const one : app_->get_subcommands({})) {
        all.push_back(one->get_name());
    }
    return all;
}

subcommand subcommand::below(const std::string& name) const {
    return subcommand(app_->get_subcommand(name));
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

command_line::command_line(const std::string& name, const std::string& purpose,
                           const std::string& version)
    : app_(std::make_unique<CLI::App>(purpose)) {
    app_->name(name);
    app_->set_version_flag("--version", version);
    app_->require_subcommand(1);
}

command_line::~command_line() = default;

std::optional<int> command_line::parse(int argc, const char* const* argv) const {
    try {
        app_->parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) {
            return app_->exit(e); // --help, --version
        }
        throw usage_error(e.what());
    }
    return std::nullopt;
}

void check_subcommand(subcommand parent, std::string_view typed, const std::string& parents) {
    const std::vector<std::string> names = parent.names();
    if (std::find(names.begin(), names.end(), typed) != names.end()) {
        return;
    }
    const std::string near = nearest_name(typed, {names.begin(), names.end()});
    throw usage_error("there is no command \"" + parents + std::string(typed) + '"' +
                      (near.empty() ? "" : "; did you mean \"" + parents + near + "\"?"));
}

} // namespace regatta::command
