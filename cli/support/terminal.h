/*
 * terminal.h -- functions that need the terminal: the width of the terminal, a progress bar, and
 * the handling of Ctrl-C.
 *
 * The progress bar is drawn on stderr at most ten times a second, and is removed before output is
 * printed. If stderr is not a terminal, progress is shown only with --progress, as one line for
 * each tenth of the work. Therefore the bar is never written to a file or between lines of output.
 */
#ifndef LSCHED_CLI_TERMINAL_H
#define LSCHED_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Returns the number of columns of the terminal to which a stream writes. Returns 0 if the stream
 * is not a terminal; the caller should then not wrap lines. */
int terminal_width(FILE *stream);

/* Installs a handler for SIGINT, which removes the progress bar, writes one line to stderr, and
 * ends the program with exit code 130. Output that is still in a buffer is lost; this is intended,
 * because an incomplete JSON text is useless. If SIGINT was ignored when the program started, the
 * program continues to ignore it. */
void terminal_watch_interrupt(void);

/* Returns the CPU time that this thread has used, in nanoseconds. Measurements use CPU time, so
 * that they do not depend on other processes. */
int64_t clock_core_ns(void);

struct progress {
    bool on; /* false if no progress is shown */
    /* true if one line on a terminal is drawn again and again; false if a line is printed for each
     * tenth of the work */
    bool terminal;
    int width;
    uint64_t total, done;
    int64_t started_ns, drawn_ns;
    unsigned tenths; /* number of lines printed so far if `terminal` is false */
};

/* Begins to show progress for `total` parts of work. `forced` is the value of the option
 * --progress, and `forbidden` is the value of --no-progress. */
void progress_begin(struct progress *progress, bool forced, bool forbidden, uint64_t total);
/* Reports that `done` parts of the work are finished. `label` says what the program does now. Draws
 * the bar only if the last drawing was at least a tenth of a second ago; otherwise the call is
 * cheap. */
void progress_step(struct progress *progress, uint64_t done, const char *label);
/* Removes the bar until the next call of progress_step(). The program must call this function
 * before it prints anything. */
void progress_hide(struct progress *progress);

#endif
