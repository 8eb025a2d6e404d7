/* offer_words.c -- see offer_words.h. */
#include "cli/plan/offer_words.h"

#include <inttypes.h>

#include "cli/plan/plan_words.h"

int32_t offer_ask(const lsched_cluster *cluster, lsched_id job, int64_t now_us,
                  lsched_would_start_answer *answer, lsched_offer *offer, lsched_error *err) {
    lsched_schedule_opts schedule = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = LSCHED_WOULD_START_OPTS_INIT;
    schedule.now_us = now_us;
    opts.schedule = &schedule;
    *answer = (lsched_would_start_answer)LSCHED_WOULD_START_ANSWER_INIT;
    *offer = (lsched_offer)LSCHED_OFFER_INIT;
    answer->offer = offer;
    return lsched_would_start(cluster, job, NULL, &opts, answer, err);
}

/* Prints an amount in the unit that people use: GPUs, cores, GiB, or the number itself. */
static void put_amount_of(FILE *out, uint32_t kind, int64_t amount) {
    if (amount == LSCHED_UNLIMITED)
        fprintf(out, "none");
    else if (kind == LSCHED_GPU || kind == LSCHED_CPU)
        fprintf(out, "%g", (double)amount / 1000);
    else if (kind == LSCHED_MEMORY)
        fprintf(out, "%g GiB", (double)amount / 1073741824.0);
    else
        fprintf(out, "%" PRId64, amount);
}

static void put_amount_change(FILE *out, const lsched_cluster *cluster, const lsched_offer *o) {
    const char *kind = lsched_resource_name(cluster, o->kind);
    lsched_text queue = name_of(cluster, o->object);
    fprintf(out, "raise the %s of %s of queue %.*s from ",
            o->change == LSCHED_OFFER_LIMIT ? "limit" : "quota", kind ? kind : "?", (int)queue.len,
            queue.ptr);
    put_amount_of(out, o->kind, o->was);
    fprintf(out, " to ");
    put_amount_of(out, o->kind, o->amount);
}

static void put_change(FILE *out, const lsched_cluster *cluster, const lsched_offer *o) {
    lsched_text name = name_of(cluster, o->object);
    int len = (int)name.len;
    switch (o->change) {
    case LSCHED_OFFER_RELEASE:
        fprintf(out, "let it start again, which ends its hold or backoff");
        break;
    case LSCHED_OFFER_UNCORDON: fprintf(out, "make node %.*s ready", len, name.ptr); break;
    case LSCHED_OFFER_LABEL:
        fprintf(out, "give node %.*s the label %s=%s", len, name.ptr, o->key, o->value);
        break;
    case LSCHED_OFFER_JOBS_MAX:
        fprintf(out, "raise jobs_max of queue %.*s from %" PRId64 " to %" PRId64, len, name.ptr,
                o->was, o->amount);
        break;
    case LSCHED_OFFER_LIMIT:
    case LSCHED_OFFER_QUOTA: put_amount_change(out, cluster, o); break;
    case LSCHED_OFFER_PRIORITY:
        fprintf(out, "raise its priority from %" PRId64 " to %" PRId64, o->was, o->amount);
        break;
    case LSCHED_OFFER_WITHDRAW: fprintf(out, "remove job %.*s", len, name.ptr); break;
    default: fprintf(out, "add a node like %.*s", len, name.ptr);
    }
}

void offer_print(FILE *out, const lsched_cluster *cluster,
                 const lsched_would_start_answer *answer) {
    const lsched_offer *o = answer->offer;
    fprintf(out, "  helps       ");
    if (answer->start == LSCHED_START_NOW)
        fprintf(out, "nothing is needed: the next cycle gives the job its places\n");
    else if (answer->start == LSCHED_START_HAS_PLACES)
        fprintf(out, "nothing is needed: the job has its places\n");
    else if (o->change == LSCHED_OFFER_NONE)
        fprintf(out, "no single change was found that starts the job now (%" PRIu32 " tried)\n",
                o->tried);
    if (o->change == LSCHED_OFFER_NONE) return;
    put_change(out, cluster, o);
    if (o->losers == 0) {
        fprintf(out, "; then the job starts now, and no other job loses by it\n");
        return;
    }
    lsched_text loser = name_of(cluster, o->loser);
    fprintf(out, "; then the job starts now, but %.*s", (int)loser.len, loser.ptr);
    if (o->losers > 1) fprintf(out, " and %" PRIu64 " more", o->losers - 1);
    fprintf(out, " would lose %s start or work\n", o->losers > 1 ? "their" : "its");
}

void offer_json(struct json *json, const lsched_cluster *cluster,
                const lsched_would_start_answer *answer) {
    const lsched_offer *o = answer->offer;
    lsched_text object = name_of(cluster, o->object), loser = name_of(cluster, o->loser);
    if (o->change == LSCHED_OFFER_NONE) {
        json_null(json, "helps");
        return;
    }
    json_object(json, "helps", JSON_LINE);
    json_string(json, "change", lsched_offer_name(o->change));
    json_text(json, "object", object.ptr, object.len);
    if (o->change == LSCHED_OFFER_LIMIT || o->change == LSCHED_OFFER_QUOTA)
        json_string(json, "kind", lsched_resource_name(cluster, o->kind));
    if (o->change >= LSCHED_OFFER_JOBS_MAX && o->change <= LSCHED_OFFER_PRIORITY) {
        json_int(json, "from", o->was);
        json_int(json, "to", o->amount);
    }
    if (o->change == LSCHED_OFFER_LABEL) json_string(json, "key", o->key);
    if (o->change == LSCHED_OFFER_LABEL) json_string(json, "value", o->value);
    json_int(json, "cost", o->cost);
    json_uint(json, "losers", o->losers);
    if (o->losers) json_text(json, "loser", loser.ptr, loser.len);
    json_close(json);
}
