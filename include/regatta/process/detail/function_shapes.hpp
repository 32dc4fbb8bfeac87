// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Which forms a function for a process pool may have, and how a worker calls each.

#include <regatta/process/detail/process_function.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

namespace regatta::detail {

template<class... T>
struct type_list {};

/// What a function returns and takes; the `process_task` at the front apart.
template<class R, bool TakesTask, class... A>
struct taken_apart {
    using result = R;
    using arguments = type_list<A...>;
    static constexpr bool takes_task = TakesTask;
};
template<class R, class... A>
struct apart : std::type_identity<taken_apart<R, false, A...>> {};
template<class R, class... A>
struct apart<R, process_task, A...> : std::type_identity<taken_apart<R, true, A...>> {};
template<class R, class... A>
struct apart<R, const process_task&, A...> : std::type_identity<taken_apart<R, true, A...>> {};

template<class F>
struct signature {
    static_assert(!std::is_same_v<F, F>,
                  "a process pool runs functions, by their name: map<function>, submit<function>");
};
template<class R, class... A>
struct signature<R (*)(A...)> : apart<R, A...> {};
template<class R, class... A>
struct signature<R (*)(A...) noexcept> : apart<R, A...> {};

template<class T>
inline constexpr bool is_span = false;
template<class T>
inline constexpr bool is_span<std::span<T>> = true;

template<class T>
inline constexpr bool is_string_view = false;
template<class C, class Traits>
inline constexpr bool is_string_view<std::basic_string_view<C, Traits>> = true;

/// What may go from one process to another as bytes.
template<class T>
constexpr bool check_sent() {
    static_assert(std::is_trivially_copyable_v<T>,
                  "arguments, results and elements of a process pool are copied as bytes: they "
                  "must be trivially copyable");
    static_assert(!std::is_pointer_v<T> && !std::is_member_pointer_v<T>,
                  "a pointer means nothing in another process: pass a std::span of memory from "
                  "process_pool::allocate");
    static_assert(!is_string_view<std::remove_const_t<T>>,
                  "a string_view is a pointer, which means nothing in another process: pass a "
                  "std::span of memory from process_pool::allocate, or an array of characters");
    return true;
}

/// The form in which an argument travels: as it is, a span as a place in the pool's memory.
template<class T>
struct sent_argument {
    static_assert(check_sent<T>());
    using type = T;
    static T pack(const pool_memory&, const T& value) { return value; }
    static T unpack(const pool_memory&, const T& value) { return value; }
};
template<class T, std::size_t N>
struct sent_argument<std::span<T, N>> {
    static_assert(check_sent<std::remove_const_t<T>>());
    using type = located_span;
    static located_span pack(const pool_memory& memory, std::span<T, N> value) {
        return memory.locate(value.data(), value.size(), sizeof(T));
    }
    static std::span<T, N> unpack(const pool_memory& memory, const located_span& where) {
        return std::span<T, N>(reinterpret_cast<T*>(memory.at(where)),
                               static_cast<std::size_t>(where.count));
    }
};

/// A list of arguments as bytes, one after the other.
template<class... A>
class argument_codec {
    template<class T>
    using sent = typename sent_argument<std::remove_cvref_t<T>>::type;

public:
    static constexpr std::size_t size = (sizeof(sent<A>) + ... + 0);
    static_assert(size <= most_arguments,
                  "the arguments of a task are at most 512 bytes: pass a std::span of memory from "
                  "process_pool::allocate");
    static_assert(((!std::is_lvalue_reference_v<A> ||
                    std::is_const_v<std::remove_reference_t<A>>)&&...),
                  "an argument of a task is a copy: take it by value or by const reference");

