/* resize_list.c -- see resize_list.h. */
#include "model/resizes/resize_list.h"

#include "model/store/row_list.h"
#include "model/store/steps.h"

static const struct row_list links = {C_RESIZE_NEXT, C_RESIZE_PREV};

/* The column and the owner of a list, as row_list.h wants them. */
struct list_place {
    uint32_t column, owner;
};

static struct list_place list_place_of(const struct columns *k, uint32_t row, uint8_t list) {
    if (list == RESIZE_AT_NODE)
        return (struct list_place){C_NODE_RESIZES,
                                   k->c[C_TASK_NODE].u32[k->c[C_RESIZE_TASK].u32[row]]};
    return (struct list_place){C_META_WORD,
                               list == RESIZE_AWAKE ? M_RESIZE_AWAKE : M_RESIZE_LIMITED};
}

static int is_wait(uint8_t list) {
    return list == RESIZE_AT_NODE || list == RESIZE_AT_QUEUES;
}

void resize_list_leave(struct columns *k, uint32_t row) {
    uint8_t list = k->c[C_RESIZE_LIST].u8[row];
    if (list == RESIZE_NOWHERE) return;
    struct list_place at = list_place_of(k, row, list);
    row_list_remove(k, links, at.column, at.owner, row);
    set_u8(k, C_RESIZE_LIST, row, RESIZE_NOWHERE);
    if (is_wait(list)) set_meta(k, M_RESIZE_WAITS, meta(k, M_RESIZE_WAITS) - 1);
}

void resize_list_enter(struct columns *k, uint32_t row, uint8_t list) {
    if (k->c[C_RESIZE_LIST].u8[row] == list) return;
    resize_list_leave(k, row);
    struct list_place at = list_place_of(k, row, list);
    row_list_push(k, links, at.column, at.owner, row);
    set_u8(k, C_RESIZE_LIST, row, list);
    if (is_wait(list)) set_meta(k, M_RESIZE_WAITS, meta(k, M_RESIZE_WAITS) + 1);
}

static int32_t wake_list(struct columns *k, uint32_t column, uint32_t owner) {
    for (uint32_t r = row_list_first(k, column, owner); r != NO_ROW;
         r = row_list_first(k, column, owner)) {
        int32_t rc = undo_room(k);
        if (rc != LSCHED_OK) return rc;
        steps_add(k, 1);
        resize_list_enter(k, r, RESIZE_AWAKE);
    }
    return LSCHED_OK;
}

int32_t resize_list_wake_node(struct columns *k, uint32_t node) {
    return wake_list(k, C_NODE_RESIZES, node);
}

int32_t resize_list_wake_queues(struct columns *k) {
    return wake_list(k, C_META_WORD, M_RESIZE_LIMITED);
}
