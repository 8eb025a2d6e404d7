// hello.cpp -- the smallest host in C++: one node with 8 GPUs, two jobs that want all of them, one plan.
// The same scenario as examples/embed/hello.c, down to the plan's hash.
#include <libsched.hpp>

#include <cinttypes>
#include <cstdio>

static int report(const lsched::error &e) {
    std::fprintf(stderr, "%s: %s\n", e.name(), e.message());
    return 1;
}

int main() {
    auto gpus = lsched::make<lsched_device_desc>();
    gpus.count = 8;
    gpus.model = lsched::text("H100-80GB");
    auto node = lsched::make<lsched_node_desc>();
    node.name = lsched::text("gpu-1");
    lsched::list(node.devices, node.n_devices, gpus);
    auto queue = lsched::make<lsched_queue_desc>();
    queue.name = lsched::text("research");

    const lsched_amount needs = lsched::amount(LSCHED_GPU, 4000);
    auto pair = lsched::make<lsched_group_desc>();
    pair.max_count = 2;
    lsched::list(pair.request, pair.n_request, needs);
    auto train = lsched::make<lsched_job_desc>();
    train.name = lsched::text("train");
    train.priority = 10;
    train.queue_name = queue.name;
    lsched::list(train.groups, train.n_groups, pair);
    auto evaluate = train;
    evaluate.name = lsched::text("evaluate");
    evaluate.priority = 0;

    auto cluster = lsched::cluster::create();
    if (!cluster) return report(cluster.error());
    if (auto done = cluster->add_nodes(node); !done) return report(done.error());
    if (auto done = cluster->add_queues(queue); !done) return report(done.error());
    if (auto done = cluster->submit_jobs({train, evaluate}); !done) return report(done.error());

    auto plan = cluster->schedule(INT64_C(1700000000000000));
    if (!plan) return report(plan.error());
    for (const lsched_decision &d : *plan) {
        std::printf("start task %" PRIu32 " on GPUs 0x%02" PRIx32 "\n", d.task_index,
                    d.device_mask);
    }
    auto why = cluster->explain(cluster->find(LSCHED_KIND_JOB, "evaluate"));
    if (!why) return report(why.error());
    std::printf("%splan %016" PRIx64 "\n", why->c_str(), plan->hash());
    return 0;
}
