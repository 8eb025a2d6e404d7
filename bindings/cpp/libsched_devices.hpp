// libsched_devices.hpp -- health and taints of devices, memory pressure, foreign use and MIG. For C++17, beside
// libsched.hpp, whose rules hold: nothing throws, and what owns something is a value.
#ifndef LIBSCHED_DEVICES_HPP
#define LIBSCHED_DEVICES_HPP

#include "libsched_calls.hpp"

namespace lsched {

// ---- devices

inline result<std::uint32_t> update_devices(cluster &of, span<const lsched_device_update> updates,
                                            span<std::int32_t> status = {},
                                            mode flags = mode::strict) {
    return detail::batch(updates.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_devices_update(of.get(), updates.data(), updates.size(),
                                     sizeof(lsched_device_update), opts, status.data(), err);
    });
}
inline result<lsched_device_info> device(const cluster &of, lsched_id node, std::uint32_t index) {
    return detail::filled<lsched_device_info>([&](auto *out, lsched_error *err) {
        return lsched_device_get(of.get(), node, index, out, err);
    });
}
// The next taint of a device; nothing after the last. The cursor begins with 0.
inline result<std::optional<lsched_device_taint_info>> next_device_taint(const cluster &of,
                                                                         lsched_id node,
                                                                         std::uint32_t device,
                                                                         std::uint64_t &cursor) {
    return detail::next<lsched_device_taint_info>([&](auto *out, lsched_error *err) {
        return lsched_device_taints_next(of.get(), node, device, &cursor, out, err);
    });
}
// Failures of the devices of a node, or those that cost a job tasks.
inline result<std::int64_t> device_failures(const cluster &of, lsched_id node_or_job) {
    return detail::counted(
        [&](lsched_error *err) { return lsched_device_failures(of.get(), node_or_job, err); });
}
// Memory pressure, which the next cycle relieves.
inline result<std::uint32_t> report_collisions(cluster &of, span<const lsched_collision> collisions,
                                               span<std::int32_t> status = {},
                                               mode flags = mode::strict) {
    return detail::batch(collisions.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_collisions_report(of.get(), collisions.data(), collisions.size(),
                                        sizeof(lsched_collision), opts, status.data(), err);
    });
}

// ---- foreign use

inline result<std::uint32_t> set_foreign_use(cluster &of, span<const lsched_foreign_use> uses,
                                             span<std::int32_t> status = {},
                                             mode flags = mode::strict) {
    return detail::batch(uses.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_foreign_set(of.get(), uses.data(), uses.size(), sizeof(lsched_foreign_use),
                                  opts, status.data(), err);
    });
}
inline result<std::int64_t> foreign_amount(const cluster &of, lsched_id node, std::uint32_t kind) {
    return detail::counted(
        [&](lsched_error *err) { return lsched_foreign_amount(of.get(), node, kind, err); });
}

// ---- MIG

// The next instance of a device; nothing after the last. The cursor begins with 0.
inline result<std::optional<lsched_mig_instance_info>> next_mig_instance(const cluster &of,
                                                                         lsched_id node,
                                                                         std::uint32_t device,
                                                                         std::uint64_t &cursor) {
    return detail::next<lsched_mig_instance_info>([&](auto *out, lsched_error *err) {
        return lsched_mig_instances_next(of.get(), node, device, &cursor, out, err);
    });
}
inline std::vector<std::string_view> mig_tables() {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < lsched_mig_tables_size(); i++)
        names.emplace_back(lsched_mig_tables_at(i));
    return names;
}
// The table of a device by its model and its memory (0: unknown). The text is static.
inline result<std::string_view> mig_table(std::string_view model, std::int64_t memory_bytes = 0) {
    lsched_text table{};
    auto found = detail::called([&](lsched_error *err) {
        return lsched_mig_table_find(text(model), memory_bytes, &table, err);
    });
    if (!found) return found.error();
    return view(table);
}
// The profiles of a table; empty if there is no such table.
inline result<std::vector<lsched_mig_profile>> mig_profiles(std::string_view table) {
    std::vector<lsched_mig_profile> profiles;
    while (profiles.size() < lsched_mig_profiles_size(text(table))) {
        auto next = detail::filled<lsched_mig_profile>([&](auto *out, lsched_error *err) {
            return lsched_mig_profiles_at(text(table), profiles.size(), out, err);
        });
        if (!next) return next.error();
        profiles.push_back(*next);
    }
    return profiles;
}

struct mig_steps {
    std::vector<lsched_mig_step> steps;
    lsched_mig_info info = make<lsched_mig_info>();
};
// The cheapest steps after which all wanted instances exist beside the busy ones.
inline result<mig_steps> plan_mig(std::string_view table, span<const lsched_mig_device> devices,
                                  span<const lsched_mig_request> wanted,
                                  const lsched_mig_costs &costs = {1, 1}) {
    mig_steps found;
    for (;;) {
        auto n = detail::counted([&](lsched_error *err) {
            return lsched_mig_plan(
                text(table), devices.data(), static_cast<std::uint32_t>(devices.size()),
                wanted.data(), static_cast<std::uint32_t>(wanted.size()), &costs, nullptr,
                found.steps.data(), static_cast<std::uint32_t>(found.steps.size()), &found.info,
                err);
        });
        if (!n) return n.error();
        const bool all = static_cast<std::size_t>(*n) <= found.steps.size();
        found.steps.resize(static_cast<std::size_t>(*n));
        if (all) return found;
    }
}

} // namespace lsched

#endif
