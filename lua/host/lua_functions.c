/* lua_functions.c -- see lua_functions.h. */
#include "lua/host/lua_functions.h"

#include <string.h>

#include "base/fixed.h"
#include "base/hash.h"
#include "base/sort.h"
#include "base/wide.h"
#include "lua/state/lua_value.h"

/* ---- arguments ---- */

static _Noreturn void refuse_argument(struct lua_host *host, int index, const char *function,
                                      const char *expected) {
    host_refuse(host, LSCHED_E_POLICY, "%s: argument %d must be %s, got %s", function, index,
                expected, value_describe(host, index).text);
}

static double number_at(struct lua_host *host, int index, const char *function) {
    if (host->api.type(host->L, index) != LUA_TNUMBER)
        refuse_argument(host, index, function, "a number");
    return host->api.tonumber(host->L, index);
}

static const char *string_at(struct lua_host *host, int index, const char *function, size_t *len) {
    if (host->api.type(host->L, index) != LUA_TSTRING)
        refuse_argument(host, index, function, "a string");
    return host->api.tolstring(host->L, index, len);
}

/* ---- numbers ---- */

static int push_number(struct lua_host *host, double x) {
    host_charge(host, 10);
    host->api.pushnumber(host->L, x);
    return 1;
}

static int env_exp(lua_State *L) {
    struct lua_host *host = host_of(L);
    return push_number(host, fixed_exp(number_at(host, 1, "math.exp")));
}

static int env_log(lua_State *L) {
    struct lua_host *host = host_of(L);
    return push_number(host, fixed_log(number_at(host, 1, "math.log")));
}

static int env_pow(lua_State *L) {
    struct lua_host *host = host_of(L);
    double x = number_at(host, 1, "math.pow"), y = number_at(host, 2, "math.pow");
    return push_number(host, fixed_pow(x, y));
}

static uint64_t hash_of(struct lua_host *host, int index) {
    const struct luajit_api *api = &host->api;
    size_t len;
    switch (api->type(host->L, index)) {
    case LUA_TSTRING: {
        const char *text = api->tolstring(host->L, index, &len);
        host_charge(host, len / 64);
        return hash_bytes(text, len, LUA_TSTRING);
    }
    case LUA_TNUMBER: {
        double x = api->tonumber(host->L, index);
        uint64_t word;
        if (x != x) refuse_argument(host, index, "hash", "a number that is not NaN");
        x += 0.0; /* turns a negative zero into 0 */
        memcpy(&word, &x, sizeof word);
        return hash_mix(LUA_TNUMBER, word);
    }
    case LUA_TBOOLEAN: return hash_mix(LUA_TBOOLEAN, (uint64_t)api->toboolean(host->L, index));
    default: refuse_argument(host, index, "hash", "a string, a number or a boolean");
    }
}

/* hash(...) returns a number in [0, 1) that is equal for equal arguments on every machine. */
static int env_hash(lua_State *L) {
    struct lua_host *host = host_of(L);
    int n = host->api.gettop(L);
    uint64_t h = hash_mix(0, (uint64_t)n);
    host_charge(host, (uint64_t)n);
    for (int i = 1; i <= n; i++) h = hash_mix(h, hash_of(host, i));
    return push_number(host, (double)(h >> 11) * 0x1p-53);
}

/* ---- strings ---- */

static int env_starts_with(lua_State *L) {
    struct lua_host *host = host_of(L);
    size_t n, m;
    const char *s = string_at(host, 1, "string.starts_with", &n),
               *p = string_at(host, 2, "string.starts_with", &m);
    host->api.pushboolean(L, m <= n && memcmp(s, p, m) == 0);
    return 1;
}

static int env_ends_with(lua_State *L) {
    struct lua_host *host = host_of(L);
    size_t n, m;
    const char *s = string_at(host, 1, "string.ends_with", &n),
               *p = string_at(host, 2, "string.ends_with", &m);
    host->api.pushboolean(L, m <= n && memcmp(s + n - m, p, m) == 0);
    return 1;
}

static int env_contains(lua_State *L) {
    struct lua_host *host = host_of(L);
    size_t n, m;
    const char *s = string_at(host, 1, "string.contains", &n),
               *p = string_at(host, 2, "string.contains", &m);
    int found = m == 0;
    host_charge(host, n * m / 64);
    for (size_t i = 0; !found && m <= n && i <= n - m; i++) found = memcmp(s + i, p, m) == 0;
    host->api.pushboolean(L, found);
    return 1;
}

