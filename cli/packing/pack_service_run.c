/*
 * pack_service_run.c -- runs `lsched pack` on services with measured demand. It prints the number
 * of bins that the services need if the demand changes over time, and the number of bins if the
 * demand of each service were always its peak.
 */
#include "cli/packing/pack_service_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/json_writer.h"
#include "cli/packing/pack_report.h"
#include "cli/packing/pack_services.h"
#include "cli/input/row_scan.h"
#include "cli/support/number_text.h"
#include "cli/support/text_table.h"
#include "cli/support/time_text.h"

enum { WIDTH = 80, PEAKS_SHARE = 10, SIGMAS_MAX = 10 };

struct service_run {
    struct pack_run *run;
    struct service_set set;
    /* capacity of each resource as the user wrote it */
    const char *capacity_words[LSCHED_PACK_RESOURCES_MAX];
    struct pack_input input, peaks;
    struct pack_result result, by_peaks;
    struct overload overload;
};

/* ---- options ---- */

/* Reads an amount such as "100", "80GiB" or "1.5T". */
static bool parse_amount(const char *text, size_t len, int64_t *micro) {
    static const char units[] = "KMGTP";
    size_t digits = 0;
    while (digits < len && strchr("0123456789.", text[digits]) != NULL) digits++;
    if (decimal_parse(text, digits, micro) != DECIMAL_OK) return false;
    const char *unit = text + digits;
    size_t left = len - digits;
    if (left > 0 && unit[left - 1] == 'B') left--;
    if (left == 0) return true;
    const char *which = strchr(units, unit[0]);
    if (which == NULL || left > 2 || (left == 2 && unit[1] != 'i')) return false;
    for (const char *u = units; u <= which; u++) {
        int64_t by = left == 2 ? 1024 : 1000;
        if (*micro > DECIMAL_MICRO_MAX / by) return false;
        *micro *= by;
    }
    return true;
}

static int read_amount(const char *option, const char *text, int64_t *micro) {
    if (parse_amount(text, strlen(text), micro) && *micro > 0) return EXIT_OK;
    return usage_error("pack", "--%s: expected an amount such as 100 or 80GiB, got '%s'", option,
                       text);
}

static int read_span(const char *option, const char *text, int64_t *out_us) {
    if (text == NULL) return EXIT_OK;
    if (time_parse(text, 0, out_us) && strchr(text, '-') == NULL && *out_us > 0) return EXIT_OK;
    return usage_error("pack", "--%s: expected a span such as 5m, got '%s'", option, text);
}

static int read_quantile(const char *text, int64_t *micro) {
    *micro = MILLION;
    if (text == NULL) return EXIT_OK;
    if (decimal_parse(text, strlen(text), micro) == DECIMAL_OK && *micro > 0 && *micro <= MILLION)
        return EXIT_OK;
    return usage_error("pack", "--quantile: expected a number above 0 and at most 1, got '%s'",
                       text);
}

static int read_sigmas(const char *text, int64_t *milli) {
    int64_t micro = 0;
    *milli = NOT_SOFT;
    if (text == NULL) return EXIT_OK;
    if (decimal_parse(text, strlen(text), &micro) == DECIMAL_OK && micro >= 1000 &&
        micro <= SIGMAS_MAX * MILLION) {
        *milli = micro / 1000;
        return EXIT_OK;
    }
    return usage_error("pack", "--n-sigma: expected a number above 0 and at most %d, got '%s'",
                       SIGMAS_MAX, text);
}

/* ---- reading ---- */

/* Reads the samples of each resource. cmd_pack.c has already split NAME=FILE:CAPACITY: files[r] is
 * the file of resource r. */
