/* check_sections.c -- see check_sections.h. Cost: one pass over the bytes. */
#include "model/check/check_sections.h"

#include "model/shapes/node_rules.h"
#include "model/shapes/domain.h"
#include "model/shapes/supply_need.h"
#include "model/shapes/work_kind.h"

static int32_t check_sections_bad(struct check *c, uint32_t table, uint32_t row, const char *what) {
    return check_fail(c, "%s: %s", NAME(table, row), what);
}

/* Returns 1 if `row` is the row of STRING with the text, or NO_ROW if the text is empty. */
static int is_string(const struct columns *k, uint32_t row, lsched_text text) {
    if (text.len == 0) return row == NO_ROW;
    return row_is_live(k, T_STRING, row) &&
           text_order(text_of(k, k->c[C_STRING_BLOB].u32[row]), text) == 0;
}

static int is_selector(const struct columns *k, uint32_t row, lsched_text text) {
    if (text.len == 0) return row == NO_ROW;
    return row_is_live(k, T_SELECTOR, row) &&
           text_order(text_of(k, k->c[C_SELECTOR_BLOB].u32[row]), text) == 0;
}

/* The contents of the optional sections; zero for sections that the shape does not have. */
struct parts {
    uint32_t sm_count, isolation, order, link, numa, nics, slices;
    int64_t limit;
    lsched_text profile, selector;
    uint32_t attributes, rules, daily, supplies;
    uint32_t work; /* what SHAPE.WORK must be */
};

static int check_sections_read_devices(struct reader *r, struct parts *p) {
    uint32_t *const words[] = {&p->sm_count, &p->isolation, &p->order, &p->link,
                               &p->numa,     &p->nics,      &p->slices};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) *words[i] = reader_u32(r);
    p->limit = reader_i64(r);
    p->profile = reader_text(r);
    return !r->bad && r->p == r->end && p->isolation <= LSCHED_ISOLATE_FULL &&
           p->order <= LSCHED_DEVICE_ORDER_PACK && p->link <= LSCHED_LINK_NVLINK &&
           p->numa <= LSCHED_NUMA_REQUIRED && p->nics <= LSCHED_NICS_PER_NODE_MAX &&
           p->slices <= 8 && (p->slices == 0) == (p->profile.len == 0) && p->limit >= 0 &&
           p->limit <= LSCHED_AMOUNT_MAX;
}

static int check_sections_read_claim(struct reader *r, struct parts *p) {
    p->selector = reader_text(r);
    for (int list = 0; list < 2; list++) {
        uint32_t n = reader_u32(r);
        if (n > LIMIT_MATCHES_PER_TASK) return 0;
        for (; n > 0 && !r->bad; n--, p->attributes++) reader_text(r);
    }
    return !r->bad && r->p == r->end;
}

/* Returns 1 if the needs are of rows of SUPPLY in rising order. */
static int needs_name_supplies(const struct columns *k, const struct supply_need *needs,
                               uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!row_is_live(k, T_SUPPLY, needs[i].supply) || needs[i].zero ||
            (i && needs[i].supply <= needs[i - 1].supply))
            return 0;
    return 1;
}

/* Returns 1 if SHAPE.SUPPLIES has exactly the needs of the section, by rows of supplies in rising
 * order. Names are sorted and all different, so each need of the bytes is found once. */
static int check_sections_read_supplies(const struct columns *k, uint32_t s, struct reader *r,
                                        struct parts *p) {
    uint32_t n = reader_u32(r), text = k->c[C_SHAPE_SUPPLIES].u32[s];
    lsched_text last = {"", 0};
    p->supplies = n;
    if (n == 0 || n > LSCHED_SUPPLIES_PER_TASK_MAX || n != k->c[C_SHAPE_N_SUPPLIES].u8[s] ||
        text_len(k, text) != n * sizeof(struct supply_need))
        return 0;
    const struct supply_need *needs = text_bytes(k, text);
    if (!needs_name_supplies(k, needs, n)) return 0;
    for (uint32_t i = 0; i < n && !r->bad; i++) {
        lsched_text name = reader_text(r);
        int64_t amount = reader_i64(r);
        uint32_t j = 0;
        while (j < n && text_order(text_of(k, k->c[C_SUPPLY_NAME].u32[needs[j].supply]), name) != 0)
            j++;
        if (j == n || needs[j].amount != amount || amount <= 0 || amount > LSCHED_SUPPLY_NEED_MAX ||
            (i && text_order(last, name) >= 0))
            return 0;
        last = name;
    }
    return !r->bad && r->p == r->end;
}

