// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

#include "lease/exclusive_journal.hpp"

#include "lease/exclusive_step.hpp"
#include "lease/exclusive_system.hpp"
#include "lease/lease_record.hpp"
#include <regatta/cpu/cpu_set.hpp>
#include <regatta/lease/exclusive_cpus.hpp>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace regatta::detail {

lease_lock::~lease_lock() {
    if (file_ >= 0) {
        system_.unlock(file_);
    }
}

step_error lease_lock::take() {
    const std::string& folder = system_.journal();
    if (const int error = system_.make_directory(folder); error != 0 && error != EEXIST) {
        return {error, "could not create the journal " + folder + ": " +
                           std::generic_category().message(error)};
    }
    if (!system_.is_trusted(folder)) {
        return {EPERM, "the journal " + folder +
                           " could have been written by other users; it must belong to root "
                           "or this user, and no other user may write there"};
    }
    file_ = system_.lock(folder + "/lock", false);
    if (file_ < 0) {
        return {-file_, "could not lock the journal " + folder + ": " +
                            (file_ == -EWOULDBLOCK ? "another program holds it"
                                                   : std::generic_category().message(-file_))};
    }
    return {};
}

void lease_lock::take_to_move() {
    file_ = system_.lock(system_.journal() + "/lock", true);
}

std::string draft_of(const exclusive_system& system, const std::string& lease) {
    return system.journal() + "/new." + lease;
}

int lease_journal::begin(const cpu_set& cpus, const std::string& title,
                         const std::function<bool(const std::string&)>& is_used) {
    const lease_owner owner = this_owner(*system_);
    const std::vector<std::string> taken = system_->list(system_->journal());
    if (taken.empty()) {
        return EIO; // Its lock is there: the journal could not be listed.
    }
    const std::string stem = "lease." + std::to_string(owner.process) + ".";
    for (int number = 1; name_.empty(); ++number) {
        const std::string name = stem + std::to_string(number);
        if (!std::binary_search(taken.begin(), taken.end(), name) && !is_used(name)) {
            name_ = name;
        }
    }
    const int error = line({"lease 1", std::to_string(owner.process), std::to_string(owner.start),
                            owner.boot, owner.processes, cpus.to_string(), title});
    if (error != 0) {
        end();
        name_.clear();
    }
    return error;
}

int lease_journal::step(const exclusive_step& done) {
    return is_open() ? put(step_to_line(done)) : EBADF;
}

int lease_journal::not_done() {
    const std::size_t whole = std::exchange(length_, before_last_);
    if (cut() == 0) {
        return 0;
    }
    // The step stays in the file, so another line revokes it.
    length_ = whole;
    torn_ = false;
    const int error = line({"not done"});
    if (error != 0) {
        length_ = before_last_;
        torn_ = true;
    }
    return error;
}

int lease_journal::undone() {
    return line({"undone"});
}

int lease_journal::taken(exclusivity level) {
    return line({"taken", std::to_string(static_cast<int>(level))});
}

int lease_journal::give_up() {
    return line({"given up"});
}

int lease_journal::drop(const std::function<bool(const exclusive_step&)>& is_over) {
    const auto text = system_->read(path());
    if (!text || text->size() < length_) {
        return EIO;
    }
    std::string kept;
    std::string_view rest = std::string_view(*text).substr(0, length_);
    for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
        const auto step = step_from_fields(fields_of(rest.substr(0, end)));
        if (!step || !is_over(*step)) {
            kept += rest.substr(0, end + 1);
        }
        rest.remove_prefix(end + 1);
    }
    const std::string draft = draft_of(*system_, name_);
    system_->remove_file(draft); // An earlier process of this number may have left it.
    int error = system_->append(draft, kept);
    if (error == 0) {
        error = system_->rename_file(draft, path());
    }
    if (error != 0) {
        system_->remove_file(draft);
        return error;
    }
    length_ = kept.size();
    torn_ = false;
    return 0;
}

int lease_journal::end() {
    const int error = is_open() ? system_->remove_file(path()) : 0;
    if (error != 0 && error != ENOENT) {
        return error;
    }
    name_.clear();
    return 0;
}

std::string lease_journal::path() const {
    return system_->journal() + "/" + name_;
}

int lease_journal::line(const std::vector<std::string>& fields) {
    return put(join_fields(fields));
}

int lease_journal::put(const std::string& text) {
    if (const int error = torn_ ? cut() : 0) {
        return error;
    }
    if (const int error = system_->append(path(), text + "\n")) {
        cut(); // A part of the line, or all of it, may have been written.
        return error;
    }
    before_last_ = length_;
    length_ += text.size() + 1;
    return 0;
}

int lease_journal::cut() {
    const int error = system_->shorten(path(), length_);
    torn_ = error != 0;
    return error;
}

} // namespace regatta::detail
