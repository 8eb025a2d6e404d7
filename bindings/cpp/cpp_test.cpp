// cpp_test.cpp -- the C++ header: ownership, errors as values, batches, strides, save and clone.
// Built twice: with -fno-exceptions, and with LSCHED_CPP_EXCEPTIONS for or_throw().
#include <libsched.hpp>
#include <libsched_adopt.hpp>
#include <libsched_loop.hpp>
#include <libsched_what_if.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <type_traits>
#include <vector>

#include "cpp_check.h"

static_assert(!std::is_copy_constructible_v<lsched::cluster>);
static_assert(!std::is_copy_constructible_v<lsched::plan>);
static_assert(std::is_nothrow_move_constructible_v<lsched::cluster>);
static_assert(std::is_nothrow_move_assignable_v<lsched::cluster>);
static_assert(std::is_nothrow_move_assignable_v<lsched::plan>);

namespace {

constexpr std::int64_t now_us = INT64_C(1700000000000000);

// Counts what the library holds, so that a handle that is not destroyed is seen.
struct counting_allocator {
    std::int64_t live = 0;
    lsched_allocator hooks;

    counting_allocator() : hooks(lsched::make<lsched_allocator>()) {
        hooks.user = this;
        hooks.alloc = [](void *user, std::size_t n) {
            void *p = std::malloc(n);
            if (p) static_cast<counting_allocator *>(user)->live++;
            return p;
        };
        hooks.realloc = [](void *user, void *old, std::size_t, std::size_t n) {
            void *p = std::realloc(old, n);
            if (p && !old) static_cast<counting_allocator *>(user)->live++;
            return p;
        };
        hooks.free = [](void *user, void *old, std::size_t) {
            static_cast<counting_allocator *>(user)->live--;
            std::free(old);
        };
    }
};

lsched::cluster new_cluster(counting_allocator &memory) {
    auto opts = lsched::make<lsched_cluster_opts>();
    opts.allocator = &memory.hooks;
    opts.verify_every_plan = 1;
    auto cluster = lsched::cluster::create(opts);
    CHECK(cluster);
    return std::move(*cluster);
}

// Two nodes of 8 GPUs and a queue.
void fill(lsched::cluster &cluster) {
    auto gpus = lsched::make<lsched_device_desc>();
    gpus.count = 8;
    gpus.model = lsched::text("H100-80GB");
    std::vector<lsched_node_desc> nodes(2, lsched::make<lsched_node_desc>());
    nodes[0].name = lsched::text("gpu-1");
    nodes[1].name = lsched::text("gpu-2");
    for (auto &node : nodes) lsched::list(node.devices, node.n_devices, gpus);
    std::vector<lsched_id> ids(2);
    auto added = cluster.add_nodes(nodes, ids);
    CHECK(added && *added == 2);
    CHECK(cluster.name(ids[1]) == "gpu-2");
    auto queue = lsched::make<lsched_queue_desc>();
    queue.name = lsched::text("research");
    CHECK(cluster.add_queues(queue));
}

lsched::result<std::uint32_t> submit(lsched::cluster &cluster, std::string_view name,
                                     std::int64_t gpu_milli, lsched_id *id = nullptr,
                                     const char *queue = "research") {
    const lsched_amount needs = lsched::amount(LSCHED_GPU, gpu_milli);
    auto task = lsched::make<lsched_group_desc>();
    lsched::list(task.request, task.n_request, needs);
    auto job = lsched::make<lsched_job_desc>();
    job.name = lsched::text(name);
    job.queue_name = lsched::text(queue);
    lsched::list(job.groups, job.n_groups, task);
    return id ? cluster.submit_jobs(job, *id) : cluster.submit_jobs(job);
}

void handles_are_destroyed_once() {
    counting_allocator memory;
    {
        lsched::cluster cluster = new_cluster(memory);
        fill(cluster);
        lsched::cluster moved = std::move(cluster);
        CHECK(cluster.get() == nullptr);
        CHECK(submit(moved, "a", 1000));
        auto plan = moved.schedule(now_us);
        CHECK(plan && plan->size() == 1);
        lsched::plan kept = std::move(*plan);
        CHECK(memory.live > 0);
        moved = new_cluster(memory); // the old one goes; its plan stays readable
        CHECK(kept.size() == 1);
    }
    CHECK(memory.live == 0);
}

void an_error_is_a_value_with_the_record() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    CHECK(submit(cluster, "a", 1000));
    auto again = submit(cluster, "a", 1000);
    CHECK(!again);
    CHECK(again.error().code() == LSCHED_E_EXISTS);
    CHECK(std::string(again.error().name()) == "E_EXISTS");
    CHECK(again.error().index() == 0);
    CHECK(std::string(again.error().message()).find("a") != std::string::npos);
    auto stale = cluster.job(0);
    CHECK(!stale && stale.error().code() < 0);
    CHECK(std::string(stale.error().message()).size() >
          0); // the text of the code where there is no record
}

