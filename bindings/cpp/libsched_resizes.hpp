// libsched_resizes.hpp -- other amounts for tasks that run. For C++17, beside libsched.hpp, whose
// rules hold: nothing throws, and what owns something is a value.
//
//     auto wish = lsched::make<lsched_task_resize>();
//     wish.job = job;
//     const lsched_amount more = lsched::amount(LSCHED_CPU, 8000);
//     lsched::list(wish.request, wish.n_request, more);
//     lsched::resize_tasks(cluster, wish);
#ifndef LIBSCHED_RESIZES_HPP
#define LIBSCHED_RESIZES_HPP

#include "libsched.hpp"
#include "libsched_calls.hpp"

namespace lsched {

inline result<std::uint32_t> resize_tasks(cluster &of, span<const lsched_task_resize> resizes,
                                          span<std::int32_t> status = {},
                                          mode flags = mode::strict) {
    return detail::batch(resizes.size(), status, flags, [&](auto *opts, lsched_error *err) {
        return lsched_tasks_resize(of.get(), resizes.data(), resizes.size(),
                                   sizeof(lsched_task_resize), opts, status.data(), err);
    });
}
// The next task that has, or is to have, other amounts than its job requests; nothing after the
// last. The cursor begins with 0.
inline result<std::optional<lsched_resize_info>> next_resize(const cluster &of,
                                                             std::uint64_t &cursor) {
    return detail::next<lsched_resize_info>([&](auto *out, lsched_error *err) {
        return lsched_resizes_next(of.get(), &cursor, out, err);
    });
}
inline result<lsched_resize_info> resize_of(const cluster &of, lsched_id job,
                                            std::uint32_t task_index) {
    return detail::filled<lsched_resize_info>([&](auto *out, lsched_error *err) {
        return lsched_resize_get(of.get(), job, task_index, out, err);
    });
}
// which: LSCHED_RESIZE_AMOUNT_HAS, _WANTS or _CHARGED.
inline result<std::int64_t> resize_amount(const cluster &of, lsched_id job,
                                          std::uint32_t task_index, std::uint32_t kind,
                                          std::uint32_t which = LSCHED_RESIZE_AMOUNT_HAS) {
    return detail::counted([&](lsched_error *err) {
        return lsched_resize_amount(of.get(), job, task_index, kind, which, err);
    });
}

} // namespace lsched

#endif
