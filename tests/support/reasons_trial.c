/* reasons_trial.c -- see reasons_trial.h. */
#include "support/reasons_trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "support/reasons_advice.h"

struct count {
    uint32_t waits, helpful, unhelpful, untrue, starts, exact;
};

struct seen {
    lsched_waiting record;
    char text[4000];
    int placed;
};

static struct count counts[REASONS_ROWS];

#define WAITS  "\n  waits "
#define OTHERS "\n  others "

static int look(lsched_cluster *c, struct seen *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_info info = {.size = sizeof info};
    lsched_id j = lsched_find(c, LSCHED_KIND_JOB, LSCHED_TEXT("j"));
    memset(s, 0, sizeof *s);
    s->record.size = sizeof s->record;
    if (j == 0 || lsched_job_get(c, j, &info, NULL) < 0) return 0;
    s->placed = (int)info.tasks_placed;
    return lsched_explain(c, j, s->text, sizeof s->text, &s->record, &err) >= 0;
}

/* Plays the world and looks; 0 if the library refuses it. */
static int see(const struct rw *w, const char *event, struct seen *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *c = rw_play(w, event, &err);
    memset(s, 0, sizeof *s);
    if (!c) {
        snprintf(s->text, sizeof s->text, "refused: %s", err.message);
        return 0;
    }
    int good = look(c, s);
    lsched_cluster_destroy(c);
    return good;
}

/* The line that begins so; two of them at a time. */
static const char *line_of(const struct seen *s, const char *label) {
    static char lines[2][2000];
    static int turn;
    const char *at = strstr(s->text, label);
    turn = !turn;
    snprintf(lines[turn], sizeof lines[turn], "%.*s", at ? (int)strcspn(at + 1, "\n") : 0,
             at ? at + 1 : "");
    return lines[turn];
}

/* Another reason: of another kind, about another object, or about others another one. */
static int differs(const struct seen *before, const struct seen *after, int about_others) {
    const lsched_waiting *a = &before->record, *b = &after->record;
    if (a->code != b->code) return 1;
    if (about_others && strcmp(line_of(before, OTHERS), line_of(after, OTHERS)) != 0) return 1;
    if (about_others)
        return a->evict_code != b->evict_code || a->evict_kind != b->evict_kind ||
               a->evict_have != b->evict_have || a->evict_need != b->evict_need ||
               a->evict_queue != b->evict_queue;
    return a->kind != b->kind || a->limiting_queue != b->limiting_queue ||
           a->near_node != b->near_node;
}

static void complain(uint64_t seed, const char *what, const char *event, const struct seen *before,
                     const struct seen *after) {
    printf("seed 0x%" PRIx64 ": %s\n%sbefore:\n%safter:\n%s\n", seed, what, event, before->text,
           after->text);
}

static void judge(uint64_t seed, const struct rw *w, lsched_cluster *c, const struct seen *before,
                  int about_others) {
    static struct reasons_advice a; /* large; tests have one thread */
    static struct seen after;
    uint32_t row = about_others ? REASONS_CODES + before->record.evict_code : before->record.code;
    struct count *n = &counts[row];
    n->waits++;
    if (!reasons_advise(w, c, &before->record, line_of(before, about_others ? OTHERS : WAITS),
                        about_others, &a)) {
        n->unhelpful++;
        if (n->unhelpful <= 2) complain(seed, "names nothing", "", before, before);
        return;
    }
    if (!see(&a.world, a.event, &after)) {
        n->untrue++;
        complain(seed, "the advice cannot be followed", a.event, before, &after);
        return;
    }
    int started = after.placed > before->placed,
        good = started || differs(before, &after, about_others);
    if (started && a.less[0]) {
        struct seen less;
        n->exact++;
        if (see(w, a.less, &less) && less.placed > before->placed) {
            good = 0;
            complain(seed, "less would have done", a.less, before, &less);
        }
    } else if (!good) {
        complain(seed, "mended, and the reason stays", a.event, before, &after);
    }
    n->helpful += (uint32_t)good;
    n->untrue += !good;
    n->starts += (uint32_t)(good && started);
}

