// libsched_monitor.hpp -- counters, OpenMetrics text, amounts of nodes and queues, and what plans and
// policies say. For C++17, beside libsched.hpp, whose rules hold: nothing throws, and what owns
// something is a value.
#ifndef LIBSCHED_MONITOR_HPP
#define LIBSCHED_MONITOR_HPP

#include "libsched_calls.hpp"

namespace lsched {

// ---- counters

inline result<std::vector<lsched_action_counters>> action_counters(const cluster &of) {
    std::vector<lsched_action_counters> all;
    for (std::uint64_t cursor = 0;;) {
        auto one = detail::next<lsched_action_counters>([&](auto *out, lsched_error *err) {
            return lsched_action_counters_next(of.get(), &cursor, out, err);
        });
        if (!one) return one.error();
        if (!*one) return all;
        all.push_back(**one);
    }
}
// flags: LSCHED_METRICS_QUEUES for the counters of queues, too.
inline result<std::string> metrics(const cluster &of, std::uint32_t flags = 0) {
    std::string out;
    auto append = [](void *user, const void *bytes, std::size_t n) -> std::int32_t {
        static_cast<std::string *>(user)->append(static_cast<const char *>(bytes), n);
        return 0;
    };
    auto done = detail::called([&](lsched_error *err) {
        return lsched_metrics_write(of.get(), flags, append, &out, err);
    });
    if (!done) return done.error();
    return out;
}
// The longest wait that a bucket of lsched_counters.wait counts.
inline std::int64_t wait_bound_us(std::uint32_t bucket) noexcept {
    return lsched_wait_bound_us(bucket);
}

// ---- amounts

struct node_amounts {
    std::int64_t capacity = 0, free = 0;
};
inline result<node_amounts> amounts_of_node(const cluster &of, lsched_id node, std::uint32_t kind) {
    node_amounts a;
    auto done = detail::called([&](lsched_error *err) {
        return lsched_node_amount(of.get(), node, kind, &a.capacity, &a.free, err);
    });
    if (!done) return done.error();
    return a;
}
struct queue_amounts {
    std::int64_t used = 0, quota = 0, limit = 0;
};
inline result<queue_amounts> amounts_of_queue(const cluster &of, lsched_id queue,
                                              std::uint32_t kind) {
    queue_amounts a;
    auto done = detail::called([&](lsched_error *err) {
        return lsched_queue_amount(of.get(), queue, kind, &a.used, &a.quota, &a.limit, err);
    });
    if (!done) return done.error();
    return a;
}
inline result<lsched_queue_share> share_of_queue(const cluster &of, lsched_id queue,
                                                 std::uint32_t kind) {
    return detail::filled<lsched_queue_share>([&](auto *out, lsched_error *err) {
        return lsched_queue_share_get(of.get(), queue, kind, out, err);
    });
}

// ---- plans: the texts and records belong to the plan

inline std::vector<std::string_view> log_of(const plan &p) {
    std::vector<std::string_view> lines;
    for (std::size_t i = 0; i < lsched_plan_log_size(p.get()); i++)
        lines.emplace_back(lsched_plan_log_at(p.get(), i));
    return lines;
}
inline std::vector<const lsched_plan_advice_record *> advice_of(const plan &p) {
    std::vector<const lsched_plan_advice_record *> records;
    for (std::size_t i = 0; i < lsched_plan_advice_size(p.get()); i++)
        records.push_back(lsched_plan_advice_at(p.get(), i));
    return records;
}

// ---- policies

inline result<std::vector<lsched_ready_policy>> ready_policies() {
    std::vector<lsched_ready_policy> all;
    while (all.size() < lsched_ready_policies_size()) {
        auto one = detail::filled<lsched_ready_policy>([&](auto *out, lsched_error *err) {
            return lsched_ready_policies_at(all.size(), out, err);
        });
        if (!one) return one.error();
        all.push_back(*one);
    }
    return all;
}
inline std::vector<std::string> policy_warnings(const cluster &of) {
    std::vector<std::string> all;
    while (all.size() < lsched_policy_warnings_size(of.get()))
        all.emplace_back(lsched_policy_warnings_at(of.get(), all.size()));
    return all;
}
inline result<std::vector<lsched_policy_hook_info>> policy_hooks(const cluster &of) {
    std::vector<lsched_policy_hook_info> all;
    while (all.size() < lsched_policy_hooks_size(of.get())) {
        auto one = detail::filled<lsched_policy_hook_info>([&](auto *out, lsched_error *err) {
            return lsched_policy_hooks_at(of.get(), all.size(), out, err);
        });
        if (!one) return one.error();
        all.push_back(*one);
    }
    return all;
}
struct hook_answer {
    double value = 0;
    std::vector<lsched_policy_term> terms; // empty if the hook is not compiled
};
// The answer of a hook for a job and, for LSCHED_HOOK_SCORE, a node.
inline result<hook_answer> ask_hook(const cluster &of, std::uint32_t hook, lsched_id job,
                                    lsched_id node, std::int64_t now_us) {
    hook_answer found;
    for (;;) {
        auto n = detail::counted([&](lsched_error *err) {
            return lsched_policy_terms(of.get(), hook, job, node, now_us, found.terms.data(),
                                       found.terms.size(), &found.value, err);
        });
        if (!n) return n.error();
        const bool all = static_cast<std::size_t>(*n) <= found.terms.size();
        found.terms.resize(static_cast<std::size_t>(*n));
        if (all) return found;
    }
}

} // namespace lsched

#endif
