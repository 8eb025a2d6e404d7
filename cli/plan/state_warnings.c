/*
 * state_warnings.c -- see state_warnings.h.
 */
#include "cli/plan/state_warnings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

static void add(struct state_warnings *out, const char *text, size_t len) {
    out->text = must_resize(out->text, (out->n + 1) * sizeof out->text[0]);
    out->text[out->n++] = must_copy(text, len);
}

/* Returns the number of queues with a quota if the policy has an algorithm that ignores quotas;
 * otherwise 0. */
static size_t count_idle_quotas(const lsched_cluster *cluster) {
    static const char *const none[] = {"drf", "fifo", "fair-tree"};
    lsched_policy_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    size_t n = 0, share = 0;
    lsched_policy_get(cluster, &info, NULL);
    while (share < 3 && strcmp(info.fair_share, none[share]) != 0) share++;
    if (share == 3) return 0;
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_QUEUE, &cursor)) != 0;) {
        int64_t quota = 0;
        for (uint32_t kind = LSCHED_CPU; kind <= LSCHED_GPU; kind++) {
            int64_t amount = 0;
            if (lsched_queue_amount(cluster, id, kind, NULL, &amount, NULL, NULL) == LSCHED_OK &&
                amount > 0)
                quota = amount;
        }
        n += quota > 0;
    }
    return n;
}

static void read_quotas(const lsched_cluster *cluster, struct state_warnings *out) {
    lsched_policy_info info = {.size = sizeof info};
    char text[LSCHED_MESSAGE_BYTES];
    size_t n = count_idle_quotas(cluster);
    if (n == 0) return;
    lsched_policy_get(cluster, &info, NULL);
    snprintf(text, sizeof text,
             "%zu queue%s a quota that guarantees nothing: the policy's fair_share is '%s', and "
             "only 'quota' and 'cohort' read quotas (guaranteed-quota is a policy that does)",
             n, n == 1 ? " has" : "s have", info.fair_share);
    add(out, text, strlen(text));
}

/* Adds one warning for each line of the text that a function of the library writes. */
static void read_lines(const lsched_cluster *cluster, struct state_warnings *out,
                       int64_t (*write)(const lsched_cluster *, char *, size_t, lsched_error *)) {
    int64_t len = write(cluster, NULL, 0, NULL);
    if (len <= 0) return;
    char *text = must_alloc((size_t)len + 1);
    write(cluster, text, (size_t)len + 1, NULL);
    for (char *line = text, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        add(out, line, (size_t)(end - line));
    free(text);
}

void state_warnings_policy(const lsched_cluster *cluster, struct state_warnings *out) {
    size_t n = lsched_policy_warnings_size(cluster);
    for (size_t i = 0; i < n; i++) {
        const char *text = lsched_policy_warnings_at(cluster, i);
        if (text != NULL) add(out, text, strlen(text));
    }
}

void state_warnings_read(const lsched_cluster *cluster, struct state_warnings *out) {
    read_quotas(cluster, out);
    read_lines(cluster, out, lsched_queue_warnings);
}

void state_warnings_misfits(const lsched_cluster *cluster, struct state_warnings *out) {
    read_lines(cluster, out, lsched_policy_misfits);
}

void state_warnings_free(struct state_warnings *warnings) {
    for (size_t i = 0; i < warnings->n; i++) free(warnings->text[i]);
    free(warnings->text);
}