    static void pack(const pool_memory& memory, std::byte* to, const std::remove_cvref_t<A>&... a) {
        static_cast<void>(memory);
        static_cast<void>(to);
        std::size_t at = 0;
        ((put(to, at, sent_argument<std::remove_cvref_t<A>>::pack(memory, a))), ...);
        static_cast<void>(at);
    }
    static auto unpack(const pool_memory& memory, const std::byte* from) {
        static_cast<void>(from);
        std::size_t at = 0;
        static_cast<void>(at);
        // In braces: evaluated from left to right.
        return std::tuple<std::remove_cvref_t<A>...>{
            sent_argument<std::remove_cvref_t<A>>::unpack(memory, get<sent<A>>(from, at))...};
    }

private:
    template<class T>
    static void put(std::byte* to, std::size_t& at, const T& value) {
        std::memcpy(to + at, &value, sizeof value);
        at += sizeof value;
    }
    template<class T>
    static T get(const std::byte* from, std::size_t& at) {
        std::array<std::byte, sizeof(T)> bytes;
        std::memcpy(bytes.data(), from + at, sizeof(T));
        at += sizeof(T);
        return std::bit_cast<T>(bytes);
    }
};

/// How a worker calls a function.
enum class call_form : std::size_t { submitted, returns_element, fills_element, sees_ranges };

/// A number for that form and for the sizes of what the function takes and returns.
constexpr std::uint64_t layout_of(call_form form, std::size_t taken, std::size_t returned,
                                  std::size_t more) noexcept {
    std::uint64_t hash = 0;
    for (const std::uint64_t number : {static_cast<std::uint64_t>(form), std::uint64_t{taken},
                                       std::uint64_t{returned}, std::uint64_t{more}}) {
        hash = (hash ^ number) * 0x100000001b3u; // As `layout_hash`.
    }
    return hash;
}

/// Calls a function with the task in front if it takes one, and `unpacked` at the end. Returns, and
/// throws, in the worker alone: a fork that the function made ends here.
template<auto Function, class Tuple, class... A>
decltype(auto) call_function(const process_task& task, Tuple&& unpacked, A&&... front) {
    const struct fork_end {
        ~fork_end() { end_fork_of_worker(); }
    } at_the_end;
    return std::apply(
        [&](auto&... rest) -> decltype(auto) {
            if constexpr (signature<decltype(Function)>::type::takes_task) {
                return Function(task, std::forward<A>(front)..., rest...);
            } else {
                return Function(std::forward<A>(front)..., rest...);
            }
        },
        unpacked);
}

template<class R>
constexpr std::size_t size_of_result() noexcept {
    if constexpr (std::is_void_v<R>) {
        return 0;
    } else {
        return sizeof(R);
    }
}

/// What `submit` calls: any arguments, a result that is copied back.
template<auto Function, class R, class List>
struct submit_shape;
template<auto Function, class R, class... A>
struct submit_shape<Function, R, type_list<A...>> {
    using result = R;
    using codec = argument_codec<A...>;
    static_assert(!std::is_reference_v<R>, "the result of a task is a copy, not a reference");
    static constexpr std::size_t result_size() {
        if constexpr (!std::is_void_v<R>) {
            static_assert(check_sent<R>());
        }
        return size_of_result<R>();
    }
    static_assert(result_size() <= most_result,
                  "the result of a task is at most 512 bytes: have it written to a std::span of "
                  "memory from process_pool::allocate");
    static constexpr std::uint64_t layout =
        layout_of(call_form::submitted, codec::size, result_size(), 0);

