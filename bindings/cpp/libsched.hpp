// libsched.hpp -- libsched for C++17: handles that clean up after themselves, results instead of error records,
// spans instead of pointer and length. Header only; link libsched.
//
// Descriptions (lsched_node_desc, lsched_job_desc ...) stay the C structs: make<lsched_node_desc>() sets their sizes and
// defaults, text() and list() fill them. They borrow what they point to; the library copies when it is called.
// Nothing throws. A call returns result<T>: test it, then use * or ->. With LSCHED_CPP_EXCEPTIONS, or_throw() throws.
// Rules for threads and lifetimes are those of libsched.h: one thread at a time per handle, a plan outlives its cluster.
#ifndef LIBSCHED_LIBSCHED_HPP
#define LIBSCHED_LIBSCHED_HPP

#include "libsched_spans.hpp"

#include <libsched/libsched.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#ifdef LSCHED_CPP_EXCEPTIONS
#include <stdexcept>
#endif

namespace lsched {

// ---- errors --------------------------------------------------------------------------------------

// The record of the library, by value.
class error {
  public:
    error() noexcept : record_(LSCHED_ERROR_INIT) {}
    explicit error(std::int32_t code) noexcept : error() {
        record_.code = code;
    }

    std::int32_t code() const noexcept {
        return record_.code;
    }
    std::int32_t sub() const noexcept {
        return record_.sub;
    }
    std::uint32_t line() const noexcept {
        return record_.line;
    } // from 1; 0 where there is no text
    std::uint32_t column() const noexcept {
        return record_.column;
    } // likewise
    std::int64_t index() const noexcept {
        return record_.index;
    } // element of a batch; -1 for none
    const char *name() const noexcept {
        return lsched_error_name(record_.code);
    }
    const char *message() const noexcept {
        return record_.message[0] ? record_.message : lsched_error_text(record_.code);
    }

    lsched_error *record() noexcept {
        return &record_;
    }
    // The same record under the code that the call returned: calls without an err parameter leave it empty.
    error with(std::int32_t code) const noexcept {
        if (code == record_.code) return *this;
        return error(code);
    }

  private:
    lsched_error record_;
};

#ifdef LSCHED_CPP_EXCEPTIONS
class exception : public std::runtime_error {
  public:
    explicit exception(const lsched::error &e)
        : std::runtime_error(std::string(e.name()) + ": " + e.message()), error_(e) {}
    const lsched::error &error() const noexcept {
        return error_;
    }

  private:
    lsched::error error_;
};
#endif

// A value or an error. Using the value of an error is a bug of the caller, caught by assert.
template <class T> class [[nodiscard]] result {
  public:
    result(T value) : value_(std::move(value)) {}
    result(const lsched::error &e) noexcept : error_(e) {
        assert(e.code() < 0);
    }

    explicit operator bool() const noexcept {
        return value_.has_value();
    }
    const lsched::error &error() const noexcept {
        return error_;
    }
    T &operator*() &noexcept {
        return assert(value_), *value_;
    }
    const T &operator*() const &noexcept {
        return assert(value_), *value_;
    }
    T &&operator*() &&noexcept {
        return assert(value_), std::move(*value_);
    }
    T *operator->() noexcept {
        return assert(value_), &*value_;
    }
    const T *operator->() const noexcept {
        return assert(value_), &*value_;
    }
    template <class U> T value_or(U &&otherwise) && {
        return value_ ? std::move(*value_) : static_cast<T>(std::forward<U>(otherwise));
    }
#ifdef LSCHED_CPP_EXCEPTIONS
    T or_throw() && {
        if (!value_) throw exception(error_);
        return std::move(*value_);
    }
#endif

  private:
    std::optional<T> value_;
    lsched::error error_;
};

template <> class [[nodiscard]] result<void> {
  public:
    result() noexcept = default;
    result(const lsched::error &e) noexcept : error_(e) {
        assert(e.code() < 0);
    }

    explicit operator bool() const noexcept {
        return error_.code() >= 0;
    }
    const lsched::error &error() const noexcept {
        return error_;
    }
#ifdef LSCHED_CPP_EXCEPTIONS
    void or_throw() const {
        if (!*this) throw exception(error_);
    }
#endif

  private:
    lsched::error error_;
};

// ---- plans ---------------------------------------------------------------------------------------

// The decisions of a plan, with the stride of the library that made it.
class decisions {
  public:
    class iterator {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = lsched_decision;
        using difference_type = std::ptrdiff_t;
        using pointer = const lsched_decision *;
        using reference = const lsched_decision &;

