/* run_would.c -- see run_would.h. */
#include "config/run/run_would.h"

#include <string.h>

#include "config/run/run_report.h"

static const char *start_word(uint32_t start) {
    static const char *const words[] = {"unknown", "now", "later", "never", "has-places"};
    return words[start <= LSCHED_START_HAS_PLACES ? start : 0];
}

int32_t run_would_check(struct runner *r, const struct expectation *c) {
    lsched_would_start_answer a = LSCHED_WOULD_START_ANSWER_INIT;
    lsched_offer offer = LSCHED_OFFER_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    int helps = c->kind == CHECK_WOULD_HELP;
    lsched_id job = lsched_find(r->cluster, LSCHED_KIND_JOB, c->subject);
    if (!job) {
        run_failed(r, c->mark, "expected an answer for job %.*s, got no such job",
                   (int)c->subject.len, c->subject.ptr);
        return 0;
    }
    if (helps) a.offer = &offer;
    int32_t rc = lsched_would_start(r->cluster, job, NULL, NULL, &a, &err);
    if (rc == LSCHED_E_NOMEM) return run_no_memory(r);
    const char *got = rc < 0  ? err.message
                      : helps ? lsched_offer_name(offer.change)
                              : start_word(a.start);
    if (strlen(got) == c->text.len && memcmp(got, c->text.ptr, c->text.len) == 0) return 0;
    run_failed(r, c->mark, "expected %s for job %.*s, got %s: expected %.*s",
               helps ? "another change" : "another answer", (int)c->subject.len, c->subject.ptr,
               got, (int)c->text.len, c->text.ptr);
    return 0;
}
