// abi_host_cpp.cpp -- an orchestrator in C++ that is built three times, as abi_host.c is: with the first
// headers of the interface, with the present ones, and with headers in which every struct has more fields.
// All three run with one library, make equal calls, and must print equal lines. It sets up its structs with
// LSCHED_INIT, which is a template in C++, and walks arrays with the stride of the library.
#include <libsched/libsched.h>

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t now_us = INT64_C(1700000000000000);
int faults;

void must(std::int64_t code, const char *what, const lsched_error &err) {
    if (code >= 0) return;
    faults++;
    std::fprintf(stderr, "abi_host_cpp: %s: %s\n", what, err.message);
}
#define MUST(call) must((call), #call, err)

// A record with a pattern behind it, which the library must not touch.
template <class T> struct guarded {
    T record;
    unsigned char guard[64];

    guarded() {
        std::memset(guard, 0xa5, sizeof guard);
        record = T{};
        record.size = sizeof(T);
    }
    ~guarded() {
        for (unsigned char byte : guard) faults += byte != 0xa5;
    }
};

lsched_text text(const std::string &s) {
    return lsched_text{s.data(), s.size()};
}

void describe(lsched_cluster *c, std::vector<lsched_id> &jobs) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_device_desc gpus = LSCHED_DEVICE_DESC_INIT;
    gpus.count = 4;
    gpus.model = LSCHED_TEXT("H100-80GB");
    const lsched_amount cpu = {LSCHED_CPU, 0, 64000};
    std::vector<lsched_node_desc> nodes(3, LSCHED_INIT(lsched_node_desc));
    const std::string names[] = {"n0", "n1", "n2"};
    for (size_t i = 0; i < nodes.size(); i++) {
        nodes[i].name = text(names[i]);
        nodes[i].tag = 100 + i;
        nodes[i].capacity = &cpu, nodes[i].n_capacity = 1;
        nodes[i].devices = &gpus, nodes[i].n_devices = 1, nodes[i].device_elem_size = sizeof gpus;
    }
    MUST(lsched_nodes_add(c, nodes.data(), nodes.size(), sizeof nodes[0], nullptr, nullptr, nullptr,
                          &err));
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    const lsched_amount quota = {LSCHED_GPU, 0, 8000};
    queue.name = LSCHED_TEXT("research");
    queue.quota = &quota, queue.n_quota = 1;
    MUST(lsched_queues_add(c, &queue, 1, sizeof queue, nullptr, nullptr, nullptr, &err));
    const lsched_amount request = {LSCHED_GPU, 0, 2000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.request = &request, group.n_request = 1;
    std::vector<lsched_job_desc> wanted(5, LSCHED_INIT(lsched_job_desc));
    const std::string job_names[] = {"a", "b", "c", "d", "e"};
    jobs.resize(wanted.size());
    group.max_count = 2;
    for (std::size_t i = 0; i < wanted.size(); i++) {
        wanted[i].name = text(job_names[i]);
        wanted[i].queue_name = LSCHED_TEXT("research");
        wanted[i].groups = &group, wanted[i].n_groups = 1, wanted[i].group_elem_size = sizeof group;
        wanted[i].priority = static_cast<std::int32_t>(i);
        wanted[i].tag = 200 + i;
    }
    MUST(lsched_jobs_submit(c, wanted.data(), wanted.size(), sizeof wanted[0], nullptr, jobs.data(),
                            nullptr, &err));
}

