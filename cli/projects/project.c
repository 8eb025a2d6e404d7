/*
 * project.c -- see project.h.
 */
#include "cli/projects/project.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

void project_begin(struct project *project, uint32_t n, uint32_t n_resources) {
    memset(project, 0, sizeof *project);
    project->n = n;
    project->n_resources = n_resources;
    project->capacity = must_alloc_zero((n_resources + 1) * sizeof project->capacity[0]);
    project->duration = must_alloc_zero((n + 1) * sizeof project->duration[0]);
    project->demand = must_alloc_zero(((size_t)n * n_resources + 1) * sizeof project->demand[0]);
}

void project_link(struct project *project, uint32_t before, uint32_t after) {
    project->links = must_grow(project->links, project->n_links, &project->links_capacity,
                               sizeof project->links[0]);
    project->links[project->n_links++] = (struct project_link){before, after};
}

/* Sorts the links by one end, and keeps the order of links that are equal in it. */
static void make_lists(const struct project *project, bool forward, uint32_t **at,
                       uint32_t **list) {
    uint32_t *begin = must_alloc_zero((project->n + 2) * sizeof begin[0]);
    uint32_t *other = must_alloc((project->n_links + 1) * sizeof other[0]);
    for (size_t i = 0; i < project->n_links; i++) {
        const struct project_link *link = &project->links[i];
        begin[(forward ? link->before : link->after) + 2]++;
    }
    for (uint32_t i = 0; i < project->n; i++) begin[i + 2] += begin[i + 1];
    for (size_t i = 0; i < project->n_links; i++) {
        const struct project_link *link = &project->links[i];
        other[begin[(forward ? link->before : link->after) + 1]++] =
            forward ? link->after : link->before;
    }
    *at = begin;
    *list = other;
}

uint32_t project_finish(struct project *project) {
    uint32_t n = project->n, done = 0, known = 0, stuck = n;
    make_lists(project, true, &project->next_at, &project->next);
    make_lists(project, false, &project->prior_at, &project->prior);
    uint32_t *open = must_alloc_zero((n + 1) * sizeof open[0]);
    project->order = must_alloc((n + 1) * sizeof project->order[0]);
    for (uint32_t i = 0; i < n; i++) {
        open[i] = project->prior_at[i + 1] - project->prior_at[i];
        if (open[i] == 0) project->order[known++] = i;
    }
    for (; done < known; done++) {
        uint32_t i = project->order[done];
        for (uint32_t e = project->next_at[i]; e < project->next_at[i + 1]; e++) {
            if (--open[project->next[e]] == 0) project->order[known++] = project->next[e];
        }
    }
    if (known < n) {
        /* an activity that waits has a predecessor that waits: n steps back end inside a cycle */
        for (stuck = 0; open[stuck] == 0;) stuck++;
        for (uint32_t step = 0; step < n; step++) {
            uint32_t e = project->prior_at[stuck];
            while (open[project->prior[e]] == 0) e++;
            stuck = project->prior[e];
        }
    }
    free(open);
    return stuck;
}

void project_free(struct project *project) {
    free(project->capacity);
    free(project->duration);
    free(project->demand);
    free(project->links);
    free(project->next_at);
    free(project->next);
    free(project->prior_at);
    free(project->prior);
    free(project->order);
    memset(project, 0, sizeof *project);
}
