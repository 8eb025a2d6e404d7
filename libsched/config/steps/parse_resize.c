/*
 * parse_resize.c -- see parse_resize.h. One item of the list names tasks of a job and their new
 * amounts, such as {task: web/0-1, cpu: 8, memory: 16Gi}. Each task becomes one lsched_task_resize.
 */
#include "config/steps/parse_resize.h"

#include <string.h>

#include "config/read/quantity_reader.h"
#include "config/steps/parse_task_refs.h"

struct resize_form {
    struct scn_list
        amounts;           /* must be the first member: read_amount_key() takes the struct for it */
    struct scn_list tasks; /* elements are struct task_ref */
};

static int32_t resize_item(struct field_reader *r, uint32_t value, void *out) {
    static const struct field fields[] = {FIELD(struct resize_form, "task", read_task_refs, tasks)};
    struct action *action = out;
    struct resize_form form;
    memset(&form, 0, sizeof form);
    int32_t code = READ_MAP(r, value, "a resize", fields, &form, read_amount_key);
    if (!code && form.tasks.n == 0)
        code = read_expected(r, LSCHED_E_KEY, value, "a resize with \"task\"");
    for (uint32_t t = 0; !code && t < form.tasks.n; t++) {
        struct task_ref ref = ((const struct task_ref *)form.tasks.items)[t];
        if (ref.last == TASK_REF_ALL)
            return read_expected(r, LSCHED_E_TYPE, value, "tasks by number, such as web/0-3");
        code = read_budget(r, value, (uint64_t)ref.last - ref.first + 1);
        for (uint64_t i = ref.first; !code && i <= ref.last; i++) {
            lsched_task_resize *z = read_add(r, &action->items, &action->marks, sizeof *z, value);
            if (!z) return LSCHED_E_NOMEM;
            *z = (lsched_task_resize)LSCHED_TASK_RESIZE_INIT;
            z->task_index = (uint32_t)i;
            z->job_name = ref.job;
            z->request = form.amounts.items;
            z->n_request = form.amounts.n;
        }
    }
    return code;
}

int32_t read_resize(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_RESIZE, "resizes", resize_item);
}
