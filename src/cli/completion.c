/* completion.c - `paddle completion bash|zsh|fish`: a script that completes this command's line.
 *
 * The scripts know nothing themselves: they ask `paddle help` for the commands and `paddle COMMAND
 * --help` for options, so that a new command is completed without a word here. */
#include "cli/commands.h"

#include <stdio.h>
#include <string.h>

/* An option is what follows a space or a bracket; "--no-" and "--=" are none. */
#define OPTIONS                                                 \
    "--help 2>/dev/null </dev/null | tr -s ' ,|()[]`' '\\n' | " \
    "sed -n 's/^\\(--[a-z][a-z0-9_-]*[a-z0-9]\\).*/\\1/p' | sort -u"

static const char bash[] =
    "# eval \"$(paddle completion bash)\"\n"
    "_paddle() {\n"
    "    local paddle=${COMP_WORDS[0]} command=${COMP_WORDS[1]} cur=${COMP_WORDS[COMP_CWORD]}\n"
    "    local before=${COMP_WORDS[COMP_CWORD-1]} option= words=\n"
    "    COMPREPLY=()\n"
    "    if [ \"$before\" = = ]; then option=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
    "    if [ \"$cur\" = = ]; then option=$before cur=; fi\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ] || { [ \"$command\" = help ] && [ \"$COMP_CWORD\" -eq 2 ]; "
    "}; then\n"
    "        words=$(\"$paddle\" help 2>/dev/null | sed -n 's/^    \\([a-z][a-z0-9_-]*\\)  "
    "*.*/\\1/p')\n"
    "    elif [ -n \"$option\" ]; then # --job=train|test|...\n"
    "        words=$(\"$paddle\" \"$command\" --help 2>/dev/null </dev/null |\n"
    "            sed -n \"s/^  $option .*: \\([a-z_]*|[a-z_|]*\\) .*/\\1/p\" | tr '|' ' ')\n"
    "    elif [ \"${cur#-}\" != \"$cur\" ]; then\n"
    "        words=$(\"$paddle\" \"$command\" " OPTIONS ")\n"
    "    elif [ \"$command\" = completion ]; then\n"
    "        words='bash zsh fish'\n"
    "    elif [ \"$command\" = ops ]; then\n"
    "        words=$(\"$paddle\" ops 2>/dev/null | sed -n 's/^\\([a-z][a-z0-9_]*\\).*/\\1/p')\n"
    "    fi\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "    if [ ${#COMPREPLY[@]} -eq 0 ] && [ \"${cur#-}\" = \"$cur\" ] && [ \"$COMP_CWORD\" -gt 1 "
    "]; then\n"
    "        compopt -o filenames 2>/dev/null\n"
    "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
    "    fi\n"
    "}\n"
    "complete -F _paddle paddle\n";

static const char zsh[] =
    "#compdef paddle\n"
    "# eval \"$(paddle completion zsh)\"\n"
    "_paddle() {\n"
    "    local -a found\n"
    "    local paddle=$words[1] command=$words[2]\n"
    "    if (( CURRENT == 2 )) || [[ $command == help && CURRENT -eq 3 ]]; then\n"
    "        found=(${(f)\"$($paddle help 2>/dev/null |\n"
    "            sed -n 's/^    \\([a-z][a-z0-9_-]*\\)  *\\(.*\\)/\\1:\\2/p')\"})\n"
    "        _describe command found\n"
    "    elif [[ $words[CURRENT] == -* ]]; then\n"
    "        found=(${(f)\"$($paddle $command " OPTIONS ")\"})\n"
    "        compadd -S '' -- $found\n"
    "    elif [[ $command == completion ]]; then\n"
    "        compadd -- bash zsh fish\n"
    "    elif [[ $command == ops ]]; then\n"
    "        found=(${(f)\"$($paddle ops 2>/dev/null | sed -n "
    "'s/^\\([a-z][a-z0-9_]*\\).*/\\1/p')\"})\n"
    "        compadd -- $found\n"
    "    else\n"
    "        _files\n"
    "    fi\n"
    "}\n"
    "compdef _paddle paddle\n";

static const char fish[] =
    "# paddle completion fish | source\n"
    "function __paddle_options\n"
    "    set -l line (commandline -opc)\n"
    "    $line[1] $line[2] " OPTIONS "\n"
    "end\n"
    "complete -c paddle -n __fish_use_subcommand -f -a \"(paddle help 2>/dev/null | "
    "string replace -rf '^    ([a-z][a-z0-9_-]*) +(.*)' '\\$1\\t\\$2')\"\n"
    "complete -c paddle -n 'not __fish_use_subcommand; "
    "and string match -q -- \"-*\" (commandline -ct)' -f -a '(__paddle_options)'\n"
    "complete -c paddle -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n"
    "complete -c paddle -n '__fish_seen_subcommand_from ops' -f -a "
    "\"(paddle ops 2>/dev/null | string replace -rf '^([a-z][a-z0-9_]*).*' '\\$1')\"\n";

int rg_cli_completion(int argc, char **argv)
{
    static const struct {
        const char *shell, *script;
    } scripts[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; argc == 2 && i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(argv[1], scripts[i].shell) == 0) {
            (void)fputs(scripts[i].script, stdout);
            return 0;
        }
    if (argc == 2 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        (void)printf("usage: paddle completion bash|zsh|fish\n\nPrints a script that has the shell "
                     "complete commands, options and names of ops.\nOnce for a shell, or in its "
                     "start file:\n\n"
                     "    eval \"$(paddle completion bash)\"\n"
                     "    eval \"$(paddle completion zsh)\"\n"
                     "    paddle completion fish | source\n");
        return 0;
    }
    return rg_cli_misused("completion takes the name of a shell: bash, zsh or fish");
}