const char *push_shown(struct lua_host *host, int index, size_t *len) {
    const struct luajit_api *api = &host->api;
    lua_State *L = host->L;
    const char *text;
    switch (api->type(L, index)) {
    case LUA_TSTRING: api->pushvalue(L, index); return api->tolstring(L, -1, len);
    case LUA_TNUMBER: {
        double x = api->tonumber(L, index);
        if (x == x) {
            api->pushnumber(L, x + 0.0); /* a negative zero is shown as 0 */
            return api->tolstring(L, -1, len);
        }
        text = "nan"; /* LuaJIT would also show the sign of NaN, which depends on the machine */
        break;
    }
    case LUA_TBOOLEAN: text = api->toboolean(L, index) ? "true" : "false"; break;
    default: text = api->typename(L, api->type(L, index));
    }
    api->pushlstring(L, text, strlen(text));
    return api->tolstring(L, -1, len);
}

static int env_tostring(lua_State *L) {
    struct lua_host *host = host_of(L);
    size_t len;
    if (host->api.type(L, 1) == LUA_TNONE) refuse_argument(host, 1, "tostring", "a value");
    push_shown(host, 1, &len);
    return 1;
}

/* Joins a Lua list of strings to one string; the list can have any length. Used by the prelude. */
static int env_join(lua_State *L) {
    const struct luajit_api *api = &host_of(L)->api;
    size_t n = api->objlen(L, 1), total = 0, len;
    for (size_t i = 1; i <= n; i++) {
        api->rawgeti(L, 1, (int)i);
        api->tolstring(L, -1, &len);
        total += len;
        api->settop(L, 1);
    }
    char *out = api->newuserdata(L, total ? total : 1);
    size_t at = 0;
    for (size_t i = 1; i <= n; i++) {
        api->rawgeti(L, 1, (int)i);
        const char *piece = api->tolstring(L, -1, &len);
        memcpy(out + at, piece, len);
        at += len;
        api->settop(L, 2);
    }
    api->pushlstring(L, out, total);
    return 1;
}

/* ---- format ---- */

struct formatting {
    struct lua_host *host;
    size_t n;
    char out[HOST_STRING_BYTES_MAX];
};

static void format_put(struct formatting *f, const char *text, size_t len) {
    if (len > sizeof f->out - f->n) {
        fault_set(&f->host->fault, LSCHED_E_POLICY,
                  "string.format: the result is longer than %u bytes",
                  (unsigned)HOST_STRING_BYTES_MAX);
        host_throw(f->host);
    }
    memcpy(f->out + f->n, text, len);
    f->n += len;
}

struct format_spec {
    /* `places`: digits after the decimal point, or -1 if the format does not give them */
    int left, zeros, width, places;
    char letter;
};

static void format_padded(struct formatting *f, const struct format_spec *spec, const char *text,
                          size_t len) {
    size_t width = (size_t)spec->width, pad = width > len ? width - len : 0;
    int sign = spec->zeros && len && text[0] == '-';
    if (sign) format_put(f, text++, 1), len--;
    for (; !spec->left && pad; pad--) format_put(f, spec->zeros ? "0" : " ", 1);
    format_put(f, text, len);
    for (; pad; pad--) format_put(f, " ", 1);
}

/* Returns |x| * 10^places, rounded half to even. The result is exact, because the 53 bits of x
 * times 10^9 fit in 128 bits. |x| must be below 2^63. */
static wide_u128 scaled(double x, int places) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7FF);
    wide_u128 m = bits & 0x000FFFFFFFFFFFFFu;
    if (exponent) m |= (uint64_t)1 << 52;
    int shift = (exponent ? exponent : 1) - 1075;
    for (int i = 0; i < places; i++) m *= 10;
    if (shift >= 0) return m << shift;
    if (shift <= -120) return 0;
    wide_u128 whole = m >> -shift, rest = m - (whole << -shift),
              half = (wide_u128)1 << (-shift - 1);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

/* Writes the digits of `value` so that they end before `end`. Writes at least `least` digits.
 * Returns the address of the first digit. */
static char *put_digits(char *end, wide_u128 value, unsigned base, int least) {
    while (value || least > 0) {
        *--end = "0123456789abcdef"[(unsigned)(value % base)];
        value /= base;
        least--;
    }
    return end;
}