void a_batch_marks_its_bad_elements() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    auto fresh = lsched::make<lsched_node_desc>(), taken = fresh;
    fresh.name = lsched::text("gpu-3");
    taken.name = lsched::text("gpu-1");
    std::vector<lsched_id> ids(2);
    std::vector<std::int32_t> status(2);
    const std::uint64_t before = *cluster.hash();
    CHECK(!cluster.add_nodes({fresh, taken}, ids, status));
    CHECK(status[1] == LSCHED_E_EXISTS);
    CHECK(*cluster.hash() == before);
    auto added = cluster.add_nodes({fresh, taken}, ids, status, lsched::mode::partial);
    CHECK(added && *added == 1);
    CHECK(cluster.find(LSCHED_KIND_NODE, "gpu-3") == ids[0]);
    std::vector<lsched_id> short_ids(1);
    auto refused = cluster.add_nodes({fresh, taken}, short_ids);
    CHECK(!refused && refused.error().code() == LSCHED_E_INVAL); // and not written past the end
}

void decisions_are_settled() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    lsched_id a = 0, b = 0;
    CHECK(submit(cluster, "a", 8000, &a) && submit(cluster, "b", 8000, &b));
    auto plan = cluster.schedule(now_us);
    CHECK(plan && plan->size() == 2);
    CHECK(cluster.verify(*plan) && cluster.verify());
    std::vector<lsched_id> ids;
    for (const lsched_decision &d : *plan) ids.push_back(d.id);
    CHECK(plan->decisions()[1].id == ids[1]);
    CHECK(*cluster.settle({lsched::settlement(ids[0], LSCHED_OUTCOME_CONFIRMED),
                           lsched::settlement(ids[1], LSCHED_OUTCOME_REJECTED)}) == 2);
    auto state = cluster.decision_state(ids[0]);
    CHECK(state && *state == LSCHED_DECISION_CONFIRMED);
    CHECK(cluster.decision_state(ids[1]).error().code() == LSCHED_E_STALE);
    const auto again = lsched::settlement(ids[0], LSCHED_OUTCOME_CONFIRMED);
    CHECK(cluster.settle(again).error().code() == LSCHED_E_STATE);
    CHECK(*cluster.settle(again, {}, lsched::mode::idempotent) == 1);
    // The whole plan: the first decision is confirmed already, the second one is gone.
    std::int32_t codes[2] = {7, 7};
    CHECK(lsched::settle_plan(cluster, *plan, {}, codes));
    CHECK(codes[0] == LSCHED_UNCHANGED && codes[1] == LSCHED_E_STALE);
    CHECK(*lsched::settle_plan(cluster, *plan, {0, 0}, codes) == 0 && codes[1] == LSCHED_UNCHANGED);
    CHECK(lsched::settle_plan(cluster, *plan, {0}).error().code() == LSCHED_E_INVAL);
    CHECK(lsched::add(cluster, "nodes: [{name: fresh, cpu: 8}]"));
    CHECK(lsched::add(cluster, "nodes: [{name: fresh, cpu: 8}]").error().code() == LSCHED_E_EXISTS);
    CHECK(cluster.find(LSCHED_KIND_NODE, "fresh") != 0);

    auto event = lsched::make<lsched_task_event>();
    event.event = LSCHED_EVENT_STARTED;
    event.job = plan->decisions()[0].job;
    CHECK(cluster.report_tasks(event));
    std::uint64_t cursor = 0;
    auto task = cluster.next_task(event.job, 0, cursor);
    CHECK(task && *task && (*task)->state == LSCHED_TASK_RUNNING);
    task = cluster.next_task(event.job, 0, cursor);
    CHECK(task && !*task);
}

