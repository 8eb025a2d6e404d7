/* lua_charge.c -- see lua_charge.h. */
#include "lua/front/lua_charge.h"

#include <string.h>

/* Charges of a call. A function that is not known to be one of the policy text is possibly one of
 * the library, which is not charged by its own text. */
enum { CALL_OF_TEXT = 2, CALL_OF_LIBRARY = 8 };
/* A branch of at most so many instructions is charged with the piece around it, whether it runs or
 * not: to charge it by itself would cost more than to run it. */
enum { BRANCH_WITH_PIECE = 12 };
/* A bit in the charge of a block while branches are joined. A text has fewer nodes than 2^27, so
 * that no charge has this bit. */
#define STAYS_APART (UINT32_C(1) << 31)

/* The instructions of a node without its children, except for calls and names. A local variable or
 * a constant is an operand, which costs nothing by itself. */
static const uint8_t weights[] = {
    [PARSE_LOCAL] = 1,  [PARSE_ASSIGN] = 1,      [PARSE_IF] = 1,      [PARSE_WHILE] = 1,
    [PARSE_REPEAT] = 1, [PARSE_FOR_NUMERIC] = 1, [PARSE_FOR_IN] = 1,  [PARSE_RETURN] = 1,
    [PARSE_BREAK] = 1,  [PARSE_GOTO] = 1,        [PARSE_DOTS] = 1,    [PARSE_FUNCTION] = 1,
    [PARSE_INDEX] = 1,  [PARSE_UNARY] = 1,       [PARSE_BINARY] = 1,  [PARSE_TABLE] = 1,
    [PARSE_ITEM] = 1,   [PARSE_ITEM_WORD] = 1,   [PARSE_ITEM_KEY] = 1};

static uint32_t weight_of(const struct parse_tree *tree, uint32_t node) {
    const struct parse_node *n = tree_at(tree, node);
    switch (n->kind) {
    case PARSE_CALL:
        return tree_known_function(tree, n->first) == PARSE_NONE ? CALL_OF_LIBRARY : CALL_OF_TEXT;
    case PARSE_METHOD_CALL: return CALL_OF_LIBRARY;
    case PARSE_NAME: /* a local of another function, or a global, has to be fetched */
        return n->ref == PARSE_NONE || tree_at(tree, n->ref)->function != n->function;
    default: return weights[n->kind];
    }
}

/* A block of `do` runs exactly when the block around it runs. */
static int is_piece(const struct parse_tree *tree, uint32_t node) {
    return tree_at(tree, node)->kind == PARSE_BLOCK &&
           tree_at(tree, tree_at(tree, node)->parent)->kind != PARSE_DO;
}

/* Returns the BLOCK to which a node is charged. The owner of its parent is known. */
static uint32_t piece_around(const struct parse_tree *tree, const uint32_t *owners, uint32_t node) {
    uint32_t parent = tree_at(tree, node)->parent;
    const struct parse_node *p = tree_at(tree, parent);
    if (is_piece(tree, parent)) return parent;
    if (p->kind == PARSE_WHILE && p->first == node) return tree_at(tree, node)->next;
    if (p->kind == PARSE_REPEAT && p->first != node) return p->first;
    return owners[parent];
}

static int is_label(const struct parse_tree *tree, uint32_t node, const char *word, uint32_t len) {
    uint32_t n;
    if (tree_at(tree, node)->kind != PARSE_LABEL) return 0;
    const char *p = tree_word(tree, tree_at(tree, node)->first, &n);
    return p && n == len && memcmp(p, word, len) == 0;
}

/* Returns the charge of a GOTO that jumps back, or 0 if it jumps forward: then it skips text that
 * is charged already. */
static uint32_t charge_of_jump(const struct parse_tree *tree, const uint32_t *charges,
                               const uint32_t *owners, uint32_t jump) {
    uint32_t len = 0, at = tree_at(tree, jump)->at;
    const char *word = tree_word(tree, tree_at(tree, jump)->first, &len);
    for (uint32_t node = jump; word && tree_at(tree, node)->kind != PARSE_FUNCTION && node != 0;
         node = tree_at(tree, node)->parent) {
        if (tree_at(tree, node)->kind != PARSE_BLOCK) continue;
        uint32_t child = tree_at(tree, node)->first;
        while (child != PARSE_NONE && !is_label(tree, child, word, len))
            child = tree_at(tree, child)->next;
        if (child == PARSE_NONE) continue;
        if (tree_at(tree, child)->at > at) return 0;
        return charges[owners[child]] + 1;
    }
    return 1; /* no such label: Lua refuses the text */
}

static int is_branch(const struct parse_tree *tree, uint32_t node) {
    return tree_at(tree, node)->kind == PARSE_BLOCK &&
           tree_at(tree, tree_at(tree, node)->parent)->kind == PARSE_IF;
}

/* A condition of `while` runs once more than the body, which pays for it. So the piece around the
 * loop pays for it, too: the body may never run. */
static void charge_conditions(const struct parse_tree *tree, uint32_t *charges,
                              const uint32_t *owners) {
    for (uint32_t loop = 0; loop < tree->n; loop++) {
        if (tree_at(tree, loop)->kind != PARSE_WHILE) continue;
        uint32_t condition = tree_at(tree, loop)->first, body = tree_at(tree, condition)->next;
        for (uint32_t n = condition; n != PARSE_NONE; n = tree_step(tree, condition, n))
            if (owners[n] == body) charges[owners[loop]] += weight_of(tree, n);
    }
}

/* The parser makes the node of a block before those of the blocks and labels in it. So a loop that
 * runs backwards has joined the inner branches when it comes to the outer one. A branch with a
 * label stays apart: a jump back to the label is charged what the branch is charged. */
static void join_small_branches(const struct parse_tree *tree, uint32_t *charges,
                                const uint32_t *owners) {
    for (uint32_t node = tree->n; node-- > 0;) {
        if (tree_at(tree, node)->kind == PARSE_LABEL) charges[owners[node]] |= STAYS_APART;
        int apart = (charges[node] & STAYS_APART) != 0;
        charges[node] &= ~STAYS_APART;
        if (apart || !is_branch(tree, node) || charges[node] > BRANCH_WITH_PIECE) continue;
        charges[owners[tree_at(tree, node)->parent]] += charges[node] - 1;
        charges[node] = 0;
    }
}

void charge_pieces(const struct parse_tree *tree, uint32_t *charges, uint32_t *owners) {
    memset(charges, 0, tree->n * sizeof *charges);
    for (uint32_t node = 0; node != PARSE_NONE; node = tree_step(tree, 0, node)) {
        owners[node] = node == 0 ? tree_at(tree, 0)->first : piece_around(tree, owners, node);
        if (is_piece(tree, node)) charges[node]++;
        charges[owners[node]] += weight_of(tree, node);
    }
    charge_conditions(tree, charges, owners);
    join_small_branches(tree, charges, owners);
    for (uint32_t node = 0; node < tree->n; node++)
        if (tree_at(tree, node)->kind == PARSE_GOTO)
            charges[node] = charge_of_jump(tree, charges, owners, node);
}
