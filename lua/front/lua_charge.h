/*
 * lua_charge.h -- how many instructions each piece of a policy text is charged.
 *
 * The charge comes from the syntax tree, so it is the same with every Lua that runs the text. A
 * piece is a block together with all that runs once whenever the block runs: nested blocks are
 * pieces of their own. The condition of a loop belongs to the body of the loop. Every function
 * body, loop body and branch is such a block, and a `goto` that jumps back is charged the block of
 * its label. A short branch is charged with the piece around it. Therefore no part of a text can
 * run again without a charge.
 */
#ifndef LSCHED_LUA_CHARGE_H
#define LSCHED_LUA_CHARGE_H

#include "lua/front/lua_tree.h"

/* Fills charges[tree->n] with the charge of each BLOCK and each GOTO, and 0 for other nodes and for
 * what needs no charge of its own. `owners` is memory for tree->n numbers. O(n) for n nodes, except
 * that the label of a GOTO is searched in the blocks around it. */
void charge_pieces(const struct parse_tree *tree, uint32_t *charges, uint32_t *owners);

#endif
