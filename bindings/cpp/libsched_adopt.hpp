// libsched_adopt.hpp -- carries the plan of a clone over to its original. For C++17, beside
// libsched.hpp, whose rules hold: nothing throws, and what owns something is a value.
//
//     auto adopted = lsched::adopt(cluster, plan_of_clone);
//     if (adopted)
//         for (const lsched_decision &d : adopted->decisions()) carry_out(d);
#ifndef LIBSCHED_ADOPT_HPP
#define LIBSCHED_ADOPT_HPP

#include "libsched.hpp"

namespace lsched {

// Applies the plan of a clone, as far as the cluster still allows it. The result is a plan of `on`.
inline result<plan> adopt(cluster &on, plan &of_clone,
                          const lsched_adopt_opts &opts = make<lsched_adopt_opts>()) {
    lsched_plan *out = nullptr;
    error e;
    const std::int32_t code = lsched_adopt(on.get(), of_clone.get(), &opts, &out, e.record());
    if (code < 0) return e.with(code);
    return plan(out);
}
// What became of each group of decisions of the clone's plan.
inline std::size_t adopted_group_size(const plan &adopted) noexcept {
    return lsched_adopted_group_size(adopted.get());
}
inline const lsched_adopted_group &adopted_group(const plan &adopted, std::size_t i) noexcept {
    return *lsched_adopted_group_at(adopted.get(), i);
}
// The id of the open decision that decision i of the clone's plan became; 0 if there is none.
inline lsched_id adopted_id(const plan &adopted, std::size_t i) noexcept {
    return lsched_adopted_id(adopted.get(), i);
}

} // namespace lsched

#endif