// A held job does not start until its hold ends: by its time, or by its release.
void jobs_are_held_and_released() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    lsched_id a = 0, b = 0;
    CHECK(submit(cluster, "a", 1000, &a) && submit(cluster, "b", 1000, &b));
    auto until = lsched::make<lsched_job_hold>(), forever = until;
    until.job = a;
    until.until_us = now_us + 1000000;
    until.reason = lsched::text("data is not there");
    forever.name = lsched::text("b");
    CHECK(*cluster.hold_jobs({until, forever}) == 2);
    CHECK(cluster.job(a)->held == LSCHED_HELD_HOST);
    CHECK(cluster.job(a)->hold_until_us == until.until_us);
    CHECK(cluster.job(b)->hold_until_us == LSCHED_NEVER_US);
    CHECK(cluster.schedule(now_us)->size() == 0);
    CHECK(cluster.explain(a)->find("data is not there") != std::string::npos);
    auto plan = cluster.schedule(until.until_us);
    CHECK(plan->size() == 1 && plan->begin()->job == a);
    CHECK(*cluster.release_jobs(b) == 1);
    plan = cluster.schedule(until.until_us);
    CHECK(plan->size() == 1 && plan->begin()->job == b);

    std::vector<std::int32_t> status(1);
    CHECK(cluster.release_jobs(b).error().code() == LSCHED_E_STATE);
    CHECK(cluster.release_jobs(b, status, lsched::mode::idempotent));
    CHECK(status[0] == LSCHED_UNCHANGED);
    CHECK(cluster.hold_jobs(until).error().code() == LSCHED_E_TIME);
}

void state_is_saved_and_cloned() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    CHECK(submit(cluster, "a", 16000)); // more than a node has
    CHECK(cluster.schedule(now_us));
    auto bytes = cluster.save();
    CHECK(bytes);
    auto loaded = lsched::cluster::load(*bytes);
    CHECK(loaded && *loaded->hash() == *cluster.hash());
    auto copy = cluster.clone();
    CHECK(copy && *copy->hash() == *cluster.hash());
    CHECK(submit(*copy, "b", 1000));
    CHECK(cluster.clone_into(*copy));
    CHECK(*copy->hash() == *cluster.hash());
    CHECK(copy->hash(7).error().code() == LSCHED_E_INVAL); // there is no such kind of hash
    (*bytes)[bytes->size() / 2] ^= std::byte{1};
    CHECK(!lsched::cluster::load(*bytes));
    auto warnings = cluster.queue_warnings();
    CHECK(warnings && warnings->empty());
    auto why = cluster.explain(cluster.find(LSCHED_KIND_JOB, "a"));
    CHECK(why && !why->empty() && why->find('\0') == std::string::npos);
    CHECK(!cluster.save([](const std::byte *, std::size_t) { return false; }));
}

// The plan of a clone becomes a plan of the original, once.
void the_plan_of_a_clone_is_adopted() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    CHECK(submit(cluster, "fits", 1000));
    auto copy = cluster.clone();
    CHECK(copy);
    auto theirs = copy->schedule(now_us);
    CHECK(theirs && theirs->size() == 1);
    auto adopted = lsched::adopt(cluster, *theirs);
    CHECK(adopted && adopted->size() == 1 && lsched::adopted_group_size(*adopted) == 1);
    CHECK(lsched::adopted_group(*adopted, 0).result == LSCHED_ADOPTION_APPLIED);
    CHECK(lsched::adopted_id(*adopted, 0) == adopted->begin()->id);
    auto again = lsched::adopt(cluster, *theirs);
    CHECK(!again && again.error().code() == LSCHED_E_STATE);
}

