/*
 * cmd_editor.c -- the command `lsched editor`, which prints files for editors and luacheck that
 * describe the keys and fields of policies. The files are embedded in the program. Therefore they
 * describe the version of the library that the program uses.
 */
#include <stdio.h>
#include <string.h>

#include "cli/support/command.h"
#include "embedded_text.h"

extern const struct embedded_text embedded_editor_files[];

struct editor_args {
    bool luacheck;
};

static int editor(const void *argument, const struct parsed *words) {
    const struct editor_args *args = argument;
    const char *wanted = args->luacheck ? "luacheck_std" : "lsched";
    (void)words;
    for (const struct embedded_text *file = embedded_editor_files; file->name != NULL; file++) {
        if (strcmp(file->name, wanted) == 0) fwrite(file->text, 1, file->len, stdout);
    }
    return EXIT_OK;
}

#define ARGS struct editor_args
static const struct option options[] = {
    FLAG(ALL, "luacheck", luacheck,
         "a configuration of luacheck instead, for policies and their tests"),
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
    COMMAND_OPTIONS(options, ARGS),
    .run = editor,
};
