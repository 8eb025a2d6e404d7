/*
 * terminal.h -- output that depends on the terminal: its width, and a progress bar.
 *
 * The bar is drawn on stderr, only on a terminal unless the user asks for it, and at most ten
 * times a second. It is removed when the work is done. Therefore it never gets into a file or
 * between lines of output.
 */
#ifndef LSCHED_CLI_TERMINAL_H
#define LSCHED_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the columns of the terminal behind a stream; 0 if the stream is no terminal, and then
 * lines should not be wrapped. */
int terminal_width(FILE *stream);

/* From this call on, SIGINT ends the program with exit code 130, after the bar is removed and one
 * line is written to stderr. Output that is not yet written is lost, because half of a JSON text
 * would be useless. If the parent process ignores the signal, it stays ignored. */
void terminal_watch_interrupt(void);

int64_t clock_now_ns(void); /* monotonic clock in nanoseconds */
/* Returns the CPU time of this thread in nanoseconds, so that measured speeds do not depend on
 * other processes. */
int64_t clock_core_ns(void);

struct progress {
    bool on;       /* false if nothing is drawn */
    bool terminal; /* true: redraws one line; false: prints a line for each tenth of the work */
    int width;
    uint64_t total, done;
    int64_t started_ns, drawn_ns;
    unsigned tenths; /* number of tenths printed so far, if there is no terminal */
};

/* `forced` and `forbidden` are the options --progress and --no-progress. */
void progress_begin(struct progress *progress, bool forced, bool forbidden, uint64_t total);
/* Reports progress; `label` says what is being done. The call is cheap if it is too early to draw
 * again. */
void progress_step(struct progress *progress, uint64_t done, const char *label);
/* Removes the bar until the next step. The function must be called before anything is printed. */
void progress_hide(struct progress *progress);

#endif