static int one(uint64_t seed) {
    static struct rw w;
    static struct seen s;
    struct chance chance = {seed};
    lsched_error err = LSCHED_ERROR_INIT;
    memset(&w, 0, sizeof w);
    reasons_makers[chance_below(&chance, reasons_n_makers)](&chance, &w);
    lsched_cluster *c = rw_play(&w, "", &err);
    if (!c) {
        printf("seed 0x%" PRIx64 ": the world is refused: %s\n", seed, err.message);
        return -1;
    }
    int waits = look(c, &s) && s.record.code != LSCHED_WAIT_NONE;
    int others = s.record.evict_code != LSCHED_NO_VICTIM_NOT_TRIED;
    if (waits) judge(seed, &w, c, &s, 0);
    if (waits && others) judge(seed, &w, c, &s, 1);
    lsched_cluster_destroy(c);
    return waits + (waits && others);
}

static void print_table(struct count *all) {
    printf("%-20s %7s %8s %9s %7s %7s %7s\n", "reason", "waits", "helpful", "unhelpful", "untrue",
           "starts", "exact");
    for (uint32_t r = 0; r < REASONS_ROWS; r++) {
        const struct count *n = &counts[r];
        if (n->waits == 0) continue;
        printf("%-20s %7u %8u %9u %7u %7u %7u\n", reasons_row_name(r), n->waits, n->helpful,
               n->unhelpful, n->untrue, n->starts, n->exact);
        all->waits += n->waits;
        all->helpful += n->helpful;
        all->unhelpful += n->unhelpful;
        all->untrue += n->untrue;
        all->starts += n->starts;
        all->exact += n->exact;
    }
    printf("%-20s %7u %8u %9u %7u %7u %7u\n", "all", all->waits, all->helpful, all->unhelpful,
           all->untrue, all->starts, all->exact);
}

/* A search that its bound cuts off needs more work than these worlds have. A budget that is too
 * small for a job lets its pass go on in the next cycle, and one job has no other before it: who
 * waits for a turn stands in line. The host of these worlds rejects no claims:
 * test_nominations_rejected_random does. It asks for all kinds of decisions: test_decision_kinds
 * leaves kinds out. No policy of these worlds says what a further task gains: test_growth_random. */
static int is_met(uint32_t row) {
    return row == LSCHED_WAIT_NONE || row == LSCHED_WAIT_GAIN ||
           row == REASONS_CODES + LSCHED_NO_VICTIM_NOT_TRIED || row == LSCHED_WAIT_BUDGET ||
           row == REASONS_CODES + LSCHED_NO_VICTIM_BUDGET ||
           row == REASONS_CODES + LSCHED_NO_VICTIM_REFUSED ||
           row == REASONS_CODES + LSCHED_NO_VICTIM_NOT_ASKED || counts[row].waits > 0;
}

int reasons_trial(uint32_t waits, uint32_t unhelpful_percent, int all) {
    uint64_t seed = chance_seed(0x7ea50);
    struct count sum = {0};
    uint32_t bad = 0, missing = 0;
    for (uint32_t n = 0, tries = 0; n < waits && tries < 8 * waits; tries++) {
        int made = one(seed + tries * UINT64_C(0x9e3779b9));
        bad += made < 0;
        n += made > 0 ? (uint32_t)made : 0;
    }
    print_table(&sum);
    for (uint32_t r = 0; all && r < REASONS_ROWS; r++) {
        if (is_met(r)) continue;
        missing++;
        printf("no wait of code %s was met\n", reasons_row_name(r));
    }
    return bad || missing || sum.untrue || sum.unhelpful * 100 > sum.waits * unhelpful_percent;
}
