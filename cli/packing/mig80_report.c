/*
 * mig80_report.c -- see mig80_report.h.
 *
 * Utilization is the area of memory slices x time that the jobs need, in percent of the area that
 * the server has until the last job ends. Slices that a job gets in addition to its need do not
 * count as used. Therefore the used area is equal in all arms, and only the end of the last job
 * makes a difference.
 */
#include "cli/packing/mig80_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/packing/pack_chart.h"
#include "cli/packing/pack_report.h"
#include "cli/support/number_text.h"
#include "cli/packing/pack_svg.h"
#include "cli/input/row_scan.h"
#include "cli/support/text_table.h"

enum { WIDTH = 80, SLICE_HEIGHT = 3, GPU_HEIGHT = 26 };

static const char letters[ARMS] = {'A', 'B', 'C', 'D'};
static const char *const arm_words[ARMS] = {"whole GPUs, first come", "asked for, first come",
                                            "needed, first come", "needed, planned"};

int mig_choose_timeline(struct mig_study *study, const char *word) {
    study->shown = 0;
    if (word == NULL) return EXIT_OK;
    if (strcmp(word, "none") == 0) {
        study->shown = study->list.n_seeds;
        return EXIT_OK;
    }
    char *end = NULL;
    long long seed = strtoll(word, &end, 10);
    for (size_t i = 0; *end == '\0' && i < study->list.n_seeds; i++) {
        if (study->list.seeds[i].seed != seed) continue;
        study->shown = i;
        return EXIT_OK;
    }
    return usage_error("pack", "--timeline: expected a seed of the list, or none, got '%s'", word);
}

/* ---- figures ---- */

struct arm_summary {
    /* minutes until the last job ends: mean, standard deviation, smallest value and largest value
     * over all seeds */
    double minutes, sd, best, worst;
    double use_percent;
};

static double minutes_of(int64_t us) {
    return (double)us / 60e6;
}

static double use_of(const struct mig_study *study, const struct mig_outcome *of,
                     enum mig_arm arm) {
    double slices = (double)study->list.profiles.slices * study->gpus;
    return 100 * of->needed_area / (slices * (double)of->end_us[arm]);
}

static struct arm_summary summarize(const struct mig_study *study, enum mig_arm arm) {
    struct arm_summary out = {.best = INFINITY};
    double n = (double)study->list.n_seeds, squares = 0;
    for (size_t i = 0; i < study->list.n_seeds; i++) {
        double minutes = minutes_of(study->outcomes[i].end_us[arm]);
        out.minutes += minutes / n;
        out.use_percent += use_of(study, &study->outcomes[i], arm) / n;
        if (minutes < out.best) out.best = minutes;
        if (minutes > out.worst) out.worst = minutes;
    }
    for (size_t i = 0; i < study->list.n_seeds; i++) {
        double off = minutes_of(study->outcomes[i].end_us[arm]) - out.minutes;
        squares += off * off;
    }
    out.sd = n > 1 ? sqrt(squares / (n - 1)) : 0;
    return out;
}

struct bound_summary {
    /* means over all seeds, with the greatest known lower bound of each seed */
    double minutes,  /* lower bound on the end of the last job */
        gap_percent; /* how far the end in the planner's plan is above the lower bound */
    /* the means of `minutes` and `gap_percent` with the lower bound of mig_area_bound() instead */
    double area_minutes, area_gap_percent;
    size_t proved, /* number of seeds for which the planner's plan is proved optimal */
        worse;     /* number of seeds for which the last job ends later in arm D than in arm C */
    size_t cut_off;
    double seconds, seconds_most;
};

static struct bound_summary summarize_bounds(const struct mig_study *study) {
    struct bound_summary out = {.minutes = 0};
    double n = (double)study->list.n_seeds;
    for (size_t i = 0; i < study->list.n_seeds; i++) {
        const struct mig_outcome *of = &study->outcomes[i];
        double end = (double)of->end_us[ARM_PLANNER], seconds = (double)of->core_ns * 1e-9;
        out.minutes += minutes_of(of->bound_us) / n;
        out.gap_percent += pack_report_gap(end, (double)of->bound_us) / n;
        out.area_minutes += minutes_of(of->area_us) / n;
        out.area_gap_percent += pack_report_gap(end, (double)of->area_us) / n;
        out.proved += of->end_us[ARM_PLANNER] <= of->bound_us;
        out.cut_off += of->cut_off && of->end_us[ARM_PLANNER] > of->bound_us;
        out.worse += of->end_us[ARM_PLANNER] > of->end_us[ARM_NEEDED];
        out.seconds += seconds;
        if (seconds > out.seconds_most) out.seconds_most = seconds;
    }
    return out;
}

