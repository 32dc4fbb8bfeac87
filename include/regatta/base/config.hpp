// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors
#pragma once

/// @file
/// Properties of the compiler and the target. Only this header tests the compiler and defines
/// macros; all others use these.

#if defined(_MSVC_LANG) ? _MSVC_LANG < 202002L : __cplusplus < 201709L
#error "Regatta needs C++20: -std=c++20, or in CMake the target regatta::regatta"
#endif

#if defined(__cpp_exceptions)
#define REGATTA_EXCEPTIONS 1
#else
#define REGATTA_EXCEPTIONS 0
#endif

#if defined(__cpp_rtti)
#define REGATTA_RTTI 1
#else
#define REGATTA_RTTI 0
#endif

#if defined(__linux__)
#define REGATTA_LINUX 1
#else
#define REGATTA_LINUX 0
#endif

#if defined(_WIN32)
#define REGATTA_WINDOWS 1
#else
#define REGATTA_WINDOWS 0
#endif

// Whether a variable of a thread may need its destructor. GCC emulates such variables on Windows,
// and frees them before it calls their destructors.
#if defined(__MINGW32__)
#define REGATTA_THREAD_DESTRUCTORS 0
#else
#define REGATTA_THREAD_DESTRUCTORS 1
#endif

// The thread sanitizer does not model fences; sync/atomics.hpp says what changes there.
#if defined(__SANITIZE_THREAD__)
#define REGATTA_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define REGATTA_THREAD_SANITIZER 1
#endif
#endif
#if !defined(REGATTA_THREAD_SANITIZER)
#define REGATTA_THREAD_SANITIZER 0
#endif

// An architectural hint for a spinning core; nothing where there is none.
#if defined(__x86_64__) || defined(__i386__)
#define REGATTA_CPU_RELAX() __builtin_ia32_pause()
#elif defined(__aarch64__) || (defined(__arm__) && __ARM_ARCH >= 7)
#define REGATTA_CPU_RELAX() __asm__ __volatile__("yield" ::: "memory")
#elif defined(__riscv)
// "pause", also for an assembler that lacks the extension Zihintpause: older processors take it for
// a fence that orders nothing.
#define REGATTA_CPU_RELAX() __asm__ __volatile__(".4byte 0x0100000f" ::: "memory")
#else
#define REGATTA_CPU_RELAX() static_cast<void>(0)
#endif

// A hint that a line will be written soon, so that its core can fetch it in advance.
// On x86-64 the builtin would fetch it for reading, since not every processor has PREFETCHW. Those
// that lack it take the instruction for a no-op.
#if defined(__GNUC__) && defined(__x86_64__)
#define REGATTA_PREFETCH_WRITE(address)                                                            \
    __asm__ __volatile__("prefetchw %0" ::"m"(*reinterpret_cast<const char*>(address)))
#elif defined(__GNUC__)
#define REGATTA_PREFETCH_WRITE(address) __builtin_prefetch((address), 1)
#else
#define REGATTA_PREFETCH_WRITE(address) static_cast<void>(address)
#endif

// A hint that a line will be read soon.
#if defined(__GNUC__)
#define REGATTA_PREFETCH(address) __builtin_prefetch((address), 0)
#else
#define REGATTA_PREFETCH(address) static_cast<void>(address)
#endif

// For the rare half of a hot function. It stays out of line, so that its needs (an argument's
// address, saved registers) cost the common half nothing.
#if defined(__GNUC__)
#define REGATTA_RARE [[gnu::noinline, gnu::cold]]
#else
#define REGATTA_RARE
#endif

// For what runs seldom, but on every way through its caller: a constructor, a wait. It is compiled
// once and out of line. It is not cold: a compiler takes a caller that always calls something cold
// for cold itself.
#if defined(__GNUC__)
#define REGATTA_APART [[gnu::noinline]]
#else
#define REGATTA_APART
#endif

// For the common half of a hot function that has one caller, or is shorter than a call. The
// compiler may think it too large to inline.
#if defined(__GNUC__)
#define REGATTA_INLINE [[gnu::always_inline]] inline
#else
#define REGATTA_INLINE inline
#endif

// The address of an object, computed where it is used. Otherwise a compiler that needs it on both
// sides of a call keeps a register for it, which the caller then has to save.
#if defined(__GNUC__) && defined(__x86_64__) && defined(__LP64__)
#define REGATTA_ADDRESS(pointer, object) __asm__("leaq %1, %0" : "=r"(pointer) : "m"(object))
#else
#define REGATTA_ADDRESS(pointer, object) pointer = &(object)
#endif

// The library regatta::pools compiles once what needs no type of the program and what no task calls
// in the common case. A program that links it defines REGATTA_COMPILED_POOLS, as the library's
// target and its pkg-config file do. Without the library all this is inline, like everything else.
//
// - REGATTA_POOLS_API begins the declaration of such a member function, and the definition of such
// a
//   free function, whose declaration begins with REGATTA_POOLS_EXPORT.
// - REGATTA_POOLS_DEFINITIONS says whether their definitions are wanted: not by a program with the
//   library. The library itself defines REGATTA_BUILDS_POOLS.
// - REGATTA_POOLS_LIBRARY says whether there are templates that the library instantiates;
//   REGATTA_POOLS_TEMPLATE begins their explicit instantiation. Their rare members stand outside
//   the class: a compiler instantiates again what stands in it, to inline it.
#if defined(REGATTA_COMPILED_POOLS)
#define REGATTA_POOLS_LIBRARY 1
#else
#define REGATTA_POOLS_LIBRARY 0
#endif
#if REGATTA_POOLS_LIBRARY && defined(__GNUC__)
#define REGATTA_POOLS_EXPORT __attribute__((visibility("default")))
#else
#define REGATTA_POOLS_EXPORT
#endif
#if REGATTA_POOLS_LIBRARY
#define REGATTA_POOLS_API REGATTA_POOLS_EXPORT
#else
#define REGATTA_POOLS_API inline
#endif
#if REGATTA_POOLS_LIBRARY && !defined(REGATTA_BUILDS_POOLS)
#define REGATTA_POOLS_DEFINITIONS 0
#define REGATTA_POOLS_TEMPLATE extern template
#else
#define REGATTA_POOLS_DEFINITIONS 1
#define REGATTA_POOLS_TEMPLATE template
#endif

// Exports a name of the compiled part, regatta::system, which hides all others.
#if defined(__GNUC__)
#define REGATTA_SYSTEM_API __attribute__((visibility("default")))
#else
#define REGATTA_SYSTEM_API
#endif

// For a function that is in several libraries of one process and differs between them. Otherwise
// they share the static variables of a template, which GCC makes unique in the process.
#if defined(__GNUC__) && !defined(_WIN32)
#define REGATTA_HIDDEN [[gnu::visibility("hidden")]]
#else
#define REGATTA_HIDDEN
#endif

// `try`/`catch` that vanish in a build without exceptions. The guarded block always runs; the
// handler is compiled only where it can be reached.
#if REGATTA_EXCEPTIONS
#define REGATTA_TRY try
#define REGATTA_CATCH_ALL catch (...)
#define REGATTA_RETHROW throw
#else
#define REGATTA_TRY if constexpr (true)
#define REGATTA_CATCH_ALL else
#define REGATTA_RETHROW static_cast<void>(0)
#endif
