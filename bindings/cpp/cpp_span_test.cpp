// cpp_span_test.cpp -- a span without elements is NULL for the library, which so writes nothing to it. Every wrapper
// of a batch gets four bad elements, and no room for their ids and codes: guards behind the empty spans stay as
// they are. The heap blocks of the guards are too short for what a wrong wrapper writes, so that valgrind and
// AddressSanitizer see it, too.
#include <libsched_allowances.hpp>
#include <libsched_reservations.hpp>
#include <libsched_devices.hpp>
#include <libsched_loop.hpp>
#include <libsched_readback.hpp>
#include <libsched_resizes.hpp>
#include <libsched_supplies.hpp>

#include <cstdio>
#include <cstdlib>

#include "cpp_check.h"

namespace {

constexpr std::size_t n = 4; // elements of each batch

template <class T> std::vector<T> elements() {
    return std::vector<T>(n, lsched::make<T>());
}

// A vector that is empty, but has an address with room for one element.
template <class T> std::vector<T> cleared() {
    std::vector<T> v(1);
    v.clear();
    CHECK(v.data() != nullptr);
    return v;
}

void spans_without_elements_have_no_data() {
    std::int32_t buffer[n] = {};
    auto empty = cleared<std::int32_t>();
    CHECK(lsched::span<std::int32_t>(buffer, 0).data() == nullptr);
    CHECK(lsched::span<std::int32_t>(empty).data() == nullptr);
    CHECK(lsched::span<const std::int32_t>(std::as_const(empty)).data() == nullptr);
    CHECK(lsched::span<const std::int32_t>({}).data() == nullptr);
    CHECK(lsched::span<std::int32_t>(buffer).data() == buffer);
    CHECK(lsched::span<std::int32_t>(buffer).size() == n);
    const std::vector<lsched_amount> none = cleared<lsched_amount>();
    auto node = lsched::make<lsched_node_desc>();
    lsched::list(node.capacity, node.n_capacity, none);
    CHECK(node.capacity == nullptr && node.n_capacity == 0);
}

// Calls f(ids, status) with spans of no elements, and looks at what lies where they point to.
template <class F> void writes_nothing(F &&f) {
    lsched_id ids[n] = {77, 77, 77, 77};
    std::int32_t status[n] = {77, 77, 77, 77};
    (void)static_cast<bool>(
        f(lsched::span<lsched_id>(ids, 0), lsched::span<std::int32_t>(status, 0)));
    for (std::size_t i = 0; i < n; i++) CHECK(ids[i] == 77 && status[i] == 77);
    auto no_ids = cleared<lsched_id>();
    auto no_status = cleared<std::int32_t>();
    (void)static_cast<bool>(
        f(lsched::span<lsched_id>(no_ids), lsched::span<std::int32_t>(no_status)));
}

void batches_of_the_cluster_write_nothing() {
    auto c = std::move(*lsched::cluster::create());
    const auto partial = lsched::mode::partial;
    const std::vector<lsched_id> bad(n, 99);
#define ADDS(call, type) \
    writes_nothing(      \
        [&](auto ids, auto status) { return c.call(elements<type>(), ids, status, partial); })
    ADDS(add_topologies, lsched_topology_desc);
    ADDS(add_nodes, lsched_node_desc);
    ADDS(submit_jobs, lsched_job_desc);
    ADDS(add_queues, lsched_queue_desc);
#undef ADDS
#define TAKES(call, list) \
    writes_nothing([&](auto, auto status) { return c.call(list, status, partial); })
    TAKES(add_pools, elements<lsched_pool_desc>());
    TAKES(update_nodes, elements<lsched_node_update>());
    TAKES(update_queues, elements<lsched_queue_update>());
    TAKES(remove_nodes, bad);
    TAKES(remove_queues, bad);
    TAKES(remove_jobs, bad);
    TAKES(complete_jobs, bad);
    TAKES(update_jobs, elements<lsched_job_update>());
    TAKES(hold_jobs, elements<lsched_job_hold>());
    TAKES(release_jobs, bad);
    TAKES(report_tasks, elements<lsched_task_event>());
    TAKES(import_tasks, elements<lsched_task_import>());
    TAKES(report_usage, elements<lsched_usage_sample>());
    TAKES(settle, elements<lsched_settlement>());
#undef TAKES
}

void batches_of_the_other_headers_write_nothing() {
    auto c = std::move(*lsched::cluster::create());
    const auto partial = lsched::mode::partial;
    const std::vector<lsched_id> bad(n, 99);
#define TAKES(call, list) \
    writes_nothing([&](auto, auto status) { return lsched::call(c, list, status, partial); })
    TAKES(set_allowances, elements<lsched_allowance_desc>());
    TAKES(remove_allowances, bad);
    TAKES(set_reservations, elements<lsched_reservation_desc>());
    TAKES(update_devices, elements<lsched_device_update>());
    TAKES(report_collisions, elements<lsched_collision>());
    TAKES(set_foreign_use, elements<lsched_foreign_use>());
    TAKES(resize_tasks, elements<lsched_task_resize>());
    TAKES(add_supplies, elements<lsched_supply_desc>());
    TAKES(update_supplies, elements<lsched_supply_update>());
#undef TAKES
}

// Lists of no elements go in as well as ids and codes of none come out.
void lists_without_elements_are_taken() {
    auto c = std::move(*lsched::cluster::create());
    CHECK(*c.add_nodes(cleared<lsched_node_desc>()) == 0);
    CHECK(*c.remove_jobs(cleared<lsched_id>()) == 0);
    CHECK(c.set_task_mix(cleared<lsched_mix_entry>()));
    CHECK(*lsched::update_devices(c, cleared<lsched_device_update>()) == 0);
    auto tasks = lsched::compare_tasks(c, cleared<lsched_task_ref>());
    CHECK(tasks && tasks->missing == 0);
    auto names = lsched::compare(c, LSCHED_KIND_NODE, cleared<lsched_text>());
    CHECK(names && names->extra.empty());
    CHECK(!lsched::cluster::load(cleared<std::byte>()));
    auto plan = c.schedule(1);
    CHECK(plan && plan->size() == 0);
    CHECK(lsched::settle_plan(c, *plan, cleared<lsched_outcome>(), cleared<std::int32_t>()));
}

// Room for fewer elements than the batch has is refused before the call.
void too_little_room_is_refused() {
    auto c = std::move(*lsched::cluster::create());
    std::vector<std::int32_t> status(n - 1, 77);
    std::vector<lsched_id> ids(n - 1, 77);
    CHECK(c.add_nodes(elements<lsched_node_desc>(), ids).error().code() == LSCHED_E_INVAL);
    CHECK(c.add_nodes(elements<lsched_node_desc>(), {}, status).error().code() == LSCHED_E_INVAL);
    auto updated = lsched::update_devices(c, elements<lsched_device_update>(), status);
    CHECK(updated.error().code() == LSCHED_E_INVAL);
    for (std::size_t i = 0; i < n - 1; i++) CHECK(ids[i] == 77 && status[i] == 77);
}

} // namespace

int main() {
    spans_without_elements_have_no_data();
    batches_of_the_cluster_write_nothing();
    batches_of_the_other_headers_write_nothing();
    lists_without_elements_are_taken();
    too_little_room_is_refused();
    std::puts("ok");
    return 0;
}