/* Reads the name of a kind of work, and finds the kind in the table in force. */
static int check_sections_read_work(const struct columns *k, struct reader *r, struct parts *p) {
    const struct contention_table *t = work_kinds(k);
    lsched_text name = reader_text(r);
    if (r->bad || r->p != r->end || name.len == 0 || name.len >= CONTENTION_NAME_BYTES) return 0;
    p->work = t ? t->others : 0;
    for (uint32_t i = 0; t && i < t->n; i++) {
        lsched_text kind = {t->name[i], strlen(t->name[i])};
        if (text_order(kind, name) == 0) p->work = i + 1;
    }
    return 1;
}

/* Returns 1 if the task takes shares of several devices and its charge can differ between
 * devices. */
static int counts_alike(const struct columns *k, uint32_t s, const struct parts *p) {
    uint32_t milli = k->c[C_SHAPE_DEVICE_MILLI].u32[s];
    int share_alone = milli && k->c[C_SHAPE_DEVICE_MEM].i64[s] == 0 && p->sm_count == 0 &&
                      p->isolation == 0 && p->limit == 0;
    return k->c[C_SHAPE_DEVICES].u32[s] > 1 && milli < 1000 && p->slices == 0 && !share_alone;
}

static uint32_t picky_bits(const struct columns *k, uint32_t s, const struct parts *p) {
    return (counts_alike(k, s, p) ? PICKY_CHARGE : 0u) | (p->attributes ? PICKY_MATCH : 0u) |
           (p->link ? PICKY_LINK : 0u) | (p->numa == LSCHED_NUMA_REQUIRED ? PICKY_NUMA : 0u) |
           (p->nics ? PICKY_NICS : 0u);
}

static int columns_say_so(const struct columns *k, uint32_t s, const struct parts *p) {
    return p->sm_count == k->c[C_SHAPE_SM_COUNT].u32[s] &&
           p->isolation == k->c[C_SHAPE_ISOLATION].u8[s] && p->order == k->c[C_SHAPE_ORDER].u8[s] &&
           p->link == k->c[C_SHAPE_WEAKEST_LINK].u8[s] && p->numa == k->c[C_SHAPE_NUMA].u8[s] &&
           p->nics == k->c[C_SHAPE_NICS].u8[s] && p->slices == k->c[C_SHAPE_MIG_SLICES].u8[s] &&
           p->limit == k->c[C_SHAPE_DEVICE_LIMIT].i64[s] &&
           is_string(k, k->c[C_SHAPE_PROFILE].u32[s], p->profile) &&
           is_selector(k, k->c[C_SHAPE_SELECTOR].u32[s], p->selector) &&
           picky_bits(k, s, p) == k->c[C_SHAPE_PICKY].u8[s] &&
           p->rules == k->c[C_SHAPE_RULES].u8[s] && p->daily == (k->c[C_SHAPE_DAY].u32[s] != 0) &&
           p->supplies == k->c[C_SHAPE_N_SUPPLIES].u8[s] &&
           (p->supplies || k->c[C_SHAPE_SUPPLIES].u32[s] == 0);
}

