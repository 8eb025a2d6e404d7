// libsched_spans.hpp -- what programs in C++17 hand in: spans, texts, and descriptions with their default values.
// Include libsched.hpp instead, which includes this header.
#ifndef LIBSCHED_SPANS_HPP
#define LIBSCHED_SPANS_HPP

#include <libsched/libsched.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <type_traits>
#include <utility>

namespace lsched {

// A borrowed array. From a container, an array, a single element, or, within one call, a braced list.
// A span without elements has no data: the library takes NULL for "not wanted", and would write to the
// address that an empty container still has.
template <class T> class span {
  public:
    using value_type = std::remove_const_t<T>;

    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept
        : data_(size ? data : nullptr), size_(size) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    constexpr span(T &one) noexcept : data_(&one), size_(1) {}
    template <class C, class = decltype(std::declval<C &>().data()),
              class = std::enable_if_t<!std::is_same_v<std::decay_t<C>, span>>>
    constexpr span(C &&container) noexcept : span(container.data(), container.size()) {}
    template <class U = T, class = std::enable_if_t<std::is_const_v<U>>>
    constexpr span(std::initializer_list<value_type> list) noexcept
        : span(list.begin(), list.size()) {}

    constexpr T *data() const noexcept {
        return data_;
    }
    constexpr std::size_t size() const noexcept {
        return size_;
    }
    constexpr bool empty() const noexcept {
        return size_ == 0;
    }
    constexpr T *begin() const noexcept {
        return data_;
    }
    constexpr T *end() const noexcept {
        return data_ + size_;
    }
    constexpr T &operator[](std::size_t i) const noexcept {
        return data_[i];
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

inline lsched_text text(std::string_view s) noexcept {
    return lsched_text{s.data(), s.size()};
}
inline std::string_view view(const lsched_text &t) noexcept {
    if (!t.ptr) return {};
    return t.len == LSCHED_NUL_TERMINATED
               ? std::string_view(t.ptr)
               : std::string_view(t.ptr, static_cast<std::size_t>(t.len));
}
inline lsched_settlement settlement(lsched_id decision, lsched_outcome outcome,
                                    std::string_view reason = {}) noexcept {
    lsched_settlement s{};
    s.size = sizeof s, s.outcome = outcome, s.decision = decision, s.reason = text(reason);
    return s;
}
inline lsched_amount amount(std::uint32_t kind, std::int64_t base_units) noexcept {
    return lsched_amount{kind, 0, base_units};
}
inline lsched_label label(std::string_view key, std::string_view value) noexcept {
    return lsched_label{text(key), text(value)};
}

// Points a list of a description at an array: list(node.capacity, node.n_capacity, amounts).
template <class T, class C>
void list(const T *&field, std::uint32_t &count, const C &elements) noexcept {
    const span<const T> s(elements);
    field = s.data();
    count = static_cast<std::uint32_t>(s.size());
}
template <class T, class C>
void list(const T *&, std::uint32_t &, const C &&) = delete; // would dangle

// A struct with its default values, as LSCHED_INIT sets it up.
template <class T> T make() noexcept {
    T value{};
    value.size = static_cast<std::uint32_t>(sizeof(T));
    return value;
}

} // namespace lsched

#endif
