// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Atomics with which a scenario stops a thread at one place for as long as it likes. The checker's
/// scheduler chooses at random, so that it never lets a thread wait for a hundred steps of another.

#include "model_atomics.hpp"

#include <string_view>
#include <type_traits>

namespace model {

/// A place in the library where one thread stalls once: after a load that finds a pointer, or
/// before the store of one.
struct stall {
    rl::thread_id_t who;
    operation kind;
    std::string_view function;     ///< What the name of the function that makes the operation has.
    atomic<unsigned>* begun;       ///< Set to 1 when the thread stalls there.
    const atomic<unsigned>* until; ///< It goes on when this is not 0,
    unsigned patience = ~0u;       ///< or after that many looks.
};

struct atomics_that_stall : model_atomics {
    static constexpr unsigned most = 2;
    static inline stall stalls[most]{};

    static void at(operation kind, const std::source_location& place) {
        for (stall& s : stalls) {
            if (s.until == nullptr || s.who != rl::thread_index() || s.kind != kind ||
                std::string_view(place.function_name()).find(s.function) ==
                    std::string_view::npos) {
                continue;
            }
            const model::atomic<unsigned>& until = *std::exchange(s.until, nullptr);
            s.begun->store(1, std::memory_order_relaxed);
            // Without a yield: after one the checker gives a thread the newest values only.
            for (unsigned i = 0; i < s.patience && until.load(std::memory_order_relaxed) == 0;
                 ++i) {
            }
        }
    }

    template<class T>
    struct atomic : model::atomic<T> {
        using model::atomic<T>::atomic;
        T load(std::memory_order order,
               std::source_location place = std::source_location::current()) const {
            const T value = model::atomic<T>::load(order, place);
            if constexpr (std::is_pointer_v<T>) {
                if (value != nullptr) {
                    at(operation::load, place);
                }
            }
            return value;
        }
        void store(T value, std::memory_order order,
                   std::source_location place = std::source_location::current()) {
            if constexpr (std::is_pointer_v<T>) {
                at(operation::store, place);
            }
            model::atomic<T>::store(value, order, place);
        }
    };
};

} // namespace model
