// libsched_loop.hpp -- shortens the loop of an orchestrator: answers a whole plan, and adds objects that
// a text describes. For C++17, beside libsched.hpp, whose rules hold: nothing throws.
//
//     auto plan = cluster.schedule(now_us);
//     if (plan) lsched::settle_plan(cluster, *plan); // all of it will be carried out
#ifndef LIBSCHED_LOOP_HPP
#define LIBSCHED_LOOP_HPP

#include "libsched_calls.hpp"

#include <libsched/scenario.h>

namespace lsched {

// Settles a plan: an outcome for each of its decisions, 0 for no answer now. Without outcomes: confirms all
// but nominations and checkpoints. Late answers are no error; status has a code for each decision. A plan
// that another cluster made, also a clone, is LSCHED_E_INVAL.
inline result<std::uint32_t> settle_plan(cluster &on, const plan &of,
                                         span<const lsched_outcome> outcomes = {},
                                         span<std::int32_t> status = {}) {
    if ((!outcomes.empty() && outcomes.size() != of.size()) ||
        (!status.empty() && status.size() != of.size()))
        return error(LSCHED_E_INVAL);
    auto code = detail::counted([&](lsched_error *err) {
        return lsched_settle_plan(on.get(), of.get(), outcomes.empty() ? nullptr : outcomes.data(),
                                  status.empty() ? nullptr : status.data(), err);
    });
    if (!code) return code.error();
    return static_cast<std::uint32_t>(*code);
}

// Adds the objects that a text in YAML describes: "nodes: [{name: n1, cpu: 8}]". name: of the text, for messages.
inline result<void> add(cluster &to, std::string_view description, std::string_view name = {}) {
    return detail::called([&](lsched_error *err) {
        return lsched_scenario_add(nullptr, text(description), text(name), to.get(), err);
    });
}

} // namespace lsched

#endif
