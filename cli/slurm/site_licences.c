/* site_licences.c -- see site_licences.h. */
#include "cli/slurm/site_licences.h"

#include <inttypes.h>
#include <string.h>

#include "cli/slurm/site_names.h"
#include "cli/support/cli_errors.h"

#define PREFIX    "slurm.licence." /* as the plug-in names them */
#define COUNT_MAX UINT32_MAX       /* of Slurm */

static const char bad_number[] = "--licenses with such a number";

/* Reads the next word of "tool:2,other@server,third*4". Returns 1, 0 at the end, and -1 if the
 * count of the word cannot be read; then *name has the whole word. */
static int next_word(const char **at, struct slurm_part *name, int64_t *count) {
    static const char stops[] = ",;|";
    *at += strspn(*at, ",; ");
    if (**at == '\0') return 0;
    if (**at == '|') ++*at;
    *name = (struct slurm_part){*at, strcspn(*at, stops)};
    *at += name->len;
    size_t cut = name->len;
    *count = 1;
    while (cut > 0 && name->text[cut - 1] != ':' && name->text[cut - 1] != '*') cut--;
    if (cut == 0) return name->len > 0 ? 1 : -1;
    if (!slurm_count(name->text + cut, name->len - cut, count) || cut == 1 || *count > COUNT_MAX)
        return -1;
    name->len = cut - 1;
    return 1;
}

static struct site_licence *find_licence(const struct site *site, struct slurm_part name) {
    for (size_t i = 0; i < site->n_licences; i++) {
        struct site_licence *one = &site->licences[i];
        if (slurm_part_is(name, one->name)) return one;
    }
    return NULL;
}

/* Adds a licence, or returns the one with this name; NULL if there are too many. */
static struct site_licence *add_licence(struct site *site, const char *file, uint32_t line,
                                        struct slurm_part name) {
    struct site_licence *known = find_licence(site, name);
    if (known != NULL) return known;
    if (site->n_licences == SITE_LICENCES_MAX) {
        site_remark(site, file, line, "expected at most %d licences; %.*s is left to Slurm",
                    SITE_LICENCES_MAX,
                    (int)(name.len < RECORD_WORD_SHOWN ? name.len : RECORD_WORD_SHOWN), name.text);
        return NULL;
    }
    site->licences = must_grow(site->licences, site->n_licences, &site->licences_capacity,
                               sizeof site->licences[0]);
    known = &site->licences[site->n_licences++];
    *known = (struct site_licence){.name = site_format(site, "%.*s", (int)name.len, name.text),
                                   .taken = -1};
    return known;
}

void site_licences_conf(struct site *site, const char *file, uint32_t line, const char *list) {
    struct slurm_part name;
    int64_t count = 0;
    int rc = 0;
    for (const char *at = list; (rc = next_word(&at, &name, &count)) != 0;) {
        if (rc < 0) {
            site_remark(
                site, file, line, "Licenses: expected name:count, got '%.*s'; it is ignored",
                (int)(name.len < RECORD_WORD_SHOWN ? name.len : RECORD_WORD_SHOWN), name.text);
            continue;
        }
        struct site_licence *one = add_licence(site, file, line, name);
        if (one != NULL && one->taken < 0) one->total = count;
    }
}

/* Reads a number of the record; -1 if it is missing or is none, which is said. */
static int64_t number_of(struct site *site, const char *file, const struct record *record,
                         const char *keys) {
    uint32_t line = record->line;
    const char *text = record_find(record, keys, &line);
    int64_t value = 0;
    if (text != NULL && slurm_number(text, &value) && value >= 0 && value <= COUNT_MAX)
        return value;
    site_remark(site, file, line, "licence %.*s: %s: expected a number, got '%.*s'; it is ignored",
                RECORD_WORD_SHOWN, record_value(record, 0), keys, RECORD_WORD_SHOWN,
                text != NULL ? text : "nothing");
    return -1;
}

void site_licences_record(struct site *site, const char *file, const struct record *record) {
    const char *name = record_find(record, "LicenseName", NULL);
    if (name == NULL) return;
    int64_t total = number_of(site, file, record, "Total");
    int64_t used = number_of(site, file, record, "Used");
    if (total < 0 || used < 0) return;
    int64_t reserved = record_find(record, "Reserved", NULL) != NULL
                           ? number_of(site, file, record, "Reserved")
                           : 0;
    struct slurm_part part = {name, strlen(name)};
    struct site_licence *one = add_licence(site, file, record->line, part);
    if (one == NULL) return;
    one->total = total;
    one->taken = used + (reserved > 0 ? reserved : 0);
}

/* The licences that a job names, each once. */
struct needs {
    struct {
        struct slurm_part name;
        int64_t count;
    } list[LSCHED_SUPPLIES_PER_TASK_MAX];
    size_t n;
    const char *option; /* the option that has no image, or NULL */
};