/* ---- JSON ---- */

static void print_json_seed(const struct mig_study *study, size_t at, struct json *json) {
    static const char *const ends[ARMS] = {"a_min", "b_min", "c_min", "d_min"};
    const struct mig_outcome *of = &study->outcomes[at];
    json_object(json, NULL, JSON_LINE);
    json_int(json, "seed", study->list.seeds[at].seed);
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++)
        json_fixed(json, ends[arm], minutes_of(of->end_us[arm]), 4);
    json_fixed(json, "bound_min", minutes_of(of->bound_us), 4);
    json_fixed(json, "area_bound_min", minutes_of(of->area_us), 4);
    json_fixed(json, "seconds", (double)of->core_ns * 1e-9, 3);
    json_close(json);
}

static void print_json_items(const struct mig_study *study, struct json *json) {
    json_array(json, "items", JSON_LINES);
    for (size_t i = 0; i < study->list.n_seeds; i++) {
        const struct mig_seed *seed = &study->list.seeds[i];
        for (size_t j = 0; j < seed->n; j++) {
            const struct mig_job *job = &study->list.jobs[seed->first + j];
            const struct mig_spot *spot = &study->outcomes[i].spots[ARM_PLANNER][j];
            const lsched_text *profile = &study->list.profiles.items[job->needs].name;
            json_object(json, NULL, JSON_LINE);
            json_int(json, "seed", seed->seed);
            json_text(json, "item", job->name.ptr, (size_t)job->name.len);
            json_text(json, "profile", profile->ptr, (size_t)profile->len);
            json_uint(json, "bin", spot->gpu);
            json_uint(json, "slice", spot->slice);
            json_fixed(json, "start", (double)spot->start_us / (double)MILLION, 6);
            json_fixed(json, "end", (double)spot->end_us / (double)MILLION, 6);
            json_close(json);
        }
    }
    json_close(json);
}

void mig_print_json(const struct mig_study *study) {
    struct bound_summary bounds = summarize_bounds(study);
    struct json json;
    json_begin_object(&json, stdout);
    json_string(&json, "file", study->run->files[0].name);
    json_string(&json, "kind", "mig");
    json_uint(&json, "n_items", study->list.n_jobs);
    json_uint(&json, "seeds", study->list.n_seeds);
    json_uint(&json, "bins", study->gpus);
    json_object(&json, "arms", JSON_LINES);
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++) {
        struct arm_summary summary = summarize(study, arm);
        const char name[2] = {letters[arm], '\0'};
        json_object(&json, name, JSON_LINE);
        json_fixed(&json, "makespan_min", summary.minutes, 4);
        json_fixed(&json, "sd", summary.sd, 4);
        json_fixed(&json, "utilization_percent", summary.use_percent, 4);
        json_close(&json);
    }
    json_close(&json);
    json_fixed(&json, "lower_bound", bounds.minutes, 4);
    json_fixed(&json, "gap_percent", bounds.gap_percent, 4);
    json_fixed(&json, "area_bound", bounds.area_minutes, 4);
    json_fixed(&json, "area_gap_percent", bounds.area_gap_percent, 4);
    json_uint(&json, "proved", bounds.proved);
    json_uint(&json, "d_later_than_c", bounds.worse);
    json_fixed(&json, "seconds", bounds.seconds, 3);
    json_array(&json, "runs", JSON_LINES);
    for (size_t i = 0; i < study->list.n_seeds; i++) print_json_seed(study, i, &json);
    json_close(&json);
    if (study->run->args->items) print_json_items(study, &json);
    json_end(&json);
}

/* ---- text ---- */

static int64_t last_end(const struct mig_study *study) {
    const struct mig_outcome *of = &study->outcomes[study->shown];
    int64_t last_us = 0;
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++)
        if (of->end_us[arm] > last_us) last_us = of->end_us[arm];
    return last_us;
}

