// SPDX-License-Identifier: MIT
// Copyright (c) 2026 The Regatta authors

// Many results, in the order in which their tasks were submitted.

#include <regatta/compat/hipe.hpp>

using namespace hipe;

bool is_prime(int n) {
    for (int d = 2; d * d <= n; ++d) {
        if (n % d == 0) {
            return false;
        }
    }
    return n > 1;
}

int main() {
    BalancedThreadPond pond(3);
    HipeFutures<int> counts;
    for (int start = 0; start < 1000; start += 100) {
        counts.push_back(pond.submitForReturn([start] {
            int primes = 0;
            for (int n = start; n < start + 100; ++n) {
                primes += is_prime(n) ? 1 : 0;
            }
            return primes;
        }));
    }
    counts.wait();
    const std::vector<int> primes = counts.get();

    int sum = 0;
    for (std::size_t i = 0; i < primes.size(); ++i) {
        util::print("from ", i * 100, ": ", primes[i], " primes");
        sum += primes[i];
    }
    return counts.size() == 10 && primes[0] == 25 && primes[9] == 14 && sum == 168 ? 0 : 1;
}