static void add_need(struct needs *needs, struct slurm_part name, int64_t count) {
    for (size_t i = 0; i < needs->n; i++) {
        if (needs->list[i].name.len != name.len ||
            memcmp(needs->list[i].name.text, name.text, name.len) != 0)
            continue;
        needs->list[i].count += count;
        return;
    }
    if (needs->n == LSCHED_SUPPLIES_PER_TASK_MAX) {
        needs->option = "--licenses with more than 8 names";
        return;
    }
    needs->list[needs->n].name = name;
    needs->list[needs->n++].count = count;
}

/* The licences that are not counted are left out. */
static struct needs needs_of(const struct site *site, const struct site_job *job) {
    struct needs needs = {.n = 0};
    struct slurm_part name;
    int64_t count = 0;
    int rc = 0;
    if (job->licenses == NULL || job->reservation != NULL) return needs;
    if (strchr(job->licenses, '|') != NULL) needs.option = "--licenses with '|'";
    for (const char *at = job->licenses; (rc = next_word(&at, &name, &count)) != 0;) {
        if (rc < 0) needs.option = bad_number;
        if (rc > 0 && count > 0 && find_licence(site, name) != NULL) add_need(&needs, name, count);
    }
    return needs;
}

bool site_licences_count(const struct site *site, const struct site_job *job) {
    struct slurm_part name;
    int64_t count = 0;
    if (job->reservation != NULL) return false;
    for (const char *at = job->licenses != NULL ? job->licenses : "";
         next_word(&at, &name, &count) != 0;)
        if (find_licence(site, name) == NULL) return false;
    return true;
}

/* What each of `tasks` tasks needs so that all together have `count` licences. */
static int64_t share_of(int64_t count, int64_t tasks) {
    int64_t parts = count * SITE_LICENCE_PARTS;
    return tasks > 0 ? (parts + tasks - 1) / tasks : parts;
}

const char *site_licences_option(const struct site *site, const struct site_job *job,
                                 int64_t tasks) {
    struct needs needs = needs_of(site, job);
    if (job->fate == SITE_RUNS) return NULL;
    for (size_t i = 0; i < needs.n; i++)
        if (share_of(needs.list[i].count, tasks) > LSCHED_SUPPLY_NEED_MAX) return bad_number;
    return needs.option;
}

void site_licences_put_need(FILE *out, struct site *site, const struct site_job *job,
                            int64_t tasks) {
    struct needs needs = needs_of(site, job);
    const char *before = ", supplies: {", *after = "";
    for (size_t i = 0; i < needs.n; i++) {
        struct slurm_part name = needs.list[i].name;
        int64_t share = share_of(needs.list[i].count, tasks);
        if (share > LSCHED_SUPPLY_NEED_MAX) continue; /* a running job */
        fputs(before, out);
        site_name_put(out, PREFIX, name.text, name.len);
        fprintf(out, ": %" PRId64, share);
        if (job->fate == SITE_RUNS) find_licence(site, name)->held += share * tasks;
        before = ", ", after = "}";
    }
    fputs(after, out);
}

bool site_licences_why(const struct site *site, const struct site_job *job, int64_t tasks,
                       const lsched_cluster *cluster, char *out, size_t capacity) {
    struct needs needs = needs_of(site, job);
    for (size_t i = 0; i < needs.n; i++) {
        char supply[SITE_NAME_BYTES];
        struct slurm_part name = needs.list[i].name;
        int64_t count = needs.list[i].count;
        lsched_supply_info now = LSCHED_SUPPLY_INFO_INIT;
        lsched_text key = {supply, site_name_clean(PREFIX, name.text, name.len, supply)};
        if (lsched_supply_get(cluster, key, LSCHED_TEXT(""), NULL, 0, &now, NULL) < 0 ||
            now.left >= share_of(count, tasks) * tasks)
            continue;
        int64_t left = now.left > 0 ? now.left / SITE_LICENCE_PARTS : 0;
        snprintf(out, capacity, "needs %" PRId64 " of the licence %.*s; %" PRId64 " %s left", count,
                 (int)name.len, name.text, left, left == 1 ? "is" : "are");
        return true;
    }
    return false;
}

void site_licences_put(FILE *out, const struct site *site) {
    for (size_t i = 0; i < site->n_licences; i++) {
        const struct site_licence *one = &site->licences[i];
        int64_t left = one->taken > one->total ? 0 : one->total - one->taken;
        int64_t amount = one->taken < 0 ? one->total * SITE_LICENCE_PARTS
                                        : left * SITE_LICENCE_PARTS + one->held;
        fputs(i == 0 ? "supplies:\n  " : "  ", out);
        site_name_put(out, PREFIX, one->name, strlen(one->name));
        /* parts below one licence are for what is rounded up */
        fprintf(out, ": %" PRId64 "\n", amount + SITE_LICENCE_PARTS - 1);
    }
}
