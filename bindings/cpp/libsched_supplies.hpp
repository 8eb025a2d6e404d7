// libsched_supplies.hpp -- supplies: licences, watts and the like. For C++17, beside libsched.hpp,
// whose rules hold: nothing throws, and what owns something is a value.
//
//     auto ansys = lsched::make<lsched_supply_desc>();
//     ansys.name = LSCHED_TEXT("ansys");
//     ansys.amount = 10;
//     lsched::add_supplies(cluster, ansys);
#ifndef LIBSCHED_SUPPLIES_HPP
#define LIBSCHED_SUPPLIES_HPP

#include "libsched.hpp"
#include "libsched_calls.hpp"

namespace lsched {

inline result<std::uint32_t> add_supplies(cluster &to, span<const lsched_supply_desc> supplies,
                                          span<std::int32_t> status = {},
                                          mode flags = mode::strict) {
    return detail::batch(supplies.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_supplies_add(to.get(), supplies.data(), supplies.size(),
                                   sizeof(lsched_supply_desc), opts, status.data(), err);
    });
}
inline result<std::uint32_t> update_supplies(cluster &of, span<const lsched_supply_update> updates,
                                             span<std::int32_t> status = {},
                                             mode flags = mode::strict) {
    return detail::batch(updates.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_supplies_update(of.get(), updates.data(), updates.size(),
                                      sizeof(lsched_supply_update), opts, status.data(), err);
    });
}
// The next place of a supply; nothing after the last. The cursor begins with 0.
inline result<std::optional<lsched_supply_info>> next_supply(const cluster &of,
                                                             std::uint64_t &cursor) {
    return detail::next<lsched_supply_info>([&](auto *out, lsched_error *err) {
        return lsched_supplies_next(of.get(), &cursor, out, err);
    });
}
// One place: without labels, the whole cluster.
inline result<lsched_supply_info> supply_at(const cluster &of, lsched_text supply,
                                            lsched_text topology = {},
                                            span<const lsched_label> labels = {}) {
    return detail::filled<lsched_supply_info>([&](auto *out, lsched_error *err) {
        return lsched_supply_get(of.get(), supply, topology, labels.data(), labels.size(), out,
                                 err);
    });
}

} // namespace lsched

#endif