static void format_number(struct formatting *f, const struct format_spec *spec, int index) {
    double x = number_at(f->host, index, "string.format"), size = x < 0 ? -x : x;
    char buf[64], *end = buf + sizeof buf, *p;
    int is_whole = size < 0x1p63 && (double)(uint64_t)size == size;
    int places = spec->letter != 'f' ? 0 : spec->places < 0 ? 6 : spec->places;
    if (spec->letter != 'f' && (!is_whole || (spec->letter == 'x' && x < 0)))
        refuse_argument(f->host, index, "string.format",
                        spec->letter == 'x' ? "a whole number from 0" : "a whole number");
    if (!(size < 0x1p63)) { /* too large, infinite or NaN */
        size_t len;
        const char *text = push_shown(f->host, index, &len);
        format_padded(f, spec, text, len);
        return;
    }
    wide_u128 value = scaled(size, places);
    int is_negative = x < 0 && value != 0;
    p = end;
    if (places) {
        wide_u128 unit = 1;
        for (int i = 0; i < places; i++) unit *= 10;
        p = put_digits(p, value % unit, 10, places);
        *--p = '.';
        value /= unit;
    }
    p = put_digits(p, value, spec->letter == 'x' ? 16 : 10, 1);
    if (is_negative) *--p = '-';
    format_padded(f, spec, p, (size_t)(end - p));
}

static void format_one(struct formatting *f, const struct format_spec *spec, int index) {
    size_t len;
    const char *text;
    switch (spec->letter) {
    case 'd':
    case 'x':
    case 'f': format_number(f, spec, index); return;
    case 's':
    case 'g':
        if (spec->letter == 'g') number_at(f->host, index, "string.format");
        if (f->host->api.type(f->host->L, index) == LUA_TNONE)
            refuse_argument(f->host, index, "string.format", "given");
        text = push_shown(f->host, index, &len);
        if (spec->places >= 0 && (size_t)spec->places < len && spec->letter == 's')
            len = (size_t)spec->places;
        format_padded(f, spec, text, len);
        return;
    default:
        fault_set(&f->host->fault, LSCHED_E_POLICY,
                  "string.format: '%%%c' is not one of %%d %%s %%f %%g %%x %%%%",
                  spec->letter >= ' ' && spec->letter < 127 ? spec->letter : '?');
        host_throw(f->host);
    }
}

static int small_number(const char **p, const char *end) {
    int n = 0;
    while (*p < end && **p >= '0' && **p <= '9' && n < 100) n = n * 10 + (*(*p)++ - '0');
    return n;
}

/* Reads one format after its '%': flags, width, places, letter. *p moves behind the letter. */
static struct format_spec format_parse(struct lua_host *host, const char **p, const char *end) {
    struct format_spec spec = {0, 0, 0, -1, 0};
    for (; *p < end && (**p == '-' || **p == '0'); (*p)++) {
        if (**p == '-') spec.left = 1;
        if (**p == '0') spec.zeros = 1;
    }
    spec.width = small_number(p, end);
    if (*p < end && **p == '.') {
        (*p)++;
        spec.places = small_number(p, end);
    }
    spec.letter = *p < end ? *(*p)++ : '\0';
    if (spec.left || spec.letter == 's') spec.zeros = 0;
    if (spec.width > 99 || (spec.letter == 'f' && spec.places > 9))
        host_refuse(host, LSCHED_E_POLICY,
                    "string.format: the width is at most 99 and the precision at most 9");
    return spec;
}

static int env_format(lua_State *L) {
    struct lua_host *host = host_of(L);
    struct formatting f = {.host = host};
    size_t len;
    const char *p = string_at(host, 1, "string.format", &len), *end = p + len;
    int index = 1, n_args = host->api.gettop(L);
    host_charge(host, 20);
    while (p < end) {
        if (*p != '%') {
            format_put(&f, p++, 1);
        } else if (p + 1 < end && p[1] == '%') {
            format_put(&f, p, 1);
            p += 2;
        } else {
            p++;
            struct format_spec spec = format_parse(host, &p, end);
            format_one(&f, &spec, ++index);
            host->api.settop(L, n_args);
        }
    }
    host->api.pushlstring(L, f.out, f.n);
    return 1;
}

/* ---- sorted keys ---- */

struct key {
    double number;
    const char *text; /* NULL: the key is a number */
    size_t len;
};

static int key_is_less(const struct key *a, const struct key *b) {
    if (!a->text || !b->text) return !a->text && (b->text || a->number < b->number);
    size_t common = a->len < b->len ? a->len : b->len;
    int order = memcmp(a->text, b->text, common);
    return order ? order < 0 : a->len < b->len;
}

/* Two keys of one table are never equal. */
#define KEY_BEFORE(of, a, b) key_is_less(&(a), &(b))
SORT_IN_PLACE(sort_keys, struct key, const void *, KEY_BEFORE)