static void draw_arm(const struct mig_study *study, enum mig_arm arm, int64_t to_us,
                     struct chart_style style) {
    const struct mig_seed *seed = &study->list.seeds[study->shown];
    const struct mig_outcome *of = &study->outcomes[study->shown];
    printf("%c  %s: %.1f min, %.1f %% of the slices used\n", letters[arm], arm_words[arm],
           minutes_of(of->end_us[arm]), use_of(study, of, arm));
    for (uint32_t gpu = 0; gpu < study->gpus; gpu++) {
        double levels[CHART_COLUMNS] = {0};
        char label[24];
        double scale = (double)CHART_LEVELS / study->list.profiles.slices;
        snprintf(label, sizeof label, "GPU %" PRIu32, gpu);
        for (size_t j = 0; j < seed->n; j++) {
            const struct mig_spot *spot = &of->spots[arm][j];
            if (spot->gpu == gpu)
                chart_add(levels, CHART_COLUMNS, 0, to_us, spot->start_us, spot->end_us,
                          spot->needs * scale);
        }
        chart_bars_print(stdout, label, levels, style);
    }
}

static enum svg_kind kind_of(uint32_t needs) {
    return needs >= 8 ? SVG_WHOLE : needs >= 4 ? SVG_HALF : needs >= 2 ? SVG_MIDDLE : SVG_SMALL;
}

/* Draws the plan of one arm. Each instance is a faint box, and the slices that its job needs are a
 * coloured box in front. */
static void draw_arm_svg(const struct mig_study *study, const struct svg *svg, enum mig_arm arm,
                         double y) {
    const struct mig_seed *seed = &study->list.seeds[study->shown];
    const struct mig_outcome *of = &study->outcomes[study->shown];
    char text[128];
    snprintf(text, sizeof text, "%c  %s: %.1f min, %.1f %% of the slices used", letters[arm],
             arm_words[arm], minutes_of(of->end_us[arm]), use_of(study, of, arm));
    svg_text(svg, svg->left, y - 8, "start", false, text);
    for (uint32_t gpu = 0; gpu < study->gpus; gpu++) {
        snprintf(text, sizeof text, "GPU %" PRIu32, gpu);
        svg_text(svg, svg->left - 10, y + GPU_HEIGHT * gpu + 17, "end", true, text);
    }
    for (int pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < seed->n; j++) {
            const struct mig_spot *spot = &of->spots[arm][j];
            uint32_t slices = pass == 0 ? spot->width : spot->needs;
            svg_box(svg, (double)spot->start_us, (double)spot->end_us,
                    y + GPU_HEIGHT * spot->gpu + SLICE_HEIGHT * spot->slice, SLICE_HEIGHT * slices,
                    pass == 0 ? SVG_FAINT : kind_of(spot->needs));
        }
    }
}

int mig_draw_svg(const struct mig_study *study) {
    enum { TOP = 40, BETWEEN = 34 };
    struct svg svg;
    double arm_height = (double)GPU_HEIGHT * study->gpus + BETWEEN;
    if (study->run->args->svg == NULL || study->shown == study->list.n_seeds) return EXIT_OK;
    int rc = svg_begin(&svg, study->run->args->svg, TOP + ARMS * arm_height + 8,
                       "Four ways to run the same jobs on GPUs that can be cut");
    if (rc != EXIT_OK) return rc;
    svg.to = (double)last_end(study);
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++)
        draw_arm_svg(study, &svg, arm, TOP + arm_height * (int)arm);
    svg_axis(&svg, TOP + arm_height * ARMS - BETWEEN + 4, false);
    return svg_end(&svg);
}

static void draw_timeline(const struct mig_study *study) {
    const struct mig_outcome *of = &study->outcomes[study->shown];
    struct chart_style style = chart_style_of(study->run->args->ascii);
    int64_t to_us = last_end(study);
    const struct mig_seed *seed = &study->list.seeds[study->shown];
    printf("Seed %" PRId64 ", %zu job%s. The height is the slices that the jobs of a GPU need, of "
           "%" PRIu32 ":\n\n",
           seed->seed, seed->n, plural(seed->n), study->list.profiles.slices);
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++) draw_arm(study, arm, to_us, style);
    chart_axis_print(stdout, 0, to_us, false);
    printf("No plan of this seed ends before %.1f min.\n\n", minutes_of(of->bound_us));
}