void tell_plan(const lsched_plan *plan) {
    std::size_t n = 0, stride = 0;
    const auto *at = reinterpret_cast<const char *>(lsched_plan_decisions(plan, &n, &stride));
    for (std::size_t i = 0; i < n; i++) {
        const auto *d = reinterpret_cast<const lsched_decision *>(at + i * stride);
        std::printf("decision %zu: kind %" PRIu32 ", job %" PRIu64 ", task %" PRIu32
                    ", node %" PRIu64 ", devices %#" PRIx32 "\n",
                    i, d->kind, d->job_tag, d->task_index, d->node_tag, d->device_mask);
    }
    guarded<lsched_plan_info> info;
    lsched_error err = LSCHED_ERROR_INIT;
    MUST(lsched_plan_get(plan, &info.record, &err));
    std::printf("plan %016" PRIx64 ", %" PRIu64 " decisions, wakes at %" PRId64 "\n",
                info.record.plan_hash, info.record.decisions, info.record.next_wake_us);
}

void cycle(lsched_cluster *c, std::int64_t after_us, bool settle) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = nullptr;
    opts.now_us = now_us + after_us;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    MUST(lsched_schedule(c, &opts, &plan, &err));
    tell_plan(plan);
    std::vector<lsched_task_event> events;
    for (std::size_t i = 0; settle && i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_STARTED, e.job = d->job, e.task_index = d->task_index;
        events.push_back(e);
    }
    MUST(lsched_tasks_report(c, events.data(), events.size(), sizeof(lsched_task_event), nullptr,
                             nullptr, &err));
    lsched_plan_destroy(plan);
}

void tell_state(const lsched_cluster *c, const std::vector<lsched_id> &jobs) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (lsched_id job : jobs) {
        guarded<lsched_job_info> info;
        if (lsched_job_get(c, job, &info.record, &err) < 0) {
            std::printf("job: %s\n", lsched_error_name(err.code));
            continue;
        }
        std::printf("job %" PRIu64 ": priority %" PRId32 ", placed %" PRIu64 ", running %" PRIu64
                    "\n",
                    info.record.tag, info.record.priority,
                    static_cast<std::uint64_t>(info.record.tasks_placed),
                    static_cast<std::uint64_t>(info.record.tasks_running));
        std::uint64_t cursor = 0;
        for (;;) {
            guarded<lsched_task_info> task;
            if (lsched_tasks_next(c, job, 0, &cursor, &task.record, &err) != 1) break;
            std::printf("  task %" PRIu32 ": state %" PRIu32 ", devices %#" PRIx32 "\n",
                        task.record.task_index, task.record.state, task.record.device_mask);
        }
    }
    guarded<lsched_cluster_stats> stats;
    MUST(lsched_cluster_stats_get(c, &stats.record, &err));
    std::printf("%" PRIu64 " nodes, %" PRIu64 " jobs, %" PRIu64 " tasks placed\n",
                stats.record.nodes, stats.record.jobs, stats.record.tasks_placed);
    std::uint64_t image = 0, meaning = 0;
    MUST(lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &image, &err));
    MUST(lsched_cluster_hash(c, LSCHED_HASH_MEANING, &meaning, &err));
    std::printf("image %016" PRIx64 ", meaning %016" PRIx64 "\n", image, meaning);
}

} // namespace

int main() {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = nullptr;
    std::vector<lsched_id> jobs;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    MUST(lsched_cluster_create(&opts, &c, &err));
    if (!c) return 1;
    describe(c, jobs);
    cycle(c, 0, true);
    tell_state(c, jobs);
    lsched_task_event ended = LSCHED_TASK_EVENT_INIT;
    ended.event = LSCHED_EVENT_ENDED, ended.job = jobs[4];
    for (std::uint32_t i = 0; i < 2; i++) {
        ended.task_index = i;
        MUST(lsched_tasks_report(c, &ended, 1, sizeof ended, nullptr, nullptr, &err));
    }
    cycle(c, 60000000, false);
    tell_state(c, jobs);
    const lsched_id gone = jobs[4];
    const std::int32_t code = lsched_jobs_remove(c, &gone, 1, nullptr, nullptr, &err);
    std::printf("removed again: %s: %s\n", lsched_error_name(code), err.message);
    lsched_cluster_destroy(c);
    return faults != 0;
}
