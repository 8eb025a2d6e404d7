/* explain_print.c -- see explain_print.h. */
#include "engine/exclusions/explain_print.h"

#include "model/shapes/daily_demand.h"
#include "model/store/intern.h"

void put_label(struct text_out *o, const char *label) {
    text_put(o, "  %-11s ", label);
}

void put_task_need(const struct columns *k, uint32_t shape, uint32_t kind, struct text_out *o) {
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape],
             milli = k->c[C_SHAPE_DEVICE_MILLI].u32[shape];
    put_amount(k, o, kind, daily_demand_peak(k, shape, kind));
    if (kind != LSCHED_GPU || devices < 2 || milli == 0 || milli >= DEVICE_WHOLE) return;
    text_put(o, ", %s on each of %u devices,", shown_number(kind, milli).text, devices);
}

int put_mig_instance(const struct columns *k, uint32_t shape, struct text_out *o) {
    if (!k->c[C_SHAPE_MIG_SLICES].u8[shape]) return 0;
    text_put(o, " as a MIG instance %s",
             shown_name(k, intern_text(k, T_STRING, k->c[C_SHAPE_PROFILE].u32[shape])).text);
    return 1;
}

void put_hook_line(const struct lsched_cluster *c, int hook, struct text_out *o) {
    const struct policy *p = &c->policy.policy;
    struct policy_hook_note note = {.line = 0};
    if (!p->ops || !p->ops->describe || !(p->desc.hooks >> hook & 1)) return;
    p->ops->describe(p->self, (enum policy_hook)hook, &note);
    if (note.line) text_put(o, " (line %u)", note.line);
}