static size_t count_keys(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    size_t n = 0;
    /* Lua type of a key that is neither number nor string; of several types the one with the
     * smallest number, because a Lua table has no order */
    int other = 0;
    api->pushnil(host->L);
    for (; api->next(host->L, 1); api->settop(host->L, -2), n++) {
        int type = api->type(host->L, -2);
        if (type != LUA_TNUMBER && type != LUA_TSTRING && (!other || type < other)) other = type;
    }
    if (!other) return n;
    host_refuse(host, LSCHED_E_POLICY,
                "pairs: a key is a %s; only numbers and strings have an order",
                api->typename(host->L, other));
}

/* Returns the keys of a table as a sorted list. The charge depends only on the number of keys. A
 * count of comparisons would differ between processes, because they list a table's keys in
 * different orders. */
static int env_sorted_keys(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    size_t n = count_keys(host), i = 0, log = 1;
    while (((size_t)1 << log) < n) log++;
    host_charge(host, n * (log + 4));
    struct key *keys = api->newuserdata(L, (n ? n : 1) * sizeof *keys);
    api->pushnil(L);
    for (; api->next(L, 1) && i < n; i++) {
        keys[i] = (struct key){0};
        if (api->type(L, -2) == LUA_TNUMBER)
            keys[i].number = api->tonumber(L, -2);
        else
            keys[i].text = api->tolstring(L, -2, &keys[i].len);
        api->settop(L, -2);
    }
    sort_keys(NULL, keys, n);
    api->createtable(L, (int)n, 0);
    for (i = 0; i < n; i++) {
        if (keys[i].text)
            api->pushlstring(L, keys[i].text, keys[i].len);
        else
            api->pushnumber(L, keys[i].number);
        api->rawseti(L, -2, (int)i + 1);
    }
    return 1;
}

/* Argument (instructions). For the loops of the prelude and of the library, whose texts have no
 * meter. */
static int env_charge(lua_State *L) {
    struct lua_host *host = host_of(L);
    host_charge(host, (uint64_t)host->api.tonumber(L, 1));
    return 0;
}

#if defined(LSCHED_LUA_PUC)

static double any_number_at(struct lua_host *host, int index, const char *function) {
    if (host->api.isnumber(host->L, index)) return host->api.tonumber(host->L, index);
    int is_absent = index > host->api.gettop(host->L);
    host_refuse(host, LSCHED_E_POLICY, "bad argument #%d to '%s' (number expected, got %s)", index,
                function,
                is_absent ? "no value"
                          : host->api.typename(host->L, host->api.type(host->L, index)));
}

/* math.min and math.max as LuaJIT computes them: of two numbers that are not in an order, which are
 * equal or NaN, the second one counts. PUC Lua gives the first one. */
static int env_min(lua_State *L) {
    struct lua_host *host = host_of(L);
    double least = any_number_at(host, 1, "min");
    for (int i = 2; i <= host->api.gettop(L); i++) {
        double x = any_number_at(host, i, "min");
        least = least < x ? least : x;
    }
    host->api.pushnumber(L, least);
    return 1;
}

static int env_max(lua_State *L) {
    struct lua_host *host = host_of(L);
    double most = any_number_at(host, 1, "max");
    for (int i = 2; i <= host->api.gettop(L); i++) {
        double x = any_number_at(host, i, "max");
        most = most > x ? most : x;
    }
    host->api.pushnumber(L, most);
    return 1;
}

/* assert as in LuaJIT: the second argument can be any value. */
static int env_assert(lua_State *L) {
    struct lua_host *host = host_of(L);
    int n = host->api.gettop(L);
    if (n == 0) host_refuse(host, LSCHED_E_POLICY, "bad argument #1 to 'assert' (value expected)");
    if (host->api.toboolean(L, 1)) return n;
    if (n == 1 || host->api.type(L, 2) == LUA_TNIL)
        host_refuse(host, LSCHED_E_POLICY, "assertion failed!");
    host->api.settop(L, 2);
    return host->api.error(L);
}

#endif

const struct env_function env_functions[] = {
#if defined(LSCHED_LUA_PUC)
    {"min", env_min},
    {"max", env_max},
    {"assert", env_assert},
#endif
    {"charge", env_charge},
    {"exp", env_exp},
    {"log", env_log},
    {"pow", env_pow},
    {"hash", env_hash},
    {"starts_with", env_starts_with},
    {"ends_with", env_ends_with},
    {"contains", env_contains},
    {"tostring", env_tostring},
    {"join", env_join},
    {"format", env_format},
    {"sorted_keys", env_sorted_keys},
    {NULL, NULL},
};
