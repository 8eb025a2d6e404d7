// libsched_allowances.hpp -- allowances: GPU time or money that queues may use in a period. For
// C++17, beside libsched.hpp, whose rules hold: nothing throws, and what owns something is a value.
//
//     const lsched_amount price = lsched::amount(LSCHED_GPU, 1000000);
//     auto hours = lsched::make<lsched_allowance_desc>();
//     hours.queue_name = LSCHED_TEXT("team");
//     hours.price = &price;
//     hours.n_price = 1;
//     hours.amount_micro = 500000000; // 500 GPU hours
//     lsched::set_allowances(cluster, hours);
#ifndef LIBSCHED_ALLOWANCES_HPP
#define LIBSCHED_ALLOWANCES_HPP

#include "libsched.hpp"
#include "libsched_calls.hpp"

namespace lsched {

inline result<std::uint32_t> set_allowances(cluster &of, span<const lsched_allowance_desc> terms,
                                            span<std::int32_t> status = {},
                                            mode flags = mode::strict) {
    return detail::batch(terms.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_allowances_set(of.get(), terms.data(), terms.size(),
                                     sizeof(lsched_allowance_desc), opts, status.data(), err);
    });
}
inline result<std::uint32_t> remove_allowances(cluster &of, span<const lsched_id> queues,
                                               span<std::int32_t> status = {},
                                               mode flags = mode::strict) {
    return detail::batch(queues.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_allowances_remove(of.get(), queues.data(), queues.size(), opts, status.data(),
                                        err);
    });
}
inline result<lsched_allowance_info> allowance_of(const cluster &of, lsched_id queue) {
    return detail::filled<lsched_allowance_info>([&](auto *out, lsched_error *err) {
        return lsched_allowance_get(of.get(), queue, out, err);
    });
}
// The next allowance; nothing after the last. The cursor begins with 0.
inline result<std::optional<lsched_allowance_info>> next_allowance(const cluster &of,
                                                                   std::uint64_t &cursor) {
    return detail::next<lsched_allowance_info>([&](auto *out, lsched_error *err) {
        return lsched_allowances_next(of.get(), &cursor, out, err);
    });
}
// The price of an hour of one unit of the kind, in micro-units.
inline result<std::int64_t> allowance_price(const cluster &of, lsched_id queue,
                                            std::uint32_t kind) {
    std::int64_t price = 0;
    auto code = detail::called([&](lsched_error *err) {
        return lsched_allowance_price(of.get(), queue, kind, &price, err);
    });
    if (!code) return code.error();
    return price;
}

} // namespace lsched

#endif