// A question leaves everything as it was; its offer starts the job.
void a_question_is_answered() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    CHECK(submit(cluster, "wide", 16000)); // more than a node has
    CHECK(submit(cluster, "fits", 1000));
    const std::uint64_t image = *cluster.hash();
    lsched::start_question question;
    question.with_plan = true;
    question.with_offer = true;
    auto fits = lsched::would_start(cluster, cluster.find(LSCHED_KIND_JOB, "fits"), question);
    CHECK(fits);
    CHECK(fits->decisions.has_value());
    CHECK((fits->answer.start == LSCHED_START_NOW) == (fits->decisions->size() == 1));
    auto wide = lsched::would_start(cluster, cluster.find(LSCHED_KIND_JOB, "wide"), question);
    CHECK(wide && wide->answer.start != LSCHED_START_NOW);
    CHECK(wide->waiting.code != LSCHED_WAIT_NONE && wide->answer.code == wide->waiting.code);
    CHECK(wide->answer.plan == nullptr && wide->decisions->size() == 0);
    CHECK(*cluster.hash() == image);
    auto counters = cluster.counters();
    auto of_queue = cluster.queue_counters(cluster.find(LSCHED_KIND_QUEUE, "research"));
    CHECK(counters && counters->submitted == 2 && counters->cycles == 0);
    CHECK(of_queue && of_queue->submitted == 2);
    CHECK(!cluster.queue_counters(cluster.find(LSCHED_KIND_NODE, "gpu-1")));
    CHECK(!lsched::would_start(cluster, cluster.find(LSCHED_KIND_NODE, "gpu-0")));
    if (wide->offer.change != LSCHED_OFFER_NONE) CHECK(lsched::apply(cluster, wide->offer));
}

// The claim of an owner ends with the owner: the eviction for it is called off, and the plan says so.
void a_plan_tells_what_it_withdrew() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    CHECK(cluster.load_ready_made_policy("guaranteed-quota"));
    const lsched_amount all = lsched::amount(LSCHED_GPU, 16000);
    auto queue = lsched::make<lsched_queue_desc>();
    queue.name = lsched::text("owner");
    lsched::list(queue.quota, queue.n_quota, all);
    CHECK(cluster.add_queues(queue));
    CHECK(submit(cluster, "guest-1", 8000) && submit(cluster, "guest-2", 8000));
    auto first = cluster.schedule(now_us);
    CHECK(first && first->size() == 2 && first->withdrawn().empty());
    for (const lsched_decision &d : *first) {
        auto event = lsched::make<lsched_task_event>();
        event.event = LSCHED_EVENT_STARTED;
        event.job = d.job;
        CHECK(cluster.report_tasks(event));
    }
    lsched_id owner = 0;
    CHECK(submit(cluster, "owner", 8000, &owner, "owner"));
    auto evicts = cluster.schedule(now_us + 1000000);
    CHECK(evicts && evicts->withdrawn().empty());
    lsched_id evicted = 0;
    for (const lsched_decision &d : *evicts)
        if (d.kind == LSCHED_DECIDE_EVICT) evicted = d.id;
    CHECK(evicted != 0);
    CHECK(cluster.remove_jobs(owner));
    auto after = cluster.schedule(now_us + 2000000);
    CHECK(after && after->withdrawn().size() == 1 && after->withdrawn()[0] == evicted);
}

void a_bad_policy_is_told_with_its_line() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    auto loaded = cluster.load_policy("mine.lua", "return {\n  api = 1,\n  prioritty = 3 }\n");
    CHECK(!loaded);
    CHECK(loaded.error().line() > 0);
    CHECK(std::string(loaded.error().message()).find("mine.lua") != std::string::npos);
}

#ifdef LSCHED_CPP_EXCEPTIONS
void errors_are_thrown_on_request() {
    counting_allocator memory;
    lsched::cluster cluster = new_cluster(memory);
    fill(cluster);
    CHECK(submit(cluster, "a", 1000).or_throw() == 1);
    try {
        submit(cluster, "a", 1000).or_throw();
        CHECK(false);
    } catch (const lsched::exception &e) {
        CHECK(e.error().code() == LSCHED_E_EXISTS);
        CHECK(std::string(e.what()).find("E_EXISTS") == 0);
    }
}
#endif

} // namespace

int main() {
    handles_are_destroyed_once();
    an_error_is_a_value_with_the_record();
    a_batch_marks_its_bad_elements();
    decisions_are_settled();
    jobs_are_held_and_released();
    state_is_saved_and_cloned();
    the_plan_of_a_clone_is_adopted();
    a_question_is_answered();
    a_plan_tells_what_it_withdrew();
    a_bad_policy_is_told_with_its_line();
#ifdef LSCHED_CPP_EXCEPTIONS
    errors_are_thrown_on_request();
#endif
    std::puts("ok");
    return 0;
}
