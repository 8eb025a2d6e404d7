/* site_report.c -- see site_report.h. */
#include "cli/slurm/site_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm/site_request.h"
#include "cli/support/json_writer.h"
#include "cli/support/name_list.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

enum { NAME_SHOWN = 24 };

static const char *word_of(const char *text) {
    return text != NULL ? text : "-";
}

static uint64_t count(const struct site *site, enum site_fate fate) {
    uint64_t n = 0;
    for (size_t i = 0; i < site->n_jobs; i++) n += site->jobs[i].fate == fate;
    return n;
}

/* ---- the site ---- */

struct node_kind {
    const struct site_node *example;
    uint64_t nodes, down;
    size_t first; /* index of the first node of the kind */
};

static bool same_text(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool same_kind(const struct site_node *a, const struct site_node *b) {
    return a->cpus == b->cpus && a->memory_mb == b->memory_mb && same_text(a->gres, b->gres) &&
           same_text(a->features, b->features) &&
           memcmp(a->partitions, b->partitions, sizeof a->partitions) == 0;
}

static size_t find_kinds(const struct site *site, struct node_kind **out) {
    enum { KINDS_MAX = 64 };
    struct node_kind *kinds = must_alloc_zero((KINDS_MAX + 1) * sizeof kinds[0]);
    size_t n = 0;
    for (size_t i = 0; i < site->n_nodes; i++) {
        size_t k = 0;
        while (k < n && !same_kind(kinds[k].example, &site->nodes[i])) k++;
        if (k == n && n < KINDS_MAX) kinds[n++] = (struct node_kind){&site->nodes[i], 0, 0, i};
        kinds[k].nodes++;
        kinds[k].down += site->nodes[i].down;
    }
    *out = kinds;
    return n;
}

static char *kind_names(const struct site *site, const struct node_kind *kind) {
    lsched_text *names = must_alloc((kind->nodes + 1) * sizeof names[0]);
    size_t n = 0;
    for (size_t i = kind->first; i < site->n_nodes && n < kind->nodes; i++)
        if (same_kind(kind->example, &site->nodes[i]))
            names[n++] = (lsched_text){site->nodes[i].name, strlen(site->nodes[i].name)};
    char *text = name_list(names, n, 4);
    free(names);
    return text;
}

static char *partitions_of(const struct site *site, const struct site_node *node) {
    size_t used = 0, bytes = 1;
    for (size_t i = 0; i < site->n_partitions; i++) bytes += strlen(site->partitions[i].name) + 1;
    char *text = must_alloc_zero(bytes);
    for (size_t i = 0; i < site->n_partitions; i++) {
        if ((node->partitions[i / 64] >> (i % 64) & 1) == 0) continue;
        used += (size_t)snprintf(text + used, bytes - used, "%s%s", used > 0 ? "," : "",
                                 site->partitions[i].name);
    }
    return text;
}

static void print_nodes(const struct site *site) {
    struct node_kind *kinds;
    struct text_table table;
    size_t n = find_kinds(site, &kinds);
    printf("nodes by kind:\n");
    table_begin(&table, "lrrrrlll");
    TABLE_WORDS(&table, "nodes", "number", "no work", "CPUs", "memory, MiB", "gres", "partitions",
                "features");
    for (size_t k = 0; k < n; k++) {
        char *names = kind_names(site, &kinds[k]);
        char *partitions = partitions_of(site, kinds[k].example);
        table_cell(&table, "%s", names);
        table_cell(&table, "%" PRIu64, kinds[k].nodes);
        table_cell(&table, "%" PRIu64, kinds[k].down);
        table_cell(&table, "%" PRId64, kinds[k].example->cpus);
        table_cell(&table, "%" PRId64, kinds[k].example->memory_mb);
        table_cell(&table, "%s", word_of(kinds[k].example->gres));
        table_cell(&table, "%s", partitions[0] != '\0' ? partitions : "-");
        table_cell(&table, "%s", word_of(kinds[k].example->features));
        free(names);
        free(partitions);
    }
    table_print(&table, stdout, 2, 0);
    free(kinds);
}

static void print_remarks(const struct site *site) {
    for (size_t i = 0; i < site->n_remarks; i++)
        printf("%s%s\n", i == 0 ? "what could not be understood, or differs:\n  " : "  ",
               site->remarks[i]);
    if (site->remarks_dropped > 0) printf("  and %" PRIu64 " more\n", site->remarks_dropped);
    if (site->n_remarks > 0) printf("\n");
}

static void print_summary(const struct site *site, const char *what) {
    char now[TIME_TEXT_BYTES];
    uint64_t down = 0;
    for (size_t i = 0; i < site->n_nodes; i++) down += site->nodes[i].down;
    printf("%s: %zu node%s (%" PRIu64 " take no work), %zu partition%s; jobs: %" PRIu64
           " run, %" PRIu64 " wait, %" PRIu64 " are left to Slurm, %" PRIu64 " have no image",
           what, site->n_nodes, plural(site->n_nodes), down, site->n_partitions,
           plural(site->n_partitions), count(site, SITE_RUNS), count(site, SITE_WAITS),
           count(site, SITE_SLURM_HOLDS), count(site, SITE_NO_IMAGE));
    if (site->now_s > 0) printf("; at %s", time_format(site->now_s * 1000000, now));
    printf("\n\n");
}

/* ---- jobs ---- */

static const char *account_of(const struct site_job *job) {
    return job->account != NULL ? job->account : "default";
}

/* Writes when a job starts: "now", "+30 min", or "not within the forecast". */
static const char *start_text(const struct site *site, int64_t start_us, char *out, size_t bytes) {
    char span[TIME_TEXT_BYTES];
    if (start_us == LSCHED_NEVER_US) return "never";
    int64_t ahead_us = start_us - site->now_s * 1000000;
    if (ahead_us < 1000000) return "now";
    snprintf(out, bytes, "in %s", span_short((double)ahead_us * 1e-6, span));
    return out;
}

static void job_cells(struct text_table *table, const struct site_job *job) {
    table_cell(table, "%s", job->id);
    table_cell(table, "%.*s", NAME_SHOWN, word_of(job->name));
    table_cell(table, "%s", account_of(job));
    table_cell(table, "%s", word_of(job->partitions));
}

static void cut_line(uint64_t all, uint64_t shown) {
    if (all > shown) printf("  and %" PRIu64 " more; --jobs N shows more\n", all - shown);
}

static uint64_t count_waits(const struct site_report *r, bool now) {
    uint64_t n = 0;
    for (size_t i = 0; i < r->site->n_jobs; i++)
        n += r->site->jobs[i].fate == SITE_WAITS && r->forecast->jobs[i].now == now;
    return n;
}

static void print_starts(const struct site_report *r) {
    struct text_table table;
    uint64_t n = 0, shown = (uint64_t)r->jobs_shown, all = count_waits(r, true);
    printf("jobs that libsched starts now: %" PRIu64 "\n", all);
    if (all == 0) return;
    table_begin(&table, "lllll");
    TABLE_WORDS(&table, "job", "name", "queue", "partition", "nodes");
    for (size_t i = 0; i < r->forecast->n; i++) {
        const struct forecast_job *job = &r->forecast->jobs[i];
        if (r->site->jobs[i].fate != SITE_WAITS || !job->now || n++ >= shown) continue;
        job_cells(&table, &r->site->jobs[i]);
        table_cell(&table, "%s", word_of(job->nodes));
    }
    table_print(&table, stdout, 2, 0);
    cut_line(all, shown);
}

static void print_waits(const struct site_report *r) {
    struct text_table table;
    uint64_t n = 0, shown = (uint64_t)r->jobs_shown, all = count_waits(r, false);
    char start[TIME_TEXT_BYTES + 8];
    printf("jobs that wait: %" PRIu64 "%s\n", all,
           all > 0 ? " (the start is expected if each job runs until its limit)" : "");
    if (all == 0) return;
    table_begin(&table, "llllll");
    TABLE_WORDS(&table, "job", "name", "queue", "partition", "start", "reason");
    for (size_t i = 0; i < r->forecast->n; i++) {
        const struct forecast_job *job = &r->forecast->jobs[i];
        if (r->site->jobs[i].fate != SITE_WAITS || job->now || n++ >= shown) continue;
        job_cells(&table, &r->site->jobs[i]);
        table_cell(&table, "%s", start_text(r->site, job->start_us, start, sizeof start));
        table_cell(&table, "%s", word_of(job->why));
    }
    table_print(&table, stdout, 2, 0);
    cut_line(all, shown);
}

static void print_others(const struct site_report *r, enum site_fate fate, const char *title) {
    struct text_table table;
    uint64_t n = 0, shown = (uint64_t)r->jobs_shown, all = count(r->site, fate);
    if (all == 0) return;
    printf("%s: %" PRIu64 "\n", title, all);
    table_begin(&table, "lllll");
    TABLE_WORDS(&table, "job", "name", "queue", "partition", "reason");
    for (size_t i = 0; i < r->site->n_jobs; i++) {
        const struct site_job *job = &r->site->jobs[i];
        if (job->fate != fate || n++ >= shown) continue;
        job_cells(&table, job);
        table_cell(&table, "%s", word_of(job->why));
    }
    table_print(&table, stdout, 2, 0);
    cut_line(all, shown);
    printf("\n");
}

/* Counts the jobs of each option whose image differs from Slurm's meaning. */
static void count_about(const struct site *site, uint64_t counts[ABOUT_BITS]) {
    struct site_request request;
    memset(counts, 0, ABOUT_BITS * sizeof counts[0]);
    for (size_t i = 0; i < site->n_jobs; i++) {
        if (site->jobs[i].fate != SITE_WAITS) continue;
        if (site_request_of(site, &site->jobs[i], &request) != NULL) continue;
        for (unsigned bit = 0; bit < ABOUT_BITS; bit++) counts[bit] += request.about >> bit & 1;
    }
}

static void print_about(const struct site *site) {
    struct text_table table;
    uint64_t counts[ABOUT_BITS], sum = 0;
    count_about(site, counts);
    for (unsigned bit = 0; bit < ABOUT_BITS; bit++) sum += counts[bit];
    if (sum == 0) return;
    printf("options of waiting jobs whose image is about, not exactly, what Slurm means:\n");
    table_begin(&table, "lrl");
    TABLE_WORDS(&table, "option", "jobs", "becomes");
    for (unsigned bit = 0; bit < ABOUT_BITS; bit++) {
        if (counts[bit] == 0) continue;
        table_cell(&table, "%s", site_request_option(bit));
        table_cell(&table, "%" PRIu64, counts[bit]);
        table_cell(&table, "%s", site_request_note(bit));
    }
    table_print(&table, stdout, 2, 0);
    printf("\n");
}

void site_report_check(const struct site_report *r) {
    print_summary(r->site, "site");
    print_remarks(r->site);
    if (r->site->n_nodes > 0) {
        print_nodes(r->site);
        printf("\n");
    }
    if (r->site->n_jobs == 0) return;
    print_starts(r);
    printf("\n");
    print_waits(r);
    printf("\n");
    print_others(r, SITE_NO_IMAGE, "jobs that have no image; they would be held");
    print_others(r, SITE_SLURM_HOLDS, "jobs that are left to Slurm until Slurm lets them go");
    print_about(r->site);
    if (r->forecast->cut) printf("The forecast ended at its limit of cycles.\n");
}

/* ---- JSON ---- */

static const char *const fate_words[] = {"waits", "runs", "ended", "no-image", "slurm"};

static void json_site(struct json *json, const struct site *site) {
    struct node_kind *kinds;
    size_t n = find_kinds(site, &kinds);
    json_int(json, "now_s", site->now_s);
    json_uint(json, "nodes", site->n_nodes);
    json_array(json, "node_kinds", JSON_LINES);
    for (size_t k = 0; k < n; k++) {
        char *names = kind_names(site, &kinds[k]),
             *partitions = partitions_of(site, kinds[k].example);
        json_object(json, NULL, JSON_LINE);
        json_string(json, "names", names);
        json_uint(json, "nodes", kinds[k].nodes);
        json_uint(json, "down", kinds[k].down);
        json_int(json, "cpus", kinds[k].example->cpus);
        json_int(json, "memory_mib", kinds[k].example->memory_mb);
        json_string(json, "gres", kinds[k].example->gres);
        json_string(json, "features", kinds[k].example->features);
        json_string(json, "partitions", partitions);
        json_close(json);
        free(names);
        free(partitions);
    }
    json_close(json);
    free(kinds);
    json_array(json, "partitions", JSON_LINES);
    for (size_t i = 0; i < site->n_partitions; i++) {
        json_object(json, NULL, JSON_LINE);
        json_string(json, "name", site->partitions[i].name);
        json_uint(json, "nodes", site->partitions[i].n_nodes);
        json_int(json, "priority_tier", site->partitions[i].priority_tier);
        json_bool(json, "up", site->partitions[i].up);
        json_close(json);
    }
    json_close(json);
    json_array(json, "remarks", JSON_LINES);
    for (size_t i = 0; i < site->n_remarks; i++) json_string(json, NULL, site->remarks[i]);
    json_close(json);
}

static void json_job(struct json *json, const struct site_job *job, const struct forecast_job *f) {
    json_object(json, NULL, JSON_LINE);
    json_string(json, "job", job->id);
    json_string(json, "name", job->name);
    json_string(json, "account", job->account);
    json_string(json, "partition", job->partitions);
    json_string(json, "fate", fate_words[job->fate]);
    if (job->fate == SITE_WAITS) {
        json_bool(json, "starts_now", f->now);
        json_int_unless(json, "starts_us", f->start_us, LSCHED_NEVER_US);
        json_string(json, "nodes", f->nodes);
        json_string(json, "wait", f->why != NULL ? lsched_wait_name(f->wait_code) : NULL);
        json_string(json, "text", f->why);
        json_int_unless(json, "slurm_starts_us", job->start_s * 1000000, 0);
    } else {
        json_string(json, "text", job->why);
    }
    json_close(json);
}

static void json_jobs(struct json *json, const struct site_report *r) {
    json_array(json, "jobs", JSON_LINES);
    for (size_t i = 0; i < r->site->n_jobs; i++)
        json_job(json, &r->site->jobs[i], &r->forecast->jobs[i]);
    json_close(json);
}

void site_report_check_json(const struct site_report *r) {
    struct json json;
    uint64_t counts[ABOUT_BITS];
    json_begin_object(&json, stdout);
    json_site(&json, r->site);
    if (r->forecast->n > 0) json_jobs(&json, r);
    count_about(r->site, counts);
    json_array(&json, "about", JSON_LINES);
    for (unsigned bit = 0; bit < ABOUT_BITS; bit++) {
        if (counts[bit] == 0) continue;
        json_object(&json, NULL, JSON_LINE);
        json_string(&json, "option", site_request_option(bit));
        json_uint(&json, "jobs", counts[bit]);
        json_string(&json, "becomes", site_request_note(bit));
        json_close(&json);
    }
    json_close(&json);
    json_end(&json);
}

/* ---- shadow ---- */

struct shadow_row {
    size_t job;
    int64_t slurm_us, ours_us;
};

/* How much earlier libsched would start the job; jobs for which one of the two names no start come
 * after all others. */
static int64_t gain_of(const struct shadow_row *row) {
    if (row->ours_us == LSCHED_NEVER_US) return INT64_MIN;
    return row->slurm_us == LSCHED_NEVER_US ? INT64_MIN + 1 : row->slurm_us - row->ours_us;
}

static int by_gain(const void *a, const void *b) {
    const struct shadow_row *x = a, *y = b;
    int64_t x_gain = gain_of(x), y_gain = gain_of(y);
    if (x_gain != y_gain) return x_gain > y_gain ? -1 : 1;
    return x->job > y->job ? 1 : -1;
}

static size_t shadow_rows(const struct site_report *r, struct shadow_row **out) {
    struct shadow_row *rows = must_alloc((r->site->n_jobs + 1) * sizeof rows[0]);
    size_t n = 0;
    for (size_t i = 0; i < r->site->n_jobs; i++) {
        const struct site_job *job = &r->site->jobs[i];
        if (job->fate != SITE_WAITS) continue;
        rows[n++] =
            (struct shadow_row){i, job->start_s > 0 ? job->start_s * 1000000 : LSCHED_NEVER_US,
                                r->forecast->jobs[i].start_us};
    }
    qsort(rows, n, sizeof rows[0], by_gain);
    *out = rows;
    return n;
}

struct shadow_sums {
    uint64_t earlier, later, same, only_ours, only_slurm, neither;
    double gained_s, lost_s;
};

static struct shadow_sums shadow_sums(const struct shadow_row *rows, size_t n) {
    struct shadow_sums sums = {0};
    for (size_t i = 0; i < n; i++) {
        bool ours = rows[i].ours_us != LSCHED_NEVER_US, slurm = rows[i].slurm_us != LSCHED_NEVER_US;
        if (!ours || !slurm) {
            sums.only_ours += ours;
            sums.only_slurm += slurm;
            sums.neither += !ours && !slurm;
            continue;
        }
        int64_t gain_us = rows[i].slurm_us - rows[i].ours_us;
        if (gain_us >= 1000000) {
            sums.earlier++;
            sums.gained_s += (double)gain_us * 1e-6;
        } else if (gain_us <= -1000000) {
            sums.later++;
            sums.lost_s -= (double)gain_us * 1e-6;
        } else {
            sums.same++;
        }
    }
    return sums;
}

static void shadow_line(struct text_table *table, const struct site_report *r,
                        const struct shadow_row *row) {
    char ours[TIME_TEXT_BYTES + 8], slurm[TIME_TEXT_BYTES + 8], span[TIME_TEXT_BYTES];
    int64_t gain_us = gain_of(row);
    job_cells(table, &r->site->jobs[row->job]);
    table_cell(table, "%s",
               row->slurm_us != LSCHED_NEVER_US
                   ? start_text(r->site, row->slurm_us, slurm, sizeof slurm)
                   : "not said");
    table_cell(table, "%s", start_text(r->site, row->ours_us, ours, sizeof ours));
    if (gain_us <= INT64_MIN + 1) {
        table_cell(table, "-");
    } else if (gain_us >= 1000000 || gain_us <= -1000000) {
        span_short((double)(gain_us > 0 ? gain_us : -gain_us) * 1e-6, span);
        table_cell(table, "%s %s", span, gain_us > 0 ? "earlier" : "later");
    } else {
        table_cell(table, "same");
    }
    table_cell(table, "%s", word_of(r->forecast->jobs[row->job].nodes));
}

void site_report_shadow(const struct site_report *r) {
    struct shadow_row *rows;
    struct text_table table;
    char gained[TIME_TEXT_BYTES], lost[TIME_TEXT_BYTES];
    size_t n = shadow_rows(r, &rows), shown = (size_t)r->jobs_shown;
    struct shadow_sums sums = shadow_sums(rows, n);
    print_summary(r->site, "shadow");
    print_remarks(r->site);
    table_begin(&table, "llllllll");
    TABLE_WORDS(&table, "job", "name", "queue", "partition", "Slurm starts", "libsched starts",
                "difference", "nodes");
    for (size_t i = 0; i < n && i < shown; i++) shadow_line(&table, r, &rows[i]);
    table_print(&table, stdout, 0, 0);
    cut_line(n, shown);
    printf("\n%" PRIu64 " earlier (%s in sum), %" PRIu64 " later (%s in sum), %" PRIu64
           " at the same time; a start that only libsched names: %" PRIu64 ", only Slurm: %" PRIu64
           ", neither: %" PRIu64 "\n",
           sums.earlier, span_short(sums.gained_s, gained), sums.later,
           span_short(sums.lost_s, lost), sums.same, sums.only_ours, sums.only_slurm, sums.neither);
    printf("Both suppose that each job runs until its limit, and that nothing arrives.\n\n");
    print_others(r, SITE_NO_IMAGE, "jobs that have no image; they would be held");
    free(rows);
}

void site_report_shadow_json(const struct site_report *r) {
    struct shadow_row *rows;
    struct json json;
    size_t n = shadow_rows(r, &rows);
    struct shadow_sums sums = shadow_sums(rows, n);
    json_begin_object(&json, stdout);
    json_site(&json, r->site);
    json_jobs(&json, r);
    json_object(&json, "difference", JSON_LINES);
    json_uint(&json, "earlier", sums.earlier);
    json_uint(&json, "later", sums.later);
    json_uint(&json, "same", sums.same);
    json_uint(&json, "only_libsched", sums.only_ours);
    json_uint(&json, "only_slurm", sums.only_slurm);
    json_uint(&json, "neither", sums.neither);
    json_fixed(&json, "gained_s", sums.gained_s, 0);
    json_fixed(&json, "lost_s", sums.lost_s, 0);
    json_close(&json);
    json_end(&json);
    free(rows);
}