static int read_resources(struct service_run *of) {
    const struct pack_run *run = of->run;
    const struct pack_args *args = run->args;
    int64_t sample_us = 0;
    int rc = read_span("sample", args->sample, &sample_us);
    of->set.n_resources = (uint32_t)run->n_files;
    for (uint32_t r = 0; rc == EXIT_OK && r < of->set.n_resources; r++) {
        const struct input_file *file = &run->files[r];
        lsched_error err = LSCHED_ERROR_INIT;
        const char *word = args->resources.n > 0 ? args->resources.items[r] : NULL;
        const char *colon = word != NULL ? strrchr(word, ':') : NULL;
        of->set.resources[r] = word != NULL
                                   ? (lsched_text){word, (uint64_t)(strchr(word, '=') - word)}
                                   : (lsched_text){"demand", 6};
        of->set.capacity[r] = 100 * MILLION;
        of->capacity_words[r] = colon != NULL ? colon + 1 : args->capacity;
        if (of->capacity_words[r] == NULL) of->capacity_words[r] = "100";
        if (colon != NULL) {
            rc = read_amount("resource", colon + 1, &of->set.capacity[r]);
        } else if (args->capacity != NULL) {
            rc = read_amount("capacity", args->capacity, &of->set.capacity[r]);
        }
        if (rc == EXIT_OK &&
            pack_samples_read(file->text, file->len, r, sample_us, &of->set.samples, &err) < 0)
            rc = library_error(file->name, &err);
    }
    return rc;
}

static int make_set(struct service_run *of) {
    const struct pack_args *args = of->run->args;
    lsched_error err = LSCHED_ERROR_INIT;
    int64_t sample_us = 0, min_samples = args->min_samples;
    int rc = read_span("sample", args->sample, &sample_us);
    if (rc == EXIT_OK) rc = read_quantile(args->quantile, &of->set.quantile_micro);
    if (rc == EXIT_OK) rc = read_sigmas(args->n_sigma, &of->set.sigmas_milli);
    if (rc == EXIT_OK && args->quantile != NULL && args->n_sigma != NULL)
        rc = usage_error("pack", "--quantile and --n-sigma exclude each other");
    if (rc != EXIT_OK) return rc;
    if (service_set_make(&of->set, sample_us, min_samples, &err) < 0)
        return library_error(of->run->files[0].name, &err);
    switch (service_set_slots(&of->set, args->slot)) {
    case SLOTS_OK: return EXIT_OK;
    case SLOTS_TOO_MANY:
        return usage_error("pack", "--slot: expected at most %u slots, got more: '%s'",
                           LSCHED_PACK_SLOTS_MAX, args->slot);
    default:
        return usage_error(
            "pack", "--slot: expected widths such as 15m or 12x5m,12x15m,1h, got '%s'", args->slot);
    }
}

static int make_problem(struct service_run *of, bool by_peaks, struct pack_input *out) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t resource = 0, bins = by_peaks ? LSCHED_PACK_UNLIMITED : of->run->bins;
    if (service_set_problem(&of->set, bins, by_peaks, out, &resource, &err) == 0) return EXIT_OK;
    return library_error(of->run->files[resource].name, &err);
}

/* ---- printing ---- */

static void print_json(const struct service_run *of) {
    struct json json;
    json_begin_object(&json, stdout);
    json_string(&json, "file", of->run->files[0].name);
    json_string(&json, "kind", "services");
    json_uint(&json, "n_items", of->set.n_kept);
    json_uint(&json, "n_slots", of->set.n_slots);
    pack_report_json(&json, &of->result);
    json_object(&json, "by_peaks", JSON_LINE);
    json_uint(&json, "bins", of->by_peaks.info.bins);
    json_uint(&json, "lower_bound", of->by_peaks.info.lower_bound_bins);
    json_close(&json);
    json_object(&json, "overload", JSON_LINE);
    json_fixed(&json, "bin_seconds", (double)of->overload.bins_us / (double)MILLION, 3);
    json_fixed(&json, "of_bin_seconds", (double)of->overload.of_us / (double)MILLION, 3);
    json_fixed(&json, "worst_percent", (double)of->overload.worst_micro / 1e4, 4);
    json_close(&json);
    if (of->run->args->items) pack_report_items_json(&json, &of->input.problem, &of->result);
    json_end(&json);
}

