/* run_guard.c -- see run_guard.h. */
#include "config/run/run_guard.h"

#include "config/run/run_report.h"

int run_guard_begin(struct runner *r) {
    if (!r->step->error.present && !(r->opts.flags & LSCHED_RUN_VERIFY)) return 0;
    return lsched_cluster_hash(r->cluster, LSCHED_HASH_IMAGE, &r->image, NULL) >= 0;
}

void run_guard_end(struct runner *r, int guarded, struct mark mark, int32_t code) {
    uint64_t now = 0;
    if (!guarded || code >= 0 || lsched_cluster_hash(r->cluster, LSCHED_HASH_IMAGE, &now, NULL) < 0)
        return;
    if (now != r->image)
        run_failed(r, mark, "expected a failed call to change nothing, got another image hash (%s)",
                   lsched_error_name(code));
}
