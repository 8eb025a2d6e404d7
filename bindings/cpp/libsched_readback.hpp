// libsched_readback.hpp -- what an orchestrator reads back: changes, open decisions, reasons of
// waiting jobs, descriptions, and comparisons with its own lists. For C++17, beside libsched.hpp,
// whose rules hold: nothing throws, and what owns something is a value.
//
//     std::uint64_t cursor = 0;
//     for (auto change = lsched::next_change(cluster, cursor); change && *change;
//          change = lsched::next_change(cluster, cursor))
//         apply(**change); // its texts are valid until the next call that changes the cluster
#ifndef LIBSCHED_READBACK_HPP
#define LIBSCHED_READBACK_HPP

#include "libsched_calls.hpp"

namespace lsched {

// ---- the change feed. LSCHED_E_GONE: list all objects, and read on from the cursor

inline result<std::optional<lsched_change>> next_change(const cluster &of, std::uint64_t &cursor) {
    return detail::next<lsched_change>([&](auto *out, lsched_error *err) {
        return lsched_changes_next(of.get(), &cursor, out, err);
    });
}
// The cursor after the latest change, for a reader that has just listed all objects.
inline std::uint64_t changes_end(const cluster &of) noexcept {
    return lsched_changes_end(of.get());
}

// ---- open decisions and waiting jobs; nothing after the last. Cursors begin with 0

inline result<lsched_decision> decision(const cluster &of, lsched_id id) {
    return detail::filled<lsched_decision>(
        [&](auto *out, lsched_error *err) { return lsched_decision_get(of.get(), id, out, err); });
}
inline result<std::optional<lsched_decision>> next_decision(const cluster &of,
                                                            std::uint64_t &cursor) {
    return detail::next<lsched_decision>([&](auto *out, lsched_error *err) {
        return lsched_decisions_next(of.get(), &cursor, out, err);
    });
}
// Why a job waits; nothing if it waits for nothing, or if the next cycle tries it.
inline result<std::optional<lsched_waiting>> waiting(const cluster &of, lsched_id job) {
    return detail::next<lsched_waiting>(
        [&](auto *out, lsched_error *err) { return lsched_waiting_get(of.get(), job, out, err); });
}
inline result<std::optional<lsched_waiting>> next_waiting(const cluster &of,
                                                          std::uint64_t &cursor) {
    return detail::next<lsched_waiting>([&](auto *out, lsched_error *err) {
        return lsched_waiting_next(of.get(), &cursor, out, err);
    });
}
// How the running tasks of the job will end.
inline result<lsched_job_end> end_of_job(const cluster &of, lsched_id job) {
    return detail::filled<lsched_job_end>(
        [&](auto *out, lsched_error *err) { return lsched_job_end_get(of.get(), job, out, err); });
}

// ---- descriptions

// The description of a node, queue or job, with all lists and texts. It can be submitted again, and
// outlives its cluster. The pointers are null for objects of another kind.
class description {
  public:
    explicit description(lsched_description *owned) noexcept : handle_(owned) {}
    description(description &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    description &operator=(description &&other) noexcept {
        if (this != &other) {
            lsched_description_destroy(handle_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~description() {
        lsched_description_destroy(handle_);
    }

    const lsched_node_desc *node() const noexcept {
        return lsched_description_node(handle_);
    }
    const lsched_queue_desc *queue() const noexcept {
        return lsched_description_queue(handle_);
    }
    const lsched_job_desc *job() const noexcept {
        return lsched_description_job(handle_);
    }

  private:
    lsched_description *handle_;
};

inline result<description> describe(const cluster &of, lsched_id object) {
    lsched_description *out = nullptr;
    auto done = detail::called(
        [&](lsched_error *err) { return lsched_describe(of.get(), object, &out, err); });
    if (!done) return done.error();
    return description(out);
}

// Adds the described object to a cluster, and returns its id. A description is as long as the library
// that made it says, so a program with older headers must not submit a copy of it.
inline result<lsched_id> add(cluster &to, const description &of) {
    lsched_id id = 0;
    auto done = detail::called([&](lsched_error *err) {
        if (of.node())
            return lsched_nodes_add(to.get(), of.node(), 1, 0, nullptr, &id, nullptr, err);
        if (of.queue())
            return lsched_queues_add(to.get(), of.queue(), 1, 0, nullptr, &id, nullptr, err);
        return lsched_jobs_submit(to.get(), of.job(), 1, 0, nullptr, &id, nullptr, err);
    });
    if (!done) return done.error();
    return id;
}

// ---- comparisons

// What lsched_sync and lsched_sync_tasks find; see lsched_sync_report.
struct differences {
    std::vector<std::int32_t> status;       // by element of the list
    std::vector<lsched_id> ids;             // by element: the object, or the task's job; 0: missing
    std::vector<lsched_id> extra;           // objects, or jobs of tasks, that the list lacks
    std::vector<std::uint32_t> extra_tasks; // compare_tasks: the index of each such task
    std::uint64_t missing = 0, duplicates = 0;
};

namespace detail {
// f(report, error record) compares a list of n elements. The first call counts what is extra.
template <class F> result<differences> compared(std::size_t n, bool tasks, F &&f) {
    differences found;
    auto report = make<lsched_sync_report>();
    found.status.resize(n);
    found.ids.resize(n);
    report.status = found.status.data();
    report.ids = found.ids.data();
    for (int i = 0; i < 2; i++) {
        auto done = called([&](lsched_error *err) { return f(&report, err); });
        if (!done) return done.error();
        if (i == 1 || report.n_extra == 0) break;
        found.extra.resize(static_cast<std::size_t>(report.n_extra));
        report.extra = found.extra.data();
        if (tasks) {
            found.extra_tasks.resize(found.extra.size());
            report.extra_tasks = found.extra_tasks.data();
        }
        report.extra_capacity = found.extra.size();
    }
    found.missing = report.n_missing;
    found.duplicates = report.n_duplicates;
    return found;
}
} // namespace detail

// Compares the complete list of names of one kind, LSCHED_KIND_NODE, _QUEUE, _JOB or _TOPOLOGY.
inline result<differences> compare(const cluster &with, std::uint32_t kind,
                                   span<const lsched_text> names) {
    return detail::compared(names.size(), false, [&](auto *report, lsched_error *err) {
        return lsched_sync(with.get(), kind, names.data(), names.size(), report, err);
    });
}
// Compares the complete list of running tasks.
inline result<differences> compare_tasks(const cluster &with, span<const lsched_task_ref> tasks) {
    return detail::compared(tasks.size(), true, [&](auto *report, lsched_error *err) {
        return lsched_sync_tasks(with.get(), tasks.data(), tasks.size(), sizeof(lsched_task_ref),
                                 report, err);
    });
}

} // namespace lsched

#endif