/* Checks a section that follows those of device requests. */
static int32_t check_later_section(struct check *c, uint32_t s, uint32_t tag, struct reader part,
                                   struct parts *p) {
    if (tag == SHAPE_PART_RULES) p->rules = rules_bits(part);
    if (tag == SHAPE_PART_DAY && part.p < part.end)
        return check_sections_bad(c, T_SHAPE, s, "its mark for daily demand is not empty");
    p->daily |= tag == SHAPE_PART_DAY;
    if (tag == SHAPE_PART_SUPPLIES && !check_sections_read_supplies(c->k, s, &part, p))
        return check_sections_bad(c, T_SHAPE, s,
                                  "its needs of supplies differ from the canonical bytes");
    if (tag == SHAPE_PART_WORK && !check_sections_read_work(c->k, &part, p))
        return check_sections_bad(c, T_SHAPE, s, "its kind of work has no name, or a long one");
    return LSCHED_OK;
}

int32_t check_task_sections(struct check *c, uint32_t s, struct reader *r, const uint8_t *begin) {
    const struct columns *k = c->k;
    uint32_t last = 0, at = r->p < r->end ? (uint32_t)(r->p - begin) : 0;
    struct parts p;
    memset(&p, 0, sizeof p);
    if (work_kinds(k)) p.work = work_kinds(k)->others;
    if (at != k->c[C_SHAPE_PARTS].u32[s])
        return check_sections_bad(c, T_SHAPE, s, "PARTS differs from the canonical bytes");
    while (r->p < r->end && !r->bad) {
        uint32_t tag = reader_u32(r), n = reader_u32(r);
        if (r->bad || tag <= last || tag > SHAPE_PART_WORK || (size_t)(r->end - r->p) < n)
            return check_sections_bad(c, T_SHAPE, s,
                                      "the canonical bytes contain a part that is not valid");
        struct reader part = {r->p, r->p + n, 0};
        if ((tag == SHAPE_PART_DEVICES && !check_sections_read_devices(&part, &p)) ||
            (tag == SHAPE_PART_CLAIM && !check_sections_read_claim(&part, &p)))
            return check_sections_bad(c, T_SHAPE, s, "its request for devices is not valid");
        int32_t rc = check_later_section(c, s, tag, part, &p);
        if (rc != LSCHED_OK) return rc;
        r->p += n;
        last = tag;
    }
    if (p.slices && k->c[C_SHAPE_DEVICES].u32[s] == 0)
        return check_sections_bad(c, T_SHAPE, s, "it asks for a MIG profile, but for no device");
    if (p.work != k->c[C_SHAPE_WORK].u8[s])
        return check_sections_bad(c, T_SHAPE, s, "WORK is not its kind by the table in force");
    return columns_say_so(k, s, &p)
               ? LSCHED_OK
               : check_sections_bad(
                     c, T_SHAPE, s,
                     "its request for devices or its node rules differ from the canonical bytes");
}

/* Checks one level of task blocks. The widest level must come first. The size of a block of one
 * level must be a multiple of the block size of the next level. The size and the minimum of the
 * leaf group must be multiples of every block size. */
static int check_slice(const struct columns *k, uint32_t g, uint32_t i, int given,
                       lsched_text level, uint32_t tasks) {
    uint32_t topology = k->c[C_GROUP_TOPOLOGY].u32[g], at = k->c[C_GROUP_SLICE_LEVEL0 + i].u32[g];
    if (tasks != k->c[C_GROUP_SLICE_TASKS0 + i].u32[g]) return 0;
    if (!given) return at == 0;
    if (tasks == 0 || k->c[C_GROUP_CHILDREN].u32[g] || topology == NO_ROW ||
        at >= k->c[C_TOPOLOGY_N_LEVELS].u32[topology] ||
        text_order(level, topology_level_key(k, topology, at)) != 0 ||
        k->c[C_GROUP_MAX].u32[g] % tasks || k->c[C_GROUP_MIN].u32[g] % tasks)
        return 0;
    return i == 0 || (at > k->c[C_GROUP_SLICE_LEVEL0 + i - 1].u32[g] &&
                      k->c[C_GROUP_SLICE_TASKS0 + i - 1].u32[g] % tasks == 0);
}

