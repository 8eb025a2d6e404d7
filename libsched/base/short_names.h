/*
 * short_names.h -- shortens the names that a message quotes, so that the rest of the message fits.
 *
 * A message has a bounded number of bytes, and a name can be longer than that. The end of a message
 * says what was expected and what to do. Therefore the names give way: the middle of the longest
 * quoted part is replaced by three dots until the message fits. A cut at the end of each name would
 * also drop the number with which many names end.
 *
 * What always holds: at least SHORT_NAMES_KEPT bytes at each end of a quoted part stay, less a
 * character that would be cut. A text that fits is not changed. If a text does not fit even with
 * short names, such as one with a list of all known words, its end is left out.
 *
 * The names are found in the finished text and not in the arguments, because then each message of
 * the library is covered, whatever its format is. A quotation mark inside a name can end the quoted
 * part too early; then the message can lose its end. Cost: O(bytes) for each part that is
 * shortened.
 */
#ifndef LIBSCHED_SHORT_NAMES_H
#define LIBSCHED_SHORT_NAMES_H

#include <stddef.h>

#define SHORT_NAMES_KEPT 16u /* bytes at each end of a name that is shortened */

/* Shortens the names in the NUL-terminated text so that it needs less than `room` bytes with \xNN
 * for bytes that cannot be shown (utf8_shown()), and writes the text to `out`, which has `room`
 * bytes. Changes `text`. */
void short_names(char *text, char *out, size_t room);

#endif
