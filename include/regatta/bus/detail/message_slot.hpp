// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// The place of a message whose type is stored elsewhere.

#include <regatta/base/detail/word_copy.hpp>
#include <regatta/bus/message_set.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace regatta::detail {

/// Says that a message is what a function returns.
struct made_by_t {};
inline constexpr made_by_t made_by;

/// One message of any of the types, without its type, which its owner keeps.
///
/// So a lane packs the messages without gaps and keeps the types beside them.
///
/// Threads: one at a time. Blocks: never. Cost: the size of the largest message.
template<class... Messages>
class message_slot {
    using set = message_set<Messages...>;

public:
    /// What says which type a message has: its position in the set.
    using type_index =
        std::conditional_t<(sizeof...(Messages) <= 256), std::uint8_t, std::uint16_t>;
    static_assert(sizeof...(Messages) <= 65536, "a bus has at most 65536 types of message");

    template<class T>
    static constexpr type_index index = static_cast<type_index>(set::template index<T>);

    /// Constructs the message; it is not destroyed before `pass_on`.
    template<class T>
    requires(set::template contains<std::remove_cvref_t<T>>) explicit message_slot(T&& m) noexcept(
        std::is_nothrow_constructible_v<std::remove_cvref_t<T>, T&&>) {
        construct_value<std::remove_cvref_t<T>>(bytes_, std::forward<T>(m));
    }
    /// The same with a `T` made of `args`.
    template<class T, class... Args>
    requires(set::template contains<T>) explicit message_slot(
        std::in_place_type_t<T>,
        Args&&... args) noexcept(std::is_nothrow_constructible_v<T, Args...>) {
        ::new (static_cast<void*>(bytes_)) T(std::forward<Args>(args)...);
    }
    /// The same with what `make()` returns.
    template<class Make>
    message_slot(made_by_t, Make&& make) {
        using made = std::invoke_result_t<Make&>;
        static_assert(set::template contains<made>);
        ::new (static_cast<void*>(bytes_)) made(make());
    }
    message_slot(const message_slot&) = delete;
    message_slot& operator=(const message_slot&) = delete;
    ~message_slot() = default;

    /// Calls `use` with the message as its own type, then destroys it, also if `use` throws.
    template<class Use>
    void pass_on(type_index type, Use&& use) {
        visit(type, [&](auto& m) {
            const destroyer end{m};
            use(m);
        });
    }

    /// Calls `use` with the message as its own type.
    ///
    /// Few types are compared one after the other, which compilers turn into a switch; of many, a
    /// table says what to call.
    template<class Use>
    void visit(type_index type, Use&& use) {
        if constexpr (sizeof...(Messages) <= 8) {
            static_cast<void>(((type == index<Messages> && (use(as<Messages>()), true)) || ...));
        } else {
            using call = void (*)(message_slot&, Use&);
            static constexpr call calls[] = {
                [](message_slot& slot, Use& how) { how(slot.as<Messages>()); }...};
            calls[type](*this, use);
        }
    }

private:
    template<class T>
    struct destroyer {
        T& done;
        ~destroyer() { std::destroy_at(std::addressof(done)); }
    };
    template<class T>
    destroyer(T&) -> destroyer<T>;

    template<class T>
    T& as() noexcept {
        return *std::launder(reinterpret_cast<T*>(bytes_));
    }

    alignas(Messages...) unsigned char bytes_[std::max({std::size_t{1}, sizeof(Messages)...})];
};

/// One message of any of the types, with its type.
template<class... Messages>
class tagged_message {
    using slot = message_slot<Messages...>;

public:
    template<class T, class Message = std::remove_cvref_t<T>>
    requires(message_set<Messages...>::template contains<Message>) explicit tagged_message(
        T&& m) noexcept(std::is_nothrow_constructible_v<Message, T&&>)
        : slot_(std::forward<T>(m))
        , type_(slot::template index<Message>) {}
    tagged_message(const tagged_message&) = delete;
    tagged_message& operator=(const tagged_message&) = delete;
    ~tagged_message() {
        if constexpr (!(std::is_trivially_destructible_v<Messages> && ...)) {
            visit([](auto& m) noexcept { std::destroy_at(std::addressof(m)); });
        }
    }

    /// Calls `use` with the message as its own type.
    template<class Use>
    void visit(Use&& use) {
        slot_.visit(type_, use);
    }

private:
    slot slot_;
    const typename slot::type_index type_;
};

} // namespace regatta::detail
