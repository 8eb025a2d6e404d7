// cpp_read_test.cpp -- the further C++ headers: changes, open decisions, reasons, descriptions and
// comparisons; devices, foreign use and MIG; counters, amounts, plans and policies.
#include <libsched_allowances.hpp>
#include <libsched_devices.hpp>
#include <libsched_monitor.hpp>
#include <libsched_readback.hpp>
#include <libsched_resizes.hpp>
#include <libsched_reservations.hpp>
#include <libsched_supplies.hpp>
#include <libsched_what_if.hpp>

#include <cstdio>
#include <cstdlib>

#include "cpp_check.h"

namespace {

constexpr std::int64_t now_us = INT64_C(1700000000000000);
const char policy_text[] = "return { api = 1, name = \"p\", priority = function(job)\n"
                           "  return job.priority + 2 * job.tasks\nend }\n";

lsched_id submit(lsched::cluster &cluster, std::string_view name, std::int64_t gpu_milli) {
    const lsched_amount needs = lsched::amount(LSCHED_GPU, gpu_milli);
    auto task = lsched::make<lsched_group_desc>();
    lsched::list(task.request, task.n_request, needs);
    auto job = lsched::make<lsched_job_desc>();
    job.name = lsched::text(name);
    job.queue_name = lsched::text("research");
    lsched::list(job.groups, job.n_groups, task);
    lsched_id id = 0;
    CHECK(cluster.submit_jobs(job, id));
    return id;
}

// One node of 8 GPUs, a job that gets a place, and one that waits.
struct world {
    lsched::cluster cluster;
    lsched_id node, fits, waits;
    lsched::plan plan;

