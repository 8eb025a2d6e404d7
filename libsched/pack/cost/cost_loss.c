/*
 * cost_loss.c -- expected overload of a soft resource: s x L((K - m) / s) for a normal load of mean
 * m and deviation s on a capacity K, with L(u) = E[(N - u)+] of a standard normal N.
 *
 * All arithmetic is in integers: the square root has 32 significant bits, u is in units of 2^-16,
 * and L comes from a table in units of 2^-32 with linear interpolation. For negative arguments L(u)
 * = L(-u) - u, so the table needs only u >= 0. For u >= 6, L(u) counts as 0. Cost: one root and one
 * 128-bit division, about 40 ns. The function erfc is not used because its last bit differs between
 * machines.
 */
#include "pack/cost/cost.h"

enum { LOSS_STEP_BITS = 6, LOSS_SIGMAS = 6, U_BITS = 16 };

/* L(i / 64) x 2^32, rounded up. */
static const uint32_t loss[(LOSS_SIGMAS << LOSS_STEP_BITS) + 1] = {
    1713444048, 1680098772, 1647171758, 1614662853, 1582571801, 1550898246, 1519641729, 1488801691,
    1458377471, 1428368308, 1398773343, 1369591615, 1340822067, 1312463543, 1284514791, 1256974463,
    1229841115, 1203113210, 1176789118, 1150867118, 1125345398, 1100222057, 1075495105, 1051162469,
    1027221987, 1003671417, 980508434,  957730631,  935335525,  913320556,  891683088,  870420411,
    849529746,  829008242,  808852983,  789060985,  769629201,  750554523,  731833783,  713463756,
    695441160,  677762662,  660424876,  643424368,  626757656,  610421214,  594411473,  578724825,
    563357623,  548306184,  533566790,  519135694,  505009119,  491183259,  477654284,  464418344,
    451471564,  438810052,  426429902,  414327192,  402497986,  390938341,  379644304,  368611919,
    357837222,  347316250,  337045038,  327019625,  317236053,  307690368,  298378627,  289296892,
    280441239,  271807756,  263392545,  255191725,  247201432,  239417820,  231837066,  224455367,
    217268945,  210274048,  203466946,  196843942,  190401363,  184135570,  178042953,  172119934,
    166362970,  160768551,  155333203,  150053487,  144926004,  139947390,  135114322,  130423513,
    125871721,  121455742,  117172412,  113018613,  108991267,  105087338,  101303836,  97637813,
    94086366,   90646637,   87315810,   84091118,   80969835,   77949285,   75026833,   72199891,
    69465918,   66822417,   64266938,   61797074,   59410466,   57104798,   54877802,   52727252,
    50650969,   48646817,   46712705,   44846587,   43046459,   41310361,   39636376,   38022629,
    36467291,   34968569,   33524715,   32134023,   30794825,   29505494,   28264443,   27070123,
    25921026,   24815680,   23752650,   22730540,   21747990,   20803675,   19896305,   19024627,
    18187419,   17383496,   16611703,   15870919,   15160055,   14478053,   13823884,   13196552,
    12595089,   12018554,   11466037,   10936655,   10429551,   9943895,    9478884,    9033738,
    8607704,    8200052,    7810075,    7437090,    7080436,    6739474,    6413587,    6102178,
    5804669,    5520504,    5249145,    4990073,    4742787,    4506804,    4281658,    4066899,
    3862094,    3666825,    3480691,    3303304,    3134291,    2973292,    2819964,    2673972,
    2534998,    2402733,    2276883,    2157164,    2043301,    1935035,    1832112,    1734291,
    1641341,    1553038,    1469170,    1389532,    1313928,    1242169,    1174076,    1109476,
    1048204,    990102,     935018,     882807,     833331,     786457,     742058,     700014,
    660209,     622531,     586876,     553143,     521234,     491060,     462531,     435564,
    410080,     386003,     363259,     341781,     321502,     302360,     284296,     267252,
    251174,     236012,     221716,     208241,     195541,     183575,     172304,     161689,
    151694,     142286,     133431,     125100,     117264,     109893,     102964,     96449,
    90327,      84575,      79172,      74097,      69332,      64859,      60661,      56722,
    53027,      49562,      46313,      43267,      40413,      37738,      35233,      32886,
    30689,      28632,      26708,      24907,      23222,      21646,      20173,      18796,
    17509,      16306,      15182,      14133,      13154,      12239,      11386,      10589,
    9846,       9153,       8507,       7905,       7344,       6821,       6334,       5880,
    5458,       5065,       4699,       4358,       4042,       3747,       3473,       3219,
    2982,       2762,       2558,       2368,       2192,       2029,       1877,       1737,
    1606,       1485,       1373,       1269,       1172,       1083,       1000,       923,
    852,        787,        726,        670,        618,        570,        525,        484,
    446,        411,        379,        349,        321,        295,        272,        250,
    230,        212,        195,        179,        164,        151,        139,        128,
    117,        108,        99,         91,         83,         76,         70,         64,
    59,         54,         49,         45,         42,         38,         35,         32,
    29,         27,         25,         22,         21,         19,         17,         16,
    14,         13,         12,         11,         10,         9,          9,          8,
    7,          7,          6,          6,          5,          5,          4,          4,
    4,          3,          3,          3,          3,          2,          2,          2,
    2,          2,          2,          2,          1,          1,          1,          1,
    1,
};

