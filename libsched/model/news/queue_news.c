/* queue_news.c -- see queue_news.h. */
#include "model/news/queue_news.h"

#include "model/store/row_list.h"

static const struct row_list gave_queues = {C_QUEUE_GAVE_NEXT, C_QUEUE_GAVE_PREV};

void queue_gave(struct columns *k, uint32_t queue) {
    if (k->c[C_QUEUE_GAVE].u8[queue]) return;
    set_u8(k, C_QUEUE_GAVE, queue, 1);
    row_list_push(k, gave_queues, C_META_WORD, M_GAVE_HEAD, queue);
}

void queue_gave_end(struct columns *k, uint32_t queue) {
    if (!k->c[C_QUEUE_GAVE].u8[queue]) return;
    row_list_remove(k, gave_queues, C_META_WORD, M_GAVE_HEAD, queue);
    set_u8(k, C_QUEUE_GAVE, queue, 0);
}

void queue_news(struct columns *k, uint32_t queue) {
    for (; queue != NO_ROW; queue = k->c[C_QUEUE_PARENT].u32[queue])
        set_u32(k, C_QUEUE_NEWS, queue, k->c[C_QUEUE_NEWS].u32[queue] + 1);
    evict_news(k); /* victims that a mark excluded can be possible now */
}