static int32_t check_slice_section(struct check *c, uint32_t jobshape, uint32_t g, struct reader *r,
                                   int given) {
    const struct columns *k = c->k;
    uint32_t mode = given ? reader_u32(r) : 0, n = given ? reader_u32(r) : 0;
    if (mode != k->c[C_GROUP_MODE].u8[g] || n != k->c[C_GROUP_N_SLICES].u8[g] ||
        mode > LSCHED_DOMAINS_BALANCED || n > LSCHED_SLICES_MAX)
        return check_sections_bad(c, T_JOBSHAPE, jobshape,
                                  "the task blocks of a group differ from the canonical bytes");
    for (uint32_t i = 0; i < LSCHED_SLICES_MAX; i++) {
        lsched_text level = i < n ? reader_text(r) : (lsched_text){"", 0};
        uint32_t tasks = i < n ? reader_u32(r) : 0;
        if (r->bad || !check_slice(k, g, i, i < n, level, tasks))
            return check_sections_bad(c, T_JOBSHAPE, jobshape,
                                      "a group has a task block that is not valid for it");
    }
    return LSCHED_OK;
}

/* What the sections behind the task blocks say of a group. */
struct group_numbers {
    uint32_t node_max, members, fixed, size;
};

/* Reads the sections behind the task blocks, whose first tag is read already (0: there is none).
 * Returns 0 if a section is not valid. */
static int read_numbers(struct reader *part, uint32_t tag, uint32_t max, struct group_numbers *n) {
    n->members = max;
    if (tag == GROUP_PART_NODE_MAX) {
        n->node_max = reader_u32(part);
        if (n->node_max == 0) return 0;
        tag = part->p < part->end ? reader_u32(part) : 0;
    }
    if (tag == GROUP_PART_MEMBERS) {
        n->members = reader_u32(part);
        if (n->members >= max) return 0;
        tag = part->p < part->end ? reader_u32(part) : 0;
    }
    if (tag == GROUP_PART_FIXED) {
        n->fixed = 1;
        n->size = reader_u32(part);
        if (max == 0 || n->size > max) return 0;
    }
    return !part->bad && part->p == part->end;
}

int32_t check_group_sections(struct check *c, uint32_t jobshape, uint32_t g, struct reader *r) {
    const struct columns *k = c->k;
    uint32_t bytes = reader_u32(r), children = k->c[C_GROUP_CHILDREN].u32[g];
    struct group_numbers n = {0, 0, 0, 0};
    if (r->bad || (size_t)(r->end - r->p) < bytes)
        return check_sections_bad(c, T_JOBSHAPE, jobshape,
                                  "the parts of a group cannot be decoded");
    struct reader part = {r->p, r->p + bytes, 0};
    uint32_t tag = bytes ? reader_u32(&part) : 0;
    r->p += bytes;
    int slices = tag == GROUP_PART_SLICES;
    int32_t rc = check_slice_section(c, jobshape, g, &part, slices);
    if (rc != LSCHED_OK) return rc;
    if (slices) tag = part.p < part.end ? reader_u32(&part) : 0;
    if (!read_numbers(&part, tag, k->c[C_GROUP_SPAN].u32[g], &n))
        return check_sections_bad(c, T_JOBSHAPE, jobshape, "a group has a part that is not valid");
    if (n.node_max != k->c[C_GROUP_NODE_MAX].u32[g] || (n.node_max && children))
        return check_sections_bad(
            c, T_JOBSHAPE, jobshape,
            "the most tasks of a group on one node differ from the canonical bytes");
    if (!children && n.members != k->c[C_GROUP_MEMBERS].u32[g])
        return check_sections_bad(
            c, T_JOBSHAPE, jobshape,
            "the number of existing tasks of a group differs from the canonical bytes");
    if (n.fixed != k->c[C_GROUP_FIXED].u8[g] || n.size != k->c[C_GROUP_SIZE].u32[g] ||
        (n.size && n.size < k->c[C_GROUP_LEAST].u32[g]))
        return check_sections_bad(
            c, T_JOBSHAPE, jobshape,
            "the size of a group that is chosen at its start differs from the canonical bytes");
    return LSCHED_OK;
}