        iterator() noexcept = default;
        iterator(const char *at, std::size_t stride) noexcept : at_(at), stride_(stride) {}
        reference operator*() const noexcept {
            return *reinterpret_cast<pointer>(at_);
        }
        pointer operator->() const noexcept {
            return reinterpret_cast<pointer>(at_);
        }
        iterator &operator++() noexcept {
            at_ += stride_;
            return *this;
        }
        iterator operator++(int) noexcept {
            iterator old = *this;
            ++*this;
            return old;
        }
        bool operator==(const iterator &other) const noexcept {
            return at_ == other.at_;
        }
        bool operator!=(const iterator &other) const noexcept {
            return at_ != other.at_;
        }

      private:
        const char *at_ = nullptr;
        std::size_t stride_ = 0;
    };

    decisions(const lsched_decision *first, std::size_t n, std::size_t stride) noexcept
        : first_(reinterpret_cast<const char *>(first)), n_(n), stride_(stride) {}
    std::size_t size() const noexcept {
        return n_;
    }
    bool empty() const noexcept {
        return n_ == 0;
    }
    iterator begin() const noexcept {
        return {first_, stride_};
    }
    iterator end() const noexcept {
        return {n_ ? first_ + n_ * stride_ : first_, stride_};
    }
    const lsched_decision &operator[](std::size_t i) const noexcept {
        return *reinterpret_cast<const lsched_decision *>(first_ + i * stride_);
    }

