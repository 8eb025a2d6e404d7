// libsched_reservations.hpp -- reservations: nodes that only the jobs of one queue may use in a
// window of time. For C++17, beside libsched.hpp, whose rules hold: nothing throws, and what owns
// something is a value.
//
//     auto night = lsched::make<lsched_reservation_desc>();
//     night.name = LSCHED_TEXT("night");
//     night.queue_name = LSCHED_TEXT("research");
//     lsched::list(night.nodes, night.n_nodes, nodes);
//     night.start_us = begin;
//     night.end_us = begin + two_hours;
//     lsched::set_reservations(cluster, night);
#ifndef LIBSCHED_RESERVATIONS_HPP
#define LIBSCHED_RESERVATIONS_HPP

#include <libsched/reservations.h>

#include "libsched.hpp"
#include "libsched_calls.hpp"

namespace lsched {

inline result<std::uint32_t> set_reservations(cluster &of,
                                              span<const lsched_reservation_desc> terms,
                                              span<std::int32_t> status = {},
                                              mode flags = mode::strict) {
    return detail::batch(terms.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_reservations_set(of.get(), terms.data(), terms.size(),
                                       sizeof(lsched_reservation_desc), opts, status.data(), err);
    });
}
inline result<std::uint32_t> remove_reservations(cluster &of, span<const lsched_text> names,
                                                 span<std::int32_t> status = {},
                                                 mode flags = mode::strict) {
    return detail::batch(names.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_reservations_remove(of.get(), names.data(), names.size(), opts, status.data(),
                                          err);
    });
}
inline result<lsched_reservation_info> reservation(const cluster &of, lsched_text name) {
    return detail::filled<lsched_reservation_info>([&](auto *out, lsched_error *err) {
        return lsched_reservation_get(of.get(), name, out, err);
    });
}
// The next reservation; nothing after the last. The cursor begins with 0.
inline result<std::optional<lsched_reservation_info>> next_reservation(const cluster &of,
                                                                       std::uint64_t &cursor) {
    return detail::next<lsched_reservation_info>([&](auto *out, lsched_error *err) {
        return lsched_reservations_next(of.get(), &cursor, out, err);
    });
}
// The next node of the reservation, 0 after the last. The cursor begins with 0.
inline result<lsched_id> next_reserved_node(const cluster &of, lsched_text name,
                                            std::uint64_t &cursor) {
    lsched_id node = 0;
    auto code = detail::called([&](lsched_error *err) {
        return lsched_reservation_nodes_next(of.get(), name, &cursor, &node, err);
    });
    if (!code) return code.error();
    return node;
}

} // namespace lsched

#endif
