/* Any bytes as a selector of devices: it is refused, or says the same of two classes whenever it is asked; what its parts are lies inside
 * the text; and the state that it ran in is as good as new, which a selector whose answer is known shows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/selector/lua_selector.h"

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "selector_text: %s\n", what);
    abort();
}

static uint8_t ask(struct selectors *s, const struct selector_device *d) {
    uint8_t answer = SELECTOR_UNASKED;
    expect(selector_ask(s, d, &answer, NULL) == LSCHED_OK, "asking fails");
    return answer;
}

static void check_form(const struct selector_form *form, size_t n) {
    expect(form->n_parts >= 1 && form->n_parts <= SELECTOR_PARTS_MAX, "number of parts");
    for (uint32_t i = 0; i < form->n_parts; i++)
        expect(form->parts[i].at <= n && form->parts[i].len <= n - form->parts[i].at,
               "a part outside of the text");
    for (uint32_t i = 0; i < form->n_reads; i++)
        expect(form->reads[i].key.at <= n && form->reads[i].key.len <= n - form->reads[i].key.at,
               "an attribute outside of the text");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static const lsched_label attributes[] = {
        {{"driver", 6}, {"535.104", 7}}, {{"ecc", 3}, {"true", 4}}, {{"vendor", 6}, {"nvidia", 6}}};
    static const struct selector_device classes[] = {
        {{"H100-80GB", 9}, (int64_t)80 << 30, 132, LSCHED_SHARING_WHOLE, attributes, 3},
        {{"", 0}, 0, 0, LSCHED_SHARING_TIME_SLICE, NULL, 0}};
    struct alloc alloc;
    struct selectors *s = NULL;
    struct selector_form form;
    const lsched_text text = {(const char *)data, n}, known = {"device.sm_count == 132", 22};
    alloc_init(&alloc, NULL, 0);
    expect(selectors_open(&alloc, &s, NULL) == LSCHED_OK, "no state");
    if (selector_begin(s, text, &form, NULL) == LSCHED_OK) {
        uint8_t first[2];
        check_form(&form, n);
        for (int i = 0; i < 2; i++) first[i] = ask(s, &classes[i]);
        for (int i = 2; i-- > 0;) expect(ask(s, &classes[i]) == first[i], "two answers");
    }
    expect(selector_begin(s, known, NULL, NULL) == LSCHED_OK &&
               ask(s, &classes[0]) == SELECTOR_TAKES && ask(s, &classes[1]) == SELECTOR_PART,
           "the state is damaged");
    selectors_close(s);
    expect(alloc.bytes == 0, "memory is lost");
    return 0;
}