static void print_arms(const struct mig_study *study) {
    struct text_table table;
    struct arm_summary first = summarize(study, ARM_WHOLE);
    table_begin(&table, "llrrrr");
    TABLE_WORDS(&table, "arm", "", "minutes", "sd", "slices used", "times A");
    for (enum mig_arm arm = ARM_WHOLE; arm < ARMS; arm++) {
        struct arm_summary summary = summarize(study, arm);
        table_cell(&table, "%c", letters[arm]);
        table_cell(&table, "%s", arm_words[arm]);
        table_cell(&table, "%.1f", summary.minutes);
        table_cell(&table, "%.1f", summary.sd);
        table_cell(&table, "%.1f %%", summary.use_percent);
        table_cell(&table, "%.2f", first.minutes / summary.minutes);
    }
    table_print(&table, stdout, 0, 0);
}

/* Prints the results of this run beside those that ProphetStor's white paper reports for a change
 * from whole GPUs to packed instances. The two results cannot be compared directly, because the
 * white paper has other jobs. Its jobs are not used here, because they are too few to test a
 * planner. */
static void print_published(const struct mig_study *study) {
    double a = summarize(study, ARM_WHOLE).minutes, d = summarize(study, ARM_PLANNER).minutes;
    double b = summarize(study, ARM_ASKED).minutes, c = summarize(study, ARM_NEEDED).minutes;
    double whole = summarize(study, ARM_WHOLE).use_percent;
    double planned = summarize(study, ARM_PLANNER).use_percent;
    char text[512];
    snprintf(
        text, sizeof text,
        "Published for a change of this kind: 114 to 59 minutes (%.2f times as fast), 36 to 90 "
        "%% used, with 20 jobs whose list is not public: their minutes and ours cannot be "
        "compared. Here, A to D: %.1f to %.1f minutes (%.2f times as fast), %.0f to %.0f %% "
        "used; B to D: %.2f times, C to D: %.2f times.",
        114.0 / 59.0, a, d, a / d, whole, planned, b / d, c / d);
    printf("\n");
    print_wrapped(stdout, text, 0, 0, WIDTH);
    printf("\n");
}

static void print_bounds(const struct mig_study *study, const struct bound_summary *bounds) {
    char text[512];
    snprintf(text, sizeof text,
             "No plan is shorter than %.1f minutes (mean of the bounds), so D is %.1f %% above the "
             "best at most; by areas and the longest job alone %.1f minutes, %.1f %%. "
             "D is proved the shortest on %zu "
             "seed%s, and later than C on %zu. %.2f s per seed, %.2f s the slowest.",
             bounds->minutes, bounds->gap_percent, bounds->area_minutes, bounds->area_gap_percent,
             bounds->proved, plural(bounds->proved), bounds->worse,
             bounds->seconds / (double)study->list.n_seeds, bounds->seconds_most);
    printf("\n");
    print_wrapped(stdout, text, 0, 0, WIDTH);
    if (study->run->wish.method == LSCHED_PACK_METHOD_EXACT && bounds->cut_off > 0)
        printf("The search was not exhaustive on %zu of %zu seed%s: give it more --work.\n",
               bounds->cut_off, study->list.n_seeds, plural(study->list.n_seeds));
    printf("\n");
}

void mig_print(const struct mig_study *study) {
    struct bound_summary bounds = summarize_bounds(study);
    char jobs[32];
    printf("%s: %s job%s in %zu seed%s, %" PRIu32 " GPU%s (%.*s)\n\n", study->run->files[0].name,
           count_text(study->list.n_jobs, jobs), plural(study->list.n_jobs), study->list.n_seeds,
           plural(study->list.n_seeds), study->gpus, plural(study->gpus),
           (int)study->list.profiles.table.len, study->list.profiles.table.ptr);
    if (study->shown < study->list.n_seeds) draw_timeline(study);
    printf("Until the last job ends, mean of %zu seed%s:\n\n", study->list.n_seeds,
           plural(study->list.n_seeds));
    print_arms(study);
    print_bounds(study, &bounds);
    print_published(study);
}