/* Floor of the square root of x >= 2^62, by Newton's method from above in about 5 steps. */
static uint64_t cost_loss_root_of(uint64_t x) {
    uint64_t r = UINT32_MAX;
    for (;;) {
        uint64_t next = (r + x / r) / 2;
        if (next >= r) return r;
        r = next;
    }
}

uint64_t pack_overload(int64_t mean, uint64_t var, int32_t capacity) {
    int64_t over = mean - capacity;
    uint64_t certain = over > 0 ? (uint64_t)over << PACK_OVERLOAD_BITS : 0;
    if (var == 0) return certain;
    unsigned shift = (unsigned)__builtin_clzll(var) & ~1u;
    /* the deviation s x 2^(shift / 2), in [2^31, 2^32) */
    uint64_t root = cost_loss_root_of(var << shift);
    uint64_t distance = (uint64_t)(over < 0 ? -over : over);
    wide_u128 u = (wide_u128)distance << (U_BITS + shift / 2);
    if (u >= (wide_u128)root * (LOSS_SIGMAS << U_BITS)) return certain;
    uint32_t at = (uint32_t)(u / root);
    uint32_t step = at >> (U_BITS - LOSS_STEP_BITS);
    uint32_t part = at & ((1u << (U_BITS - LOSS_STEP_BITS)) - 1);
    uint64_t fall = (uint64_t)(loss[step] - loss[step + 1]) * part >> (U_BITS - LOSS_STEP_BITS);
    return certain + ((root * (loss[step] - fall)) >> (32 - PACK_OVERLOAD_BITS + shift / 2));
}

int pack_soft_fits(int64_t mean, uint64_t var, int32_t capacity, uint32_t z_milli) {
    if (capacity == 0) return mean == 0 && var == 0;
    if (z_milli == 0) return 1;
    if (mean > capacity || var == UINT64_MAX) return 0;
    uint64_t room = (uint64_t)(capacity - mean);
    /* compare z^2 x variance with room^2; both sides are multiplied by 10^6, because z is in
     * thousandths */
    return (wide_u128)var * z_milli * z_milli <= (wide_u128)room * room * 1000000u;
}

int64_t pack_overload_price(wide_u128 area, int32_t capacity, int64_t price) {
    if (area == 0 || price == 0 || capacity <= 0) return 0;
    /* Overload in millionths of the capacity x hours, rounded up. */
    wide_u128 one =
        (wide_u128)((uint64_t)capacity << PACK_OVERLOAD_BITS) * (PACK_HOUR_US / 1000000);
    wide_u128 millionths = area / one + (area % one != 0);
    if (millionths > UINT64_MAX) return PACK_PRICE_MAX;
    wide_u128 micro = (millionths * (uint64_t)price + 999999) / 1000000;
    return micro < (wide_u128)PACK_PRICE_MAX ? (int64_t)micro : PACK_PRICE_MAX;
}
