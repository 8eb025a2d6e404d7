/*
 * cmd_editor.c -- the command `lsched editor`, which prints the files that tell editors and
 * luacheck the words of policies. The files are part of the program, therefore they fit the
 * version that will load the policy.
 */
#include <stdio.h>
#include <string.h>

#include "cli/support/command.h"
#include "embedded_text.h"

extern const struct embedded_text embedded_editor_files[];

struct editor_args {
    bool luacheck;
};

static int editor(const void *argument, char *const *positionals, size_t n_positionals) {
    const struct editor_args *args = argument;
    const char *wanted = args->luacheck ? "luacheck_std" : "lsched";
    (void)positionals;
    (void)n_positionals;
    for (const struct embedded_text *file = embedded_editor_files; file->name != NULL; file++) {
        if (strcmp(file->name, wanted) == 0) fwrite(file->text, 1, file->len, stdout);
    }
    return EXIT_OK;
}

static const struct option options[] = {
    {"luacheck", NULL, "a configuration of luacheck instead, for policies and their tests",
     offsetof(struct editor_args, luacheck), OPTION_FLAG},
};

const struct command command_editor = {
    .name = "editor",
    .arguments = "",
    .summary = "print what makes an editor complete job. and node.",
    .about = "Prints annotations for the Lua language server (LuaLS): fields, hooks and functions "
             "of policies with their types. docs/policy-language.md says how to set up VS Code and "
             "Neovim.",
    .examples = "  lsched editor > lsched.lua\n"
                "  lsched editor --luacheck > .luacheckrc && luacheck mine.lua mine_test.lua",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .run = editor,
};
_Static_assert(sizeof(struct editor_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
