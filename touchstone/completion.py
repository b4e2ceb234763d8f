"""Scripts that complete commands and options in a shell.

Names of commands are in the script. Options come from Django's own completion, which needs a second.
"""

from touchstone.command_list import commands
from touchstone.program import INSTALLED

_ASK = "DJANGO_AUTO_COMPLETE=1 touchstone 2>/dev/null"

_BASH = f"""\
_touchstone() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=( $(compgen -W "COMMANDS" -- "$word") )
    elif [ "${{COMP_WORDS[1]}}" = help ]; then
        COMPREPLY=( $(compgen -W "COMMANDS" -- "$word") )
    elif [ "${{word#-}}" != "$word" ]; then
        COMPREPLY=( $(COMP_WORDS="${{COMP_WORDS[*]}}" COMP_CWORD=$COMP_CWORD {_ASK}) )
        [[ "${{COMPREPLY[0]}}" != *= ]] || compopt -o nospace
    fi
}}
complete -o default -F _touchstone touchstone
"""

_ZSH = f"""\
#compdef touchstone
_touchstone() {{
    local -a commands options
    commands=(
COMMANDS
    )
    if (( CURRENT == 2 )) || [[ ${{words[2]}} == help ]]; then
        _describe -t commands 'command' commands
    elif [[ ${{words[CURRENT]}} == -* ]]; then
        options=(${{(f)"$(COMP_WORDS="${{words[*]}}" COMP_CWORD=$((CURRENT - 1)) {_ASK})"}})
        compadd -S '' -- $options
    else
        _files
    fi
}}
compdef _touchstone touchstone
"""


def bash() -> str:
    return _BASH.replace("COMMANDS", " ".join(sorted(_names())))


def zsh() -> str:
    rows = [f"        '{name}:{_quoted(text)}'" for name, text in sorted(_names().items())]
    return _ZSH.replace("COMMANDS", "\n".join(rows))


SHELLS = {"bash": bash, "zsh": zsh}


def _names() -> dict[str, str]:
    return {
        **commands(),
        "completion": "Print a script that completes commands in bash or zsh",
        "help": f"Describe a command of {INSTALLED}",
    }


def _quoted(text: str) -> str:
    return text.replace("'", "'\\''").replace(":", "\\:")
