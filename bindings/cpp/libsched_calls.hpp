// libsched_calls.hpp -- what the further headers for C++17 share: a call with an error record as a
// result. Include libsched_readback.hpp, libsched_devices.hpp or libsched_monitor.hpp instead.
#ifndef LIBSCHED_CALLS_HPP
#define LIBSCHED_CALLS_HPP

#include "libsched.hpp"

namespace lsched {
namespace detail {

// f(error record) returns a code or a number.
template <class F> result<std::int64_t> counted(F &&f) {
    error e;
    const std::int64_t code = f(e.record());
    if (code < 0) return e.with(static_cast<std::int32_t>(code));
    return code;
}
template <class F> result<void> called(F &&f) {
    auto code = counted(f);
    if (!code) return code.error();
    return {};
}
// f(struct, error record) fills a struct that begins with its size.
template <class T, class F> result<T> filled(F &&f) {
    T out = make<T>();
    auto code = counted([&](lsched_error *err) { return f(&out, err); });
    if (!code) return code.error();
    return out;
}
// f(struct, error record) returns 1, or 0 after the last.
template <class T, class F> result<std::optional<T>> next(F &&f) {
    T out = make<T>();
    auto code = counted([&](lsched_error *err) { return f(&out, err); });
    if (!code) return code.error();
    return *code ? std::optional<T>(out) : std::nullopt;
}
// f(options, error record) applies a batch of n elements.
template <class F>
result<std::uint32_t> batch(std::size_t n, span<std::int32_t> status, mode flags, F &&f) {
    if (!status.empty() && status.size() < n) return error(LSCHED_E_INVAL);
    auto opts = make<lsched_batch_opts>();
    opts.flags = static_cast<std::uint32_t>(flags);
    auto code = counted([&](lsched_error *err) { return f(&opts, err); });
    if (!code) return code.error();
    return static_cast<std::uint32_t>(*code);
}

} // namespace detail
} // namespace lsched

#endif
