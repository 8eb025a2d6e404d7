/*
 * terminal.h -- what depends on who is watching: the width of the terminal, and a progress bar.
 *
 * The bar is drawn on stderr, on a terminal only unless asked for, at most ten times a second,
 * and is gone when the work is done, so it never ends up in a file or between lines of output.
 */
#ifndef LSCHED_CLI_TERMINAL_H
#define LSCHED_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Columns of the terminal behind a stream; 0 if it is none (then nothing should be wrapped). */
int terminal_width(FILE *stream);

/* From here on SIGINT ends the program with exit code 130, after the bar is taken away and one line
 * on stderr says it. What was not printed yet is not printed: half of a JSON text would be worth
 * less than none. A signal that the parent ignores stays ignored. */
void terminal_watch_interrupt(void);

int64_t clock_now_ns(void); /* monotonic */
/* Time that this thread had a core, so that a figure of speed does not depend on who else is
 * busy. */
int64_t clock_core_ns(void);

struct progress {
    bool on;       /* draw at all */
    bool terminal; /* redraw one line; else a line per tenth */
    int width;
    uint64_t total, done;
    int64_t started_ns, drawn_ns;
    unsigned tenths; /* printed so far, without a terminal */
};

/* forced, forbidden: --progress, --no-progress. */
void progress_begin(struct progress *progress, bool forced, bool forbidden, uint64_t total);
/* label: what is being done now. Cheap when it is too early to draw again. */
void progress_step(struct progress *progress, uint64_t done, const char *label);
/* Takes the bar away; it comes back with the next step. To be called before anything is printed. */
void progress_hide(struct progress *progress);

#endif
