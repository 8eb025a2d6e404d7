/* columns_shared.c -- the one copy of each function of columns.h that is inline but not static.
 *
 * The compiler inlines these functions where speed counts. A build for size calls them instead, and
 * with a copy in each file they would fill 20 KB of the smallest host. They stand in a file of
 * their own, because undo.c and columns.c call them. The copy of undo_room() is in undo.c, because
 * undo_room() calls undo_grow(). */
#include "model/store/columns.h"

extern inline int undo_is_fresh(const struct columns *k, uint32_t column, uint32_t row);
extern inline void undo_log(struct columns *k, uint32_t column, uint32_t row, uint64_t old);
extern inline int column_is_of_queue(uint32_t column);
extern inline void touch_queue(struct columns *k, uint32_t column, uint32_t queue);
extern inline int column_is_of_job_line(uint32_t column);
extern inline uint64_t meta(const struct columns *k, uint32_t word);
extern inline void set_meta(struct columns *k, uint32_t word, uint64_t v);
extern inline uint32_t table_rows(const struct columns *k, uint32_t t);
extern inline int row_is_live(const struct columns *k, uint32_t table, uint32_t row);
extern inline uint32_t row_live_from(const struct columns *k, uint32_t table, uint32_t row);
extern inline void set_u8(struct columns *k, uint32_t column, uint32_t row, uint8_t v);
extern inline void set_u16(struct columns *k, uint32_t column, uint32_t row, uint16_t v);
extern inline void set_u32(struct columns *k, uint32_t column, uint32_t row, uint32_t v);
extern inline void set_u64(struct columns *k, uint32_t column, uint32_t row, uint64_t v);
extern inline void set_i32(struct columns *k, uint32_t column, uint32_t row, int32_t v);
extern inline void set_i64(struct columns *k, uint32_t column, uint32_t row, int64_t v);
