/* queue_news.c -- see queue_news.h. */
#include "model/news/queue_news.h"

void queue_news(struct columns *k, uint32_t queue) {
    for (; queue != NO_ROW; queue = k->c[C_QUEUE_PARENT].u32[queue])
        set_u32(k, C_QUEUE_NEWS, queue, k->c[C_QUEUE_NEWS].u32[queue] + 1);
    evict_news(k); /* victims that a mark excluded can be possible now */
}