    static void call(const task_frame& frame) {
        auto unpacked = codec::unpack(frame.memory, frame.arguments);
        if constexpr (std::is_void_v<R>) {
            call_function<Function>(frame.task, unpacked);
        } else {
            const R result = call_function<Function>(frame.task, unpacked);
            std::memcpy(frame.result, &result, sizeof result);
        }
    }
    static R unpack_result(const std::byte* bytes) {
        if constexpr (std::is_void_v<R>) {
            static_cast<void>(bytes);
        } else {
            std::array<std::byte, sizeof(R)> copy;
            std::memcpy(copy.data(), bytes, sizeof(R));
            return std::bit_cast<R>(copy);
        }
    }
};
template<auto Function>
using submit_shape_of = submit_shape<Function, typename signature<decltype(Function)>::type::result,
                                     typename signature<decltype(Function)>::type::arguments>;

/// Whether a function only takes and returns what `submit` can send.
template<class R, class List>
inline constexpr bool sends_all = false;
template<class R, class... A>
inline constexpr bool sends_all<R, type_list<A...>> =
    (std::is_void_v<R> || std::is_trivially_copyable_v<R>)&&size_of_result<R>() <= most_result &&
    (sizeof(typename sent_argument<std::remove_cvref_t<A>>::type) + ... + 0) <= most_arguments &&
    ((!std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>)&&...);
template<auto Function>
inline constexpr bool can_submit =
    sends_all<typename signature<decltype(Function)>::type::result,
              typename signature<decltype(Function)>::type::arguments>;

/// What `map` calls for each task, in one of three forms.
template<auto Function, class R, class List>
struct map_shape {
    static_assert(!std::is_same_v<List, List>,
                  "map takes `Out f(In)`, `void f(In, Out&)` or `void f(const process_task&, "
                  "span<const In>, span<Out>)`");
    using input = std::byte;
    using output = std::byte;
};

/// Whether a function has one of those forms. One of whole ranges takes a task.
template<class R, class List, bool TakesTask>
inline constexpr bool has_map_form = false;
template<class R, class In, class... More, bool TakesTask>
inline constexpr bool has_map_form<R, type_list<In, More...>, TakesTask> = !is_span<In>;
template<class In, class... More, bool TakesTask>
inline constexpr bool has_map_form<void, type_list<In, More...>, TakesTask> = false;
template<class In, class Out, class... More, bool TakesTask>
inline constexpr bool has_map_form<void, type_list<In, Out&, More...>, TakesTask> =
    !std::is_const_v<Out>;
template<class In, class Out, class... More, bool TakesTask>
inline constexpr bool
    has_map_form<void, type_list<std::span<const In>, std::span<Out>, More...>, TakesTask> =
        TakesTask;
template<auto Function>
inline constexpr bool can_map =
    has_map_form<typename signature<decltype(Function)>::type::result,
                 typename signature<decltype(Function)>::type::arguments,
                 signature<decltype(Function)>::type::takes_task>;

/// `Out f(In, more…)`: its result becomes the element of the output.
template<auto Function, class R, class In, class... More>
struct map_shape<Function, R, type_list<In, More...>> {
    using input = std::remove_cvref_t<In>;
    using output = R;
    using codec = argument_codec<More...>;
    static_assert(check_sent<input>() && check_sent<output>());
    static constexpr bool by_element = true;
    static constexpr std::uint64_t layout =
        layout_of(call_form::returns_element, sizeof(input), sizeof(output), codec::size);

    static void call(const task_frame& frame) {
        const auto* in = reinterpret_cast<const input*>(frame.memory.at(frame.input));
        auto* out = reinterpret_cast<output*>(frame.memory.at(frame.output));
        auto more = codec::unpack(frame.memory, frame.arguments);
        out[frame.task.index] = call_function<Function>(frame.task, more, in[frame.task.index]);
    }
};

/// `void f(In, Out&, more…)`: fills or adds to an element of its own, which begins
/// value-initialised in each attempt and becomes the element of the output when the attempt has
/// returned.
template<auto Function, class In, class Out, class... More>
requires(!is_span<Out>) struct map_shape<Function, void, type_list<In, Out&, More...>> {
    using input = std::remove_cvref_t<In>;
    using output = Out;
    using codec = argument_codec<More...>;
    static_assert(check_sent<input>() && check_sent<output>());
    static constexpr bool by_element = true;
    static constexpr std::uint64_t layout =
        layout_of(call_form::fills_element, sizeof(input), sizeof(output), codec::size);

    static void call(const task_frame& frame) {
        const auto* in = reinterpret_cast<const input*>(frame.memory.at(frame.input));
        auto* out = reinterpret_cast<output*>(frame.memory.at(frame.output));
        auto more = codec::unpack(frame.memory, frame.arguments);
        static output staging;
        staging = output{};
        call_function<Function>(frame.task, more, in[frame.task.index], staging);
        std::memcpy(out + frame.task.index, &staging, sizeof staging);
    }
};

/// `void f(span<const In>, span<Out>, more…)`: sees everything, and writes what belongs to its
/// task.
template<auto Function, class In, class Out, class... More>
struct map_shape<Function, void, type_list<std::span<const In>, std::span<Out>, More...>> {
    using input = In;
    using output = Out;
    using codec = argument_codec<More...>;
    static_assert(check_sent<input>() && check_sent<output>());
    static_assert(signature<decltype(Function)>::type::takes_task,
                  "a function of whole ranges takes a process_task first, to know its index");
    static constexpr bool by_element = false;
    static constexpr std::uint64_t layout =
        layout_of(call_form::sees_ranges, sizeof(input), sizeof(output), codec::size);

    static void call(const task_frame& frame) {
        auto more = codec::unpack(frame.memory, frame.arguments);
        call_function<Function>(
            frame.task, more, sent_argument<std::span<const In>>::unpack(frame.memory, frame.input),
            sent_argument<std::span<Out>>::unpack(frame.memory, frame.output));
    }
};
template<auto Function>
using map_shape_of = map_shape<Function, typename signature<decltype(Function)>::type::result,
                               typename signature<decltype(Function)>::type::arguments>;

} // namespace regatta::detail
