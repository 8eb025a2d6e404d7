/*
 * exclusive_room.h -- takes out of the counts of room what exclusive levels forbid to a task: the
 * room of domains in which other jobs have tasks, if the level is the task's, and of domains that
 * tasks of other jobs have for themselves.
 *
 * Without this, the tightest domain would be tried first, which is where others are. While victims
 * are sought, the room of such a domain counts as less than none, by the tasks of others that would
 * have to leave: so domains with fewer of them come first.
 *
 * Always holds: a count is never lower than the number of tasks that the domain can take. Cost: the
 * domains in which tasks are that such a level counts, and the domains below them; for levels of
 * another topology and for the level "node", the nodes of these places.
 */
#ifndef LIBSCHED_EXCLUSIVE_ROOM_H
#define LIBSCHED_EXCLUSIVE_ROOM_H

#include "engine/indexes/affinity_rules.h"
#include "engine/indexes/topology_map.h"

struct exclusive_room {
    const struct topology_map *map;
    const uint32_t *tasks; /* room of the nodes, by position */
    int64_t *room;         /* by number of the domain; is lowered */
    int evicts;            /* 1 while victims are sought */
};

/* Lowers the room for the task of the ask. Returns LSCHED_OK or LSCHED_E_NOMEM. */
int32_t exclusive_room_lower(const struct exclusive_room *e, struct columns *k,
                             struct affinity_planes *planes, const struct ask *a, int later);

#endif
