/*
 * parse_running.c -- see parse_running.h. A task of `running:` is either running, or releasing
 * because it was already asked to stop.
 *
 * One item of the list can name many tasks, and each task becomes one lsched_task_import. The item
 * names one node for all of its tasks, or one node for each task.
 */
#include <string.h>

#include "config/objects/parse_device_set.h"
#include "config/objects/parse_mig.h"
#include "config/read/quantity_reader.h"
#include "config/steps/parse_running.h"
#include "config/steps/parse_task_refs.h"

struct running_form {
    struct scn_list tasks; /* elements are struct task_ref */
    const lsched_text *nodes;
    uint32_t n_nodes;
    uint64_t device_words[LSCHED_DEVICE_WORDS];
    uint32_t nic_mask, numa_mask;
    struct start_list starts;
    uint64_t packed_starts;
    uint32_t alternative;
    uint32_t state; /* index of the state in running_states */
    int64_t since_us, release_us;
    lsched_text run;
};

/* For each word of running_words the state that it means. */
static const uint32_t running_states[] = {LSCHED_TASK_RUNNING, LSCHED_TASK_RELEASING};

static const char *const running_words[] = {"running", "releasing"};

static int32_t running_expand(struct field_reader *r, uint32_t value,
                              const struct running_form *form, struct action *action) {
    uint32_t node = 0;
    for (uint32_t t = 0; t < form->tasks.n; t++) {
        struct task_ref ref = ((const struct task_ref *)form->tasks.items)[t];
        if (ref.last == TASK_REF_ALL)
            return read_expected(r, LSCHED_E_TYPE, value, "tasks by number, such as llm/0-3");
        int32_t code = read_budget(r, value, (uint64_t)ref.last - ref.first + 1);
        for (uint64_t i = ref.first; !code && i <= ref.last; i++, node++) {
            if (form->n_nodes > 1 && node >= form->n_nodes)
                return read_expected(r, LSCHED_E_RANGE, value,
                                     "one node, or as many nodes as tasks");
            lsched_task_import *task =
                read_add(r, &action->items, &action->marks, sizeof *task, value);
            lsched_text *run = read_add(r, &action->runs, NULL, sizeof *run, value);
            if (!task || !run) return LSCHED_E_NOMEM;
            *run = form->run;
            *task = (lsched_task_import)LSCHED_TASK_IMPORT_INIT;
            task->task_index = (uint32_t)i;
            task->job_name = ref.job;
            task->node_name = form->nodes[form->n_nodes > 1 ? node : 0];
            memcpy(task->device_words, form->device_words, sizeof task->device_words);
            task->nic_mask = form->nic_mask;
            task->numa_mask = form->numa_mask;
            task->device_starts = form->packed_starts;
            task->alternative = form->alternative;
            task->start_us = form->since_us;
            task->state = running_states[form->state];
            task->release_us = form->release_us;
        }
        if (code) return code;
    }
    if (form->n_nodes > 1 && node != form->n_nodes)
        return read_expected(r, LSCHED_E_RANGE, value, "one node, or as many nodes as tasks");
    return 0;
}

/* Reads the time at which the resources of a task will be released. The library takes the time 0
 * for an unknown time, therefore the time 0 becomes 1 microsecond. */
static int32_t running_release(struct field_reader *r, uint32_t value, void *out) {
    int64_t *at = out;
    int32_t code = read_time(r, value, at);
    if (*at == 0) *at = 1;
    return code;
}

static int32_t running_item(struct field_reader *r, uint32_t value, void *action) {
    static const struct field fields[] = {
        FIELD(struct running_form, "task", read_task_refs, tasks),
        FIELD_LIST(struct running_form, "node", read_names, nodes, n_nodes),
        FIELD(struct running_form, "devices", read_device_words, device_words),
        FIELD(struct running_form, "nics", read_device_mask, nic_mask),
        FIELD(struct running_form, "numa", read_device_mask, numa_mask),
        FIELD(struct running_form, "starts", read_starts, starts),
        FIELD(struct running_form, "alternative", read_u32, alternative),
        FIELD(struct running_form, "since", read_time, since_us),
        FIELD_WORD(struct running_form, "state", running_words, state),
        FIELD(struct running_form, "release", running_release, release_us),
        FIELD(struct running_form, "run", read_text, run),
    };
    struct running_form form;
    memset(&form, 0, sizeof form);
    form.since_us = r->base_us;
    int32_t code = READ_MAP(r, value, "running work", fields, &form, NULL);
    if (!code && (form.tasks.n == 0 || form.n_nodes == 0))
        code = read_expected(r, LSCHED_E_KEY, value, "running work with \"task\" and \"node\"");
    if (!code && form.release_us && running_states[form.state] != LSCHED_TASK_RELEASING)
        code = read_expected(r, LSCHED_E_KEY, value, "\"release\" only where state is releasing");
    int same = 1;
    if (form.starts.n) form.packed_starts = starts_on(&form.starts, form.device_words, &same);
    if (!code && !same)
        code = read_expected(r, LSCHED_E_RANGE, value,
                             "in \"starts\" a slice for each of \"devices\"");
    return code ? code : running_expand(r, value, &form, action);
}

int32_t read_running(struct field_reader *r, uint32_t value, void *out) {
    return step_action_items(r, value, out, ACTION_IMPORT, "running work", running_item);
}