  private:
    const char *first_;
    std::size_t n_, stride_;
};

class plan {
  public:
    plan() noexcept = default;
    explicit plan(lsched_plan *owned) noexcept : handle_(owned) {}
    plan(plan &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    plan &operator=(plan &&other) noexcept {
        if (this != &other) {
            lsched_plan_destroy(handle_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~plan() {
        lsched_plan_destroy(handle_);
    }

    lsched_plan *get() const noexcept {
        return handle_;
    }
    lsched_plan *release() noexcept {
        return std::exchange(handle_, nullptr);
    }

    std::size_t size() const noexcept {
        return lsched_plan_size(handle_);
    }
    lsched::decisions decisions() const noexcept {
        std::size_t n = 0, stride = 0;
        const lsched_decision *first = lsched_plan_decisions(handle_, &n, &stride);
        return {first, n, stride};
    }
    lsched::decisions::iterator begin() const noexcept {
        return decisions().begin();
    }
    lsched::decisions::iterator end() const noexcept {
        return decisions().end();
    }

    std::size_t waiting_size() const noexcept {
        return lsched_plan_waiting_size(handle_);
    }
    const lsched_waiting &waiting(std::size_t i) const noexcept {
        return *lsched_plan_waiting_at(handle_, i);
    }
    lsched_plan_info info() const noexcept {
        lsched_plan_info out = make<lsched_plan_info>();
        const std::int32_t code = lsched_plan_get(handle_, &out, nullptr);
        assert(code >= 0);
        (void)code;
        return out;
    }
    // Decisions of earlier cycles that this one withdrew: an eviction among them is called off, its work runs on.
    std::vector<lsched_id> withdrawn() const {
        std::vector<lsched_id> out;
        while (lsched_id id = lsched_plan_withdrawn_at(handle_, out.size())) out.push_back(id);
        return out;
    }
    std::uint64_t hash() const noexcept {
        return info().plan_hash;
    }
    const char *policy_error() const noexcept {
        return lsched_plan_policy_error(handle_);
    }

  private:
    lsched_plan *handle_ = nullptr;
};

// ---- cluster -------------------------------------------------------------------------------------

// Flags of a batch, see lsched_batch_opts.
enum class mode : std::uint32_t {
    strict = 0,
    partial = LSCHED_BATCH_PARTIAL,
    idempotent = LSCHED_BATCH_IDEMPOTENT,
    both = LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT
};

class cluster {
  public:
    static result<cluster> create() {
        return create(make<lsched_cluster_opts>());
    }
    static result<cluster> create(const lsched_cluster_opts &opts) {
        lsched_cluster *handle = nullptr;
        error e;
        const std::int32_t code = lsched_cluster_create(&opts, &handle, e.record());
        return made(code, handle, e);
    }
    static result<cluster> load(span<const std::byte> saved, const lsched_cluster_opts &opts) {
        lsched_cluster *handle = nullptr;
        error e;
        const std::int32_t code =
            lsched_cluster_load(&opts, saved.data(), saved.size(), &handle, e.record());
        return made(code, handle, e);
    }
    static result<cluster> load(span<const std::byte> saved) {
        return load(saved, make<lsched_cluster_opts>());
    }

    explicit cluster(lsched_cluster *owned) noexcept : handle_(owned) {}
    cluster(cluster &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    cluster &operator=(cluster &&other) noexcept {
        if (this != &other) {
            lsched_cluster_destroy(handle_);
            handle_ = std::exchange(other.handle_, nullptr);
        }
        return *this;
    }
    ~cluster() {
        lsched_cluster_destroy(handle_);
    }

    lsched_cluster *get() const noexcept {
        return handle_;
    }
    lsched_cluster *release() noexcept {
        return std::exchange(handle_, nullptr);
    }

    // -- the whole
    result<cluster> clone() const {
        lsched_cluster *copy = nullptr;
        error e;
        const std::int32_t code = lsched_cluster_clone(handle_, &copy, e.record());
        return made(code, copy, e);
    }
    // Reuses the memory of target, whose old state is gone; on error target is unchanged.
    result<void> clone_into(cluster &target) const {
        return call(
            [&](lsched_error *err) { return lsched_cluster_clone(handle_, &target.handle_, err); });
    }
    // write(const std::byte *bytes, std::size_t n) is called in order and returns whether to go on. It must not throw.
    template <class Write> result<void> save(Write &&write) const {
        using writer = std::remove_reference_t<Write>;
        auto thunk = [](void *user, const void *bytes, std::size_t n) noexcept -> std::int32_t {
            return (*static_cast<writer *>(user))(static_cast<const std::byte *>(bytes), n) ? 0 : 1;
        };
        void *user = const_cast<void *>(static_cast<const void *>(&write));
        return call(
            [&](lsched_error *err) { return lsched_cluster_save(handle_, thunk, user, err); });
    }
    result<std::vector<std::byte>> save() const {
        std::vector<std::byte> bytes;
        auto saved = save([&bytes](const std::byte *part, std::size_t n) {
            bytes.insert(bytes.end(), part, part + n);
            return true;
        });
        if (!saved) return saved.error();
        return bytes;
    }
    result<std::uint64_t> hash(std::uint32_t which = LSCHED_HASH_IMAGE) const noexcept {
        error e;
        std::uint64_t out = 0;
        const std::int32_t code = lsched_cluster_hash(handle_, which, &out, e.record());
        if (code < 0) return e.with(code);
        return out;
    }
    result<lsched_cluster_stats> stats() const {
        return fetch<lsched_cluster_stats>([&](auto *out, lsched_error *err) {
            return lsched_cluster_stats_get(handle_, out, err);
        });
    }
    void interrupt() noexcept {
        lsched_interrupt(handle_);
    } // any thread
    result<void> verify() const {
        return call([&](lsched_error *err) { return lsched_verify(handle_, nullptr, err); });
    }
    result<void> verify(const plan &p) const {
        return call([&](lsched_error *err) { return lsched_verify(handle_, p.get(), err); });
    }

    // -- names
    lsched_id find(std::uint32_t kind, std::string_view name) const noexcept {
        return lsched_find(handle_, kind, text(name));
    }
    // Valid until the next call that changes the cluster; empty for a stale id.
    std::string_view name(lsched_id id) const noexcept {
        std::size_t len = 0;
        const char *ptr = lsched_name(handle_, id, &len);
        return ptr ? std::string_view(ptr, len) : std::string_view();
    }
    // 0 after the last; begin with cursor 0.
    lsched_id next(std::uint32_t kind, std::uint64_t &cursor) const noexcept {
        return lsched_next(handle_, kind, &cursor);
    }
    result<std::uint32_t> add_resource(std::string_view name) {
        return number(
            [&](lsched_error *err) { return lsched_resource_add(handle_, text(name), err); });
    }
    // Counts a part of another kind: on devices of a model, in instances of a profile, in a pool.
    result<std::uint32_t> add_resource_part(const lsched_resource_part &part) {
        return number(
            [&](lsched_error *err) { return lsched_resource_add_part(handle_, &part, err); });
    }
    result<std::uint32_t> find_resource(std::string_view name) const {
        return number(
            [&](lsched_error *e) { return lsched_resource_find(handle_, text(name), e); });
    }
    const char *resource_name(std::uint32_t kind) const noexcept {
        return lsched_resource_name(handle_, kind);
    }

    // -- nodes, queues, jobs. ids and status: empty, or one entry per element. A batch returns how many
    // elements were applied: all of them, or under mode::partial the good ones.
    result<std::uint32_t> add_topologies(span<const lsched_topology_desc> topologies,
                                         span<lsched_id> ids = {}, span<std::int32_t> status = {},
                                         mode flags = mode::strict) {
        return batch(topologies, ids, status, flags,
                     [&](const lsched_batch_opts *opts, lsched_error *err) {
                         return lsched_topologies_add(handle_, topologies.data(), topologies.size(),
                                                      sizeof(lsched_topology_desc), opts,
                                                      ids.data(), status.data(), err);
                     });
    }
    // Named sets of nodes: those that have all labels of the pool.
    result<std::uint32_t> add_pools(span<const lsched_pool_desc> pools,
                                    span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(
            pools, {}, status, flags, [&](const lsched_batch_opts *opts, lsched_error *err) {
                return lsched_pools_add(handle_, pools.data(), pools.size(),
                                        sizeof(lsched_pool_desc), opts, status.data(), err);
            });
    }
    result<std::uint32_t> add_nodes(span<const lsched_node_desc> nodes, span<lsched_id> ids = {},
                                    span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(nodes, ids, status, flags,
                     [&](const lsched_batch_opts *opts, lsched_error *err) {
                         return lsched_nodes_add(handle_, nodes.data(), nodes.size(),
                                                 sizeof(lsched_node_desc), opts, ids.data(),
                                                 status.data(), err);
                     });
    }
    result<std::uint32_t> submit_jobs(span<const lsched_job_desc> jobs, span<lsched_id> ids = {},
                                      span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(jobs, ids, status, flags,
                     [&](const lsched_batch_opts *opts, lsched_error *err) {
                         return lsched_jobs_submit(handle_, jobs.data(), jobs.size(),
                                                   sizeof(lsched_job_desc), opts, ids.data(),
                                                   status.data(), err);
                     });
    }
    result<std::uint32_t> add_queues(span<const lsched_queue_desc> queues, span<lsched_id> ids = {},
                                     span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(queues, ids, status, flags,
                     [&](const lsched_batch_opts *opts, lsched_error *err) {
                         return lsched_queues_add(handle_, queues.data(), queues.size(),
                                                  sizeof(lsched_queue_desc), opts, ids.data(),
                                                  status.data(), err);
                     });
    }
    result<std::uint32_t> update_nodes(span<const lsched_node_update> updates,
                                       span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch_of(lsched_nodes_update, updates, status, flags);
    }
    result<std::uint32_t> update_queues(span<const lsched_queue_update> updates,
                                        span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch_of(lsched_queues_update, updates, status, flags);
    }
    result<std::uint32_t> remove_nodes(span<const lsched_id> nodes, span<std::int32_t> status = {},
                                       mode flags = mode::strict) {
        return batch_of_ids(lsched_nodes_remove, nodes, status, flags);
    }
    result<std::uint32_t> remove_queues(span<const lsched_id> queues,
                                        span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch_of_ids(lsched_queues_remove, queues, status, flags);
    }
    result<std::uint32_t> remove_jobs(span<const lsched_id> jobs, span<std::int32_t> status = {},
                                      mode flags = mode::strict) {
        return batch_of_ids(lsched_jobs_remove, jobs, status, flags);
    }
    result<std::uint32_t> complete_jobs(span<const lsched_id> jobs, span<std::int32_t> status = {},
                                        mode flags = mode::strict) {
        return batch_of_ids(lsched_jobs_complete, jobs, status, flags);
    }
    result<std::uint32_t> update_jobs(span<const lsched_job_update> updates,
                                      span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch_of(lsched_jobs_update, updates, status, flags);
    }
    result<std::uint32_t> hold_jobs(span<const lsched_job_hold> holds,
                                    span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch_of(lsched_jobs_hold, holds, status, flags);
    }
    result<std::uint32_t> release_jobs(span<const lsched_id> jobs, span<std::int32_t> status = {},
                                       mode flags = mode::strict) {
        return batch_of_ids(lsched_jobs_release, jobs, status, flags);
    }
    result<lsched_node_info> node(lsched_id id) const {
        return fetch<lsched_node_info>(
            [&](auto *out, lsched_error *err) { return lsched_node_get(handle_, id, out, err); });
    }
    result<lsched_queue_info> queue(lsched_id id) const {
        return fetch<lsched_queue_info>(
            [&](auto *out, lsched_error *err) { return lsched_queue_get(handle_, id, out, err); });
    }
    result<lsched_job_info> job(lsched_id id) const {
        return fetch<lsched_job_info>(
            [&](auto *out, lsched_error *err) { return lsched_job_get(handle_, id, out, err); });
    }
    // What an array counts; `job` is the array or one of its elements.
    result<lsched_array_info> array(lsched_id job) const {
        return fetch<lsched_array_info>(
            [&](auto *out, lsched_error *err) { return lsched_array_get(handle_, job, out, err); });
    }

    // -- tasks
    // The next task of a job (node 0) or on a node (job 0); nothing after the last.
    result<std::optional<lsched_task_info>> next_task(lsched_id job, lsched_id node,
                                                      std::uint64_t &cursor) const {
        lsched_task_info out = make<lsched_task_info>();
        error e;
        const std::int32_t code = lsched_tasks_next(handle_, job, node, &cursor, &out, e.record());
        if (code < 0) return e.with(code);
        return code ? std::optional<lsched_task_info>(out) : std::nullopt;
    }
    result<std::uint32_t> report_tasks(span<const lsched_task_event> events,
                                       span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(
            events, {}, status, flags, [&](const lsched_batch_opts *opts, lsched_error *err) {
                return lsched_tasks_report(handle_, events.data(), events.size(),
                                           sizeof(lsched_task_event), opts, status.data(), err);
            });
    }
    result<std::uint32_t> import_tasks(span<const lsched_task_import> tasks,
                                       span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(
            tasks, {}, status, flags, [&](const lsched_batch_opts *opts, lsched_error *err) {
                return lsched_tasks_import(handle_, tasks.data(), tasks.size(),
                                           sizeof(lsched_task_import), opts, status.data(), err);
            });
    }
    result<std::uint32_t> report_usage(span<const lsched_usage_sample> samples,
                                       span<std::int32_t> status = {}, mode flags = mode::strict) {
        return batch(
            samples, {}, status, flags, [&](const lsched_batch_opts *opts, lsched_error *err) {
                return lsched_usage_report(handle_, samples.data(), samples.size(),
                                           sizeof(lsched_usage_sample), opts, status.data(), err);
            });
    }
    result<void> set_task_mix(span<const lsched_mix_entry> mix) {
        return call([&](lsched_error *err) {
            return lsched_task_mix_set(handle_, mix.data(), mix.size(), sizeof(lsched_mix_entry),
                                       err);
        });
    }

    // -- policy
    result<void> load_policy(std::string_view name, std::string_view text,
                             const lsched_policy_opts &opts) {
        return call([&](lsched_error *err) {
            return lsched_policy_load(handle_, lsched::text(name), lsched::text(text), &opts, err);
        });
    }
    result<void> load_policy(std::string_view name, std::string_view text) {
        return load_policy(name, text, make<lsched_policy_opts>());
    }
    result<void> load_ready_made_policy(std::string_view name) {
        return load_policy(name, std::string_view());
    }
    result<lsched_policy_info> policy() const {
        return fetch<lsched_policy_info>(
            [&](auto *out, lsched_error *err) { return lsched_policy_get(handle_, out, err); });
    }

    // -- cycle and decisions
    result<plan> schedule(const lsched_schedule_opts &opts) {
        lsched_plan *out = nullptr;
        error e;
        const std::int32_t code = lsched_schedule(handle_, &opts, &out, e.record());
        if (code < 0) return e.with(code);
        return plan(out);
    }
    result<plan> schedule(std::int64_t now_us) {
        auto opts = make<lsched_schedule_opts>();
        opts.now_us = now_us;
        return schedule(opts);
    }
    result<void> clock_set(std::int64_t now_us) {
        return call([&](lsched_error *err) { return lsched_clock_set(handle_, now_us, err); });
    }
    std::int64_t next_wake() const noexcept {
        return lsched_next_wake(handle_);
    }

    result<std::uint32_t> settle(span<const lsched_settlement> settlements,
                                 span<std::int32_t> status = {}, mode flags = mode::strict,
                                 lsched_settle_report *report = nullptr) {
        return batch(
            settlements, {}, status, flags, [&](const lsched_batch_opts *opts, lsched_error *err) {
                return lsched_settle(handle_, settlements.data(), settlements.size(),
                                     sizeof(lsched_settlement), opts, report, status.data(), err);
            });
    }
    result<std::uint32_t> decision_state(lsched_id id) const {
        return number([&](lsched_error *err) { return lsched_decision_state(handle_, id, err); });
    }

    // -- reasons
    result<std::string> explain(lsched_id job) const {
        error e;
        return worded(
            [&](char *buffer, std::size_t cap) {
                return lsched_explain(handle_, job, buffer, cap, nullptr, e.record());
            },
            e);
    }
    /* What the cluster did, and what happened to the jobs of one queue. */
    result<lsched_counters> counters() const {
        return fetch<lsched_counters>(
            [&](auto *out, lsched_error *err) { return lsched_counters_get(handle_, out, err); });
    }
    result<lsched_queue_counters> queue_counters(lsched_id queue) const {
        return fetch<lsched_queue_counters>([&](auto *out, lsched_error *err) {
            return lsched_queue_counters_get(handle_, queue, out, err);
        });
    }
    /* Guarantees that jobs can never use, and quotas that guarantee nothing; a line for each. */
    result<std::string> queue_warnings() const {
        error e;
        return worded(
            [&](char *buffer, std::size_t cap) {
                return lsched_queue_warnings(handle_, buffer, cap, e.record());
            },
            e);
    }
    /* What the policy's tables of kinds of work name and nothing has; a line for each. */
    result<std::string> policy_misfits() const {
        error e;
        return worded(
            [&](char *buffer, std::size_t cap) {
                return lsched_policy_misfits(handle_, buffer, cap, e.record());
            },
            e);
    }
    result<std::string> waiting_text(const lsched_waiting &record) const {
        error e;
        return worded(
            [&](char *buffer, std::size_t cap) {
                return lsched_waiting_text(handle_, &record, buffer, cap, e.record());
            },
            e);
    }

  private:
    static result<cluster> made(std::int32_t code, lsched_cluster *handle, const error &e) {
        if (code < 0) return e.with(code);
        return cluster(handle);
    }
    template <class F> static result<void> call(F &&f) {
        error e;
        const std::int32_t code = f(e.record());
        if (code < 0) return e.with(code);
        return {};
    }
    template <class F> static result<std::uint32_t> number(F &&f) {
        error e;
        const std::int32_t code = f(e.record());
        if (code < 0) return e.with(code);
        return static_cast<std::uint32_t>(code);
    }
    // What the library writes per element must have room for all of them.
    static bool fits(std::size_t n, std::size_t room) noexcept {
        return room == 0 || room >= n;
    }
    template <class T, class F>
    static result<std::uint32_t> batch(span<const T> items, span<lsched_id> ids,
                                       span<std::int32_t> status, mode flags, F &&f) {
        if (!fits(items.size(), ids.size()) || !fits(items.size(), status.size())) {
            return error(LSCHED_E_INVAL);
        }
        auto opts = make<lsched_batch_opts>();
        opts.flags = static_cast<std::uint32_t>(flags);
        return number([&](lsched_error *err) { return f(&opts, err); });
    }
    /* a batch of elements that say how large they are, such as updates */
    template <class T, class Call>
    result<std::uint32_t> batch_of(Call *function, span<const T> list, span<std::int32_t> status,
                                   mode flags) {
        return batch(list, {}, status, flags,
                     [&](const lsched_batch_opts *opts, lsched_error *err) {
                         return function(handle_, list.data(), list.size(), sizeof(T), opts,
                                         status.data(), err);
                     });
    }
    using ids_call = std::int32_t(lsched_cluster *, const lsched_id *, std::size_t,
                                  const lsched_batch_opts *, std::int32_t *, lsched_error *);
    result<std::uint32_t> batch_of_ids(ids_call *function, span<const lsched_id> list,
                                       span<std::int32_t> status, mode flags) {
        return batch(
            list, {}, status, flags, [&](const lsched_batch_opts *opts, lsched_error *err) {
                return function(handle_, list.data(), list.size(), opts, status.data(), err);
            });
    }
    template <class T, class F> static result<T> fetch(F &&f) {
        T out = make<T>();
        error e;
        const std::int32_t code = f(&out, e.record());
        if (code < 0) return e.with(code);
        return out;
    }
    template <class F> static result<std::string> worded(F &&f, const error &e) {
        std::int64_t length = f(nullptr, 0);
        if (length < 0) return e.with(static_cast<std::int32_t>(length));
        std::string out(static_cast<std::size_t>(length), '\0');
        length = f(out.data(), out.size() + 1); // the byte after the last is the string's own NUL
        if (length < 0) return e.with(static_cast<std::int32_t>(length));
        return out;
    }

    lsched_cluster *handle_ = nullptr;
};

} // namespace lsched

#endif