static void print_heading(const struct service_run *of) {
    const struct service_set *set = &of->set;
    char text[512], a[32], b[32], horizon[TIME_TEXT_BYTES], step[TIME_TEXT_BYTES];
    printf("%s", of->run->files[0].name);
    for (size_t i = 1; i < of->run->n_files; i++) printf(", %s", of->run->files[i].name);
    int n = snprintf(text, sizeof text, "%s service%s over %s in %s slot%s, sampled every %s",
                     count_text(set->n_kept, a), plural(set->n_kept),
                     span_format(set->bounds[set->n_slots], horizon), count_text(set->n_slots, b),
                     plural(set->n_slots), span_format(set->grid.step_us, step));
    if (set->n_kept < set->grid.n_names)
        snprintf(text + n, sizeof text - (size_t)n, "; %" PRIu32 " with too few samples left out",
                 set->grid.n_names - set->n_kept);
    printf("\n");
    print_wrapped(stdout, text, 0, 0, WIDTH);
    printf("\nbins of");
    for (uint32_t r = 0; r < set->n_resources; r++)
        printf("%s %s %.*s", r > 0 ? "," : "", of->capacity_words[r], (int)set->resources[r].len,
               set->resources[r].ptr);
    printf("; a slot's demand is ");
    if (set->sigmas_milli != NOT_SOFT) {
        printf("mean + %g sigma inside it\n\n", (double)set->sigmas_milli / 1000);
    } else if (set->quantile_micro < MILLION) {
        printf("the quantile %g of those inside it\n\n",
               (double)set->quantile_micro / (double)MILLION);
    } else {
        printf("the most inside it\n\n");
    }
}

static void print_text(const struct service_run *of) {
    const lsched_pack_info *peaks = &of->by_peaks.info;
    print_heading(of);
    pack_report_print(of->run, &of->result);
    printf("  by peaks alone: %" PRIu32 " bin%s, no plan has fewer than %" PRIu32, peaks->bins,
           plural(peaks->bins), peaks->lower_bound_bins);
    if (of->result.info.bins > 0 && of->result.info.left_out == 0)
        printf(": %.2f times as many", (double)peaks->bins / (double)of->result.info.bins);
    printf("\n");
    if (of->overload.bins_us > 0)
        printf("  bins over their capacity: %.3f %% of the time, by %.1f %% at worst\n",
               100 * (double)of->overload.bins_us / (double)of->overload.of_us,
               (double)of->overload.worst_micro / 1e4);
    pack_report_chart(of->run, &of->input.problem, &of->result, false);
    if (of->run->args->items) pack_report_items(&of->input.problem, &of->result, false);
}

/* ---- running ---- */

static uint32_t bins_end(const struct pack_result *result) {
    uint32_t end = 0;
    for (size_t i = 0; i < result->n_places; i++) {
        uint32_t bin = result->places[i].bin;
        if (bin != LSCHED_PACK_NONE && bin >= end) end = bin + 1;
    }
    return end;
}

static int pack_both(struct service_run *of) {
    struct pack_run *run = of->run;
    struct pack_wish less = run->wish;
    run->label = run->files[0].name;
    int rc = pack_run_solve(run, run->label, &of->input.problem, of->input.origins, &run->wish,
                            &of->result);
    less.work = less.work / PEAKS_SHARE > 0 ? less.work / PEAKS_SHARE : 1;
    less.most_ns = (less.most_ns + PEAKS_SHARE - 1) / PEAKS_SHARE;
    less.method = LSCHED_PACK_METHOD_AUTO;
    run->label = "by peaks";
    if (rc == EXIT_OK)
        rc = pack_run_solve(run, run->files[0].name, &of->peaks.problem, of->peaks.origins, &less,
                            &of->by_peaks);
    return rc;
}

int pack_service_run(struct pack_run *run) {
    struct service_run *of = must_alloc_zero(sizeof *of);
    of->run = run;
    run->of = 2;
    int rc = read_resources(of);
    if (rc == EXIT_OK) rc = make_set(of);
    if (rc == EXIT_OK) rc = make_problem(of, false, &of->input);
    if (rc == EXIT_OK) rc = make_problem(of, true, &of->peaks);
    progress_begin(&run->progress, run->args->progress, run->args->no_progress, 2000);
    if (rc == EXIT_OK) rc = pack_both(of);
    progress_hide(&run->progress);
    if (rc == EXIT_OK)
        service_set_overload(&of->set, of->result.places, bins_end(&of->result), &of->overload);
    if (rc == EXIT_OK) rc = pack_report_svg(run, &of->input.problem, &of->result, false);
    if (rc == EXIT_OK && run->args->json) print_json(of);
    if (rc == EXIT_OK && !run->args->json) print_text(of);
    pack_result_free(&of->result);
    pack_result_free(&of->by_peaks);
    pack_input_free(&of->input);
    pack_input_free(&of->peaks);
    service_set_free(&of->set);
    free(of);
    return rc;
}