    world() : cluster(std::move(*lsched::cluster::create())) {
        auto gpus = lsched::make<lsched_device_desc>();
        gpus.count = 8;
        gpus.model = lsched::text("H100-80GB");
        auto one = lsched::make<lsched_node_desc>();
        one.name = lsched::text("gpu-1");
        lsched::list(one.devices, one.n_devices, gpus);
        CHECK(cluster.add_nodes(one, node));
        auto queue = lsched::make<lsched_queue_desc>();
        queue.name = lsched::text("research");
        CHECK(cluster.add_queues(queue));
        fits = submit(cluster, "fits", 8000);
        waits = submit(cluster, "waits", 8000);
        auto made = cluster.schedule(now_us);
        CHECK(made && made->size() == 1);
        plan = std::move(*made);
    }
};

void open_decisions_and_reasons_are_read() {
    world w;
    std::uint64_t cursor = 0;
    auto open = lsched::next_decision(w.cluster, cursor);
    CHECK(open && *open && (*open)->job == w.fits && (*open)->kind == LSCHED_DECIDE_PLACE);
    auto last = lsched::next_decision(w.cluster, cursor);
    CHECK(last && !*last);
    auto same = lsched::decision(w.cluster, (*open)->id);
    CHECK(same && same->node == w.node);
    CHECK(lsched::decision(w.cluster, w.node).error().code() == LSCHED_E_KIND);
    auto why = lsched::waiting(w.cluster, w.waits);
    CHECK(why && *why && (*why)->code != LSCHED_WAIT_NONE);
    auto none = lsched::waiting(w.cluster, w.fits);
    CHECK(none && !*none);
    cursor = 0;
    auto first = lsched::next_waiting(w.cluster, cursor);
    CHECK(first && *first && (*first)->job == w.waits);
    auto end = lsched::next_waiting(w.cluster, cursor);
    CHECK(end && !*end);
}

void changes_are_read_once() {
    world w;
    std::uint64_t cursor = lsched::changes_end(w.cluster);
    CHECK(w.cluster.remove_nodes(w.node));
    auto change = lsched::next_change(w.cluster, cursor);
    CHECK(change && *change && (*change)->kind == LSCHED_CHANGE_WITHDRAWN);
    CHECK((*change)->job == w.fits && lsched::view((*change)->node_name) == "gpu-1");
    auto end = lsched::next_change(w.cluster, cursor);
    CHECK(end && !*end && cursor == lsched::changes_end(w.cluster));
    auto clone = w.cluster.clone();
    CHECK(clone && lsched::next_change(*clone, cursor).error().code() == LSCHED_E_GONE);
}

void descriptions_make_an_equal_cluster() {
    world w;
    lsched_node_update leaves = LSCHED_NODE_UPDATE_INIT;
    leaves.node = w.node;
    leaves.set = LSCHED_NODE_SET_ABSENCE;
    leaves.leaves_us = 5'000'000'000;
    leaves.back_us = 6'000'000'000;
    CHECK(w.cluster.update_nodes(leaves));
    auto node = lsched::describe(w.cluster, w.node);
    auto queue = lsched::describe(w.cluster, w.cluster.find(LSCHED_KIND_QUEUE, "research"));
    auto job = lsched::describe(w.cluster, w.waits);
    CHECK(node && queue && job && !lsched::describe(w.cluster, 0));
    CHECK(node->node() && !node->job() && queue->queue() && job->job() && !job->node());
    auto copy = lsched::cluster::create();
    CHECK(copy && lsched::add(*copy, *node) && lsched::add(*copy, *queue));
    auto id = lsched::add(*copy, *job);
    CHECK(id && copy->name(*id) == "waits" && !lsched::add(*copy, *job));
    lsched::description moved = std::move(*node);
    CHECK(moved.node() && lsched::view(moved.node()->name) == "gpu-1");
    CHECK(moved.node()->leaves_us == leaves.leaves_us && moved.node()->back_us == leaves.back_us);
}

void lists_are_compared() {
    world w;
    const lsched_text names[] = {lsched::text("fits"), lsched::text("lost"), lsched::text("fits")};
    auto jobs = lsched::compare(w.cluster, LSCHED_KIND_JOB, names);
    CHECK(jobs && jobs->missing == 1 && jobs->duplicates == 1);
    CHECK(jobs->status[1] == LSCHED_E_NOENT && jobs->ids[0] == w.fits);
    CHECK(jobs->extra.size() == 1 && jobs->extra[0] == w.waits);
    auto event = lsched::make<lsched_task_event>();
    event.event = LSCHED_EVENT_STARTED;
    event.job = w.fits;
    CHECK(w.cluster.report_tasks(event));
    auto tasks = lsched::compare_tasks(w.cluster, {});
    CHECK(tasks && tasks->extra.size() == 1 && tasks->extra[0] == w.fits);
    CHECK(tasks->extra_tasks.size() == 1 && tasks->extra_tasks[0] == 0);
}

void devices_fail_and_return() {
    world w;
    auto update = lsched::make<lsched_device_update>();
    update.node = w.node;
    update.set = LSCHED_DEVICE_SET_HEALTH;
    update.device = 3;
    update.health = LSCHED_HEALTH_FAILED;
    CHECK(lsched::update_devices(w.cluster, update));
    auto device = lsched::device(w.cluster, w.node, 3);
    CHECK(device && device->health == LSCHED_HEALTH_FAILED && device->failures == 1);
    CHECK(!lsched::device(w.cluster, w.node, 99));
    lsched_taint taint = {LSCHED_TEXT("ecc-errors"), LSCHED_TEXT(""), LSCHED_TAINT_NO_START, 0};
    update.set = LSCHED_DEVICE_SET_TAINTS;
    update.taints = &taint;
    update.n_taints = 1;
    CHECK(lsched::update_devices(w.cluster, update));
    std::uint64_t cursor = 0;
    auto carried = lsched::next_device_taint(w.cluster, w.node, 3, cursor);
    CHECK(carried && *carried && lsched::view((*carried)->key) == "ecc-errors");
    carried = lsched::next_device_taint(w.cluster, w.node, 3, cursor);
    CHECK(carried && !*carried);
    update.set = LSCHED_DEVICE_SET_HEALTH;
    auto failures = lsched::device_failures(w.cluster, w.node);
    CHECK(failures && *failures == 1);
    std::int32_t status = 0;
    update.device = 99;
    CHECK(!lsched::update_devices(w.cluster, update, status) && status == LSCHED_E_RANGE);
    auto pressure = lsched::make<lsched_collision>();
    pressure.node = w.node;
    pressure.device = 99;
    CHECK(!lsched::report_collisions(w.cluster, pressure));
}

void a_running_task_gets_more() {
    world w;
    auto started = lsched::make<lsched_task_event>();
    started.event = LSCHED_EVENT_STARTED;
    started.job = w.fits;
    auto wish = lsched::make<lsched_task_resize>();
    wish.job = w.fits;
    const lsched_amount none = lsched::amount(LSCHED_MEMORY, 1 << 20);
    lsched::list(wish.request, wish.n_request, none);
    CHECK(!lsched::resize_tasks(w.cluster, wish)); // it does not run
    CHECK(w.cluster.report_tasks(started));
    CHECK(lsched::resize_tasks(w.cluster, wish));
    std::uint64_t cursor = 0;
    auto next = lsched::next_resize(w.cluster, cursor);
    CHECK(next && *next && (*next)->job == w.fits && (*next)->state == LSCHED_RESIZE_STATE_WAITING);
    auto last = lsched::next_resize(w.cluster, cursor);
    CHECK(last && !*last);
    auto one = lsched::resize_of(w.cluster, w.fits, 0);
    CHECK(one && one->node == w.node);
    auto wants =
        lsched::resize_amount(w.cluster, w.fits, 0, LSCHED_MEMORY, LSCHED_RESIZE_AMOUNT_WANTS);
    CHECK(wants && *wants == 1 << 20);
    auto has = lsched::resize_amount(w.cluster, w.fits, 0, LSCHED_MEMORY);
    CHECK(has && *has == 0);
}

void a_supply_has_an_amount() {
    world w;
    auto ansys = lsched::make<lsched_supply_desc>();
    ansys.name = LSCHED_TEXT("ansys");
    ansys.amount = 10;
    CHECK(lsched::add_supplies(w.cluster, ansys));
    CHECK(!lsched::add_supplies(w.cluster, ansys)); // it exists
    auto update = lsched::make<lsched_supply_update>();
    update.supply = ansys.name;
    update.set = LSCHED_SUPPLY_SET_FOREIGN;
    update.foreign = 3;
    CHECK(lsched::update_supplies(w.cluster, update));
    std::uint64_t cursor = 0;
    auto first = lsched::next_supply(w.cluster, cursor);
    CHECK(first && *first && (*first)->amount == 10 && (*first)->left == 7);
    auto last = lsched::next_supply(w.cluster, cursor);
    CHECK(last && !*last);
    auto one = lsched::supply_at(w.cluster, ansys.name);
    CHECK(one && one->foreign == 3);
}

void an_allowance_is_read_back() {
    world w;
    lsched_id queue = w.cluster.find(LSCHED_KIND_QUEUE, "research");
    CHECK(queue != 0);
    const lsched_amount price = lsched::amount(LSCHED_GPU, 1000000);
    auto hours = lsched::make<lsched_allowance_desc>();
    hours.queue = queue;
    lsched::list(hours.price, hours.n_price, price);
    hours.amount_micro = 500000000;
    hours.period_us = INT64_C(86400000000);
    hours.unknown_us = INT64_C(3600000000);
    hours.spent = LSCHED_SPENT_END;
    hours.grace_us = 60000000;
    CHECK(lsched::set_allowances(w.cluster, hours));
    auto has = lsched::allowance_of(w.cluster, queue);
    CHECK(has && has->spent == LSCHED_SPENT_END && has->grace_us == 60000000);
    CHECK(has && has->spent_since_us == LSCHED_NEVER_US && has->stop_at_us == LSCHED_NEVER_US);
    CHECK(has && has->amount_micro == 500000000 && has->used_micro == 0);
    auto paid = lsched::allowance_price(w.cluster, queue, LSCHED_GPU);
    CHECK(paid && *paid == 1000000);
    CHECK(!lsched::allowance_price(w.cluster, queue, 99));
    std::uint64_t cursor = 0;
    auto first = lsched::next_allowance(w.cluster, cursor);
    CHECK(first && *first && (*first)->queue == queue);
    auto last = lsched::next_allowance(w.cluster, cursor);
    CHECK(last && !*last);
    auto waits = lsched::end_of_job(w.cluster, w.waits);
    CHECK(waits && waits->tasks_running == 0 && waits->expected_us == LSCHED_NEVER_US);
    CHECK(lsched::remove_allowances(w.cluster, queue));
    CHECK(!lsched::remove_allowances(w.cluster, queue)); // it has none
}

void a_reservation_is_read_back() {
    world w;
    auto night = lsched::make<lsched_reservation_desc>();
    night.name = lsched::text("night");
    night.queue_name = lsched::text("research");
    lsched::list(night.nodes, night.n_nodes, w.node);
    night.start_us = INT64_C(1) << 60;
    night.end_us = night.start_us + 10;
    CHECK(lsched::set_reservations(w.cluster, night));
    auto has = lsched::reservation(w.cluster, night.name);
    CHECK(has && has->n_nodes == 1 && has->next_end_us == night.end_us);
    std::uint64_t cursor = 0;
    auto first = lsched::next_reservation(w.cluster, cursor);
    CHECK(first && *first && (*first)->queue == has->queue);
    auto last = lsched::next_reservation(w.cluster, cursor);
    CHECK(last && !*last);
    cursor = 0;
    auto node = lsched::next_reserved_node(w.cluster, night.name, cursor);
    CHECK(node && *node == w.node);
    node = lsched::next_reserved_node(w.cluster, night.name, cursor);
    CHECK(node && *node == 0);
    CHECK(lsched::remove_reservations(w.cluster, night.name));
    CHECK(!lsched::remove_reservations(w.cluster, night.name)); // it has ended
}

void foreign_use_counts() {
    world w;
    const lsched_amount cpu = lsched::amount(LSCHED_CPU, 2000);
    auto use = lsched::make<lsched_foreign_use>();
    use.node = w.node;
    lsched::list(use.amounts, use.n_amounts, cpu);
    CHECK(lsched::set_foreign_use(w.cluster, use));
    auto amount = lsched::foreign_amount(w.cluster, w.node, LSCHED_CPU);
    CHECK(amount && *amount == 2000);
    CHECK(!lsched::foreign_amount(w.cluster, w.fits, LSCHED_CPU));
}

void mig_tables_are_read() {
    CHECK(lsched::mig_tables().size() == lsched_mig_tables_size());
    auto table = lsched::mig_table("NVIDIA H100 80GB HBM3");
    CHECK(table && !lsched::mig_table("no such model"));
    auto profiles = lsched::mig_profiles(*table);
    CHECK(profiles && profiles->size() > 3 &&
          profiles->size() == lsched_mig_profiles_size(lsched::text(*table)));
    const lsched_mig_device empty[2] = {};
    lsched_mig_request wanted{};
    wanted.profile = (*profiles)[0].name;
    wanted.count = 3;
    auto steps = lsched::plan_mig(*table, empty, wanted);
    CHECK(steps && steps->steps.size() == 3 && steps->info.cost == 3);
    wanted.count = 1000;
    CHECK(lsched::plan_mig(*table, empty, wanted).error().code() == LSCHED_E_STATE);
    world w;
    std::uint64_t cursor = 0;
    auto none = lsched::next_mig_instance(w.cluster, w.node, 0, cursor);
    CHECK(!none || !*none);
}

void counters_and_amounts_are_read() {
    world w;
    auto actions = lsched::action_counters(w.cluster);
    CHECK(actions && !actions->empty() && (*actions)[0].runs == 1);
    auto text = lsched::metrics(w.cluster, LSCHED_METRICS_QUEUES);
    CHECK(text && text->find("# EOF") != std::string::npos);
    CHECK(lsched::wait_bound_us(0) == 1000000);
    auto node = lsched::amounts_of_node(w.cluster, w.node, LSCHED_GPU);
    CHECK(node && node->capacity == 8000 && node->free == 0);
    const lsched_id research = w.cluster.find(LSCHED_KIND_QUEUE, "research");
    auto queue = lsched::amounts_of_queue(w.cluster, research, LSCHED_GPU);
    CHECK(queue && queue->used == 8000 && queue->limit == LSCHED_UNLIMITED);
    CHECK(!lsched::amounts_of_queue(w.cluster, w.node, LSCHED_GPU));
    CHECK(lsched::share_of_queue(w.cluster, research, LSCHED_GPU));
}

void plans_and_policies_are_read() {
    world w;
    CHECK(lsched::log_of(w.plan).empty());
    CHECK(lsched::advice_of(w.plan).size() == lsched_plan_advice_size(w.plan.get()));
    auto ready = lsched::ready_policies();
    CHECK(ready && ready->size() == lsched_ready_policies_size() && !ready->empty());
    CHECK(lsched::policy_warnings(w.cluster).size() ==
          lsched_policy_warnings_size(w.cluster.get()));
    auto loaded = w.cluster.load_policy("p", policy_text);
    if (!loaded && loaded.error().code() == LSCHED_E_NOLUA) return;
    CHECK(loaded);
    auto hooks = lsched::policy_hooks(w.cluster);
    CHECK(hooks && hooks->size() == 1);
    auto answer = lsched::ask_hook(w.cluster, LSCHED_HOOK_PRIORITY, w.waits, 0, now_us);
    CHECK(answer && answer->terms.size() == 2 && answer->value == 2);
    CHECK(!lsched::ask_hook(w.cluster, LSCHED_HOOK_PRIORITY, w.node, 0, now_us));
}

// A job that is to begin later waits for its time, and for another job.
void a_begin_and_a_dependency_hold_a_job() {
    world w;
    auto needs = lsched::make<lsched_dependency>();
    needs.job = w.fits, needs.after = LSCHED_AFTER_END;
    auto update = lsched::make<lsched_job_update>();
    update.job = w.waits;
    update.set = LSCHED_JOB_SET_BEGIN | LSCHED_JOB_SET_DEPENDENCIES;
    update.begin_us = now_us + 60000000;
    update.dependencies = &needs, update.n_dependencies = 1;
    CHECK(w.cluster.update_jobs(update));
    CHECK(w.cluster.job(w.waits)->begin_us == update.begin_us);
    CHECK(w.cluster.job(w.waits)->dependencies == 1);
    needs.job = w.waits;
    auto circle = w.cluster.update_jobs(update);
    CHECK(!circle && circle.error().code() == LSCHED_E_CYCLE);
}

// A task that asks for a checkpoint is stopped only after it has been written.
void a_checkpoint_comes_before_an_eviction() {
    constexpr std::int64_t second = 1000000;
    world w;
    auto loaded = w.cluster.load_policy(
        "p", "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt' } }");
    CHECK(loaded);
    auto update = lsched::make<lsched_job_update>();
    update.job = w.fits;
    update.set = LSCHED_JOB_SET_CHECKPOINT;
    update.checkpoint_us = 60 * second;
    CHECK(w.cluster.update_jobs(update));
    auto event = lsched::make<lsched_task_event>();
    event.event = LSCHED_EVENT_STARTED, event.job = w.fits, event.at_us = now_us;
    CHECK(w.cluster.settle(lsched::settlement(w.plan.begin()->id, LSCHED_OUTCOME_CONFIRMED)));
    CHECK(w.cluster.report_tasks(event));
    auto urgent = lsched::make<lsched_job_update>();
    urgent.job = w.waits, urgent.set = LSCHED_JOB_SET_PRIORITY, urgent.priority = 5;
    CHECK(w.cluster.update_jobs(urgent));

    auto opts = lsched::make<lsched_schedule_opts>();
    opts.now_us = now_us + second;
    opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT;
    auto asked = w.cluster.schedule(opts);
    CHECK(asked);
    lsched_id checkpoint = 0;
    for (const lsched_decision &d : *asked) {
        CHECK(d.kind != LSCHED_DECIDE_EVICT);
        if (d.kind != LSCHED_DECIDE_CHECKPOINT) continue;
        CHECK(d.job == w.fits && d.until_us == now_us + 61 * second);
        checkpoint = d.id;
    }
    CHECK(w.cluster.settle(lsched::settlement(checkpoint, LSCHED_OUTCOME_CONFIRMED)));
    opts.now_us = now_us + 2 * second;
    auto evicts = w.cluster.schedule(opts);
    CHECK(evicts && evicts->size() == 1);
    CHECK(evicts->begin()->kind == LSCHED_DECIDE_EVICT && evicts->begin()->job == w.fits);
    CHECK(evicts->begin()->checkpoint == LSCHED_CHECKPOINT_WRITTEN);
}

// A task is told the time at which its node leaves, once.
void a_task_is_told_that_its_node_leaves() {
    constexpr std::int64_t second = 1000000, leaves = now_us + 600 * second;
    world w;
    auto event = lsched::make<lsched_task_event>();
    event.event = LSCHED_EVENT_STARTED, event.job = w.fits, event.at_us = now_us;
    CHECK(w.cluster.report_tasks(event));
    auto update = lsched::make<lsched_node_update>();
    update.node = w.node, update.set = LSCHED_NODE_SET_ABSENCE, update.leaves_us = leaves;
    CHECK(w.cluster.update_nodes(update));

    auto opts = lsched::make<lsched_schedule_opts>();
    opts.now_us = leaves - 60 * second;
    opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_WARN;
    opts.warn_before_us = 60 * second;
    auto warns = w.cluster.schedule(opts);
    CHECK(warns && warns->size() == 1);
    const lsched_decision &d = *warns->begin();
    CHECK(d.kind == LSCHED_DECIDE_WARN && d.job == w.fits && d.node == w.node);
    CHECK(d.reason == LSCHED_FOR_ABSENCE && d.at_us == leaves);
    CHECK(w.cluster.settle(lsched::settlement(d.id, LSCHED_OUTCOME_CONFIRMED)));
    opts.now_us += second;
    auto none = w.cluster.schedule(opts);
    CHECK(none && none->size() == 0);
}

// The words of a getter's error are those of the library, not those of its code alone.
void getters_tell_what_they_expected() {
    world w;
    const lsched::cluster &c = w.cluster; // all of them only read
    std::uint64_t cursor = 0;
    auto record = lsched::make<lsched_waiting>();
    record.size = 0;
    const lsched::error errors[] = {
        c.node(0).error(),
        c.queue(0).error(),
        c.job(0).error(),
        c.queue_counters(0).error(),
        c.next_task(w.node, w.fits, cursor).error(),
        c.waiting_text(record).error(),
        c.explain(0).error(),
        lsched::describe(c, 0).error(),
        lsched::decision(c, 0).error(),
        lsched::resize_of(c, 0, 0).error(),
        lsched::supply_at(c, lsched::text("none")).error(),
        lsched::allowance_of(c, 0).error(),
        lsched::reservation(c, lsched::text("none")).error(),
        lsched::would_start(c, 0).error(),
    };
    for (const lsched::error &e : errors) {
        CHECK(e.code() < 0);
        if (std::string(e.message()) == lsched_error_text(e.code()))
            std::fprintf(stderr, "%s: %s\n", e.name(), e.message());
        CHECK(std::string(e.message()) != lsched_error_text(e.code()));
    }
    CHECK(std::string(c.job(0).error().message()).find("id of a job") != std::string::npos);
    CHECK(c.queue_warnings() && c.policy_misfits() && c.explain(w.waits));
}

} // namespace

int main() {
    getters_tell_what_they_expected();
    open_decisions_and_reasons_are_read();
    changes_are_read_once();
    descriptions_make_an_equal_cluster();
    lists_are_compared();
    devices_fail_and_return();
    a_running_task_gets_more();
    a_supply_has_an_amount();
    an_allowance_is_read_back();
    a_reservation_is_read_back();
    foreign_use_counts();
    mig_tables_are_read();
    counters_and_amounts_are_read();
    plans_and_policies_are_read();
    a_begin_and_a_dependency_hold_a_job();
    a_checkpoint_comes_before_an_eviction();
    a_task_is_told_that_its_node_leaves();
    std::puts("ok");
    return 0;
}
