/** The scripts that shells load. Each hands the words to `ph __complete` and quotes what comes back: names are written by other people. */

const bash = String.raw`# ph completion for bash: source <(ph completion bash)
_ph_complete() {
  local IFS=$'\n' line text cur=${'$'}{COMP_WORDS[COMP_CWORD]} before=''
  local -a words=("${'$'}{COMP_WORDS[@]:1:COMP_CWORD-1}")
  COMPREPLY=()
  # bash splits --flag=value at the sign; it is one word for ph.
  if [[ $cur == '=' ]]; then cur=''; before="${'$'}{words[-1]}="; unset 'words[-1]'
  elif ((${'$'}{#words[@]} > 1)) && [[ ${'$'}{words[-1]} == '=' ]]; then unset 'words[-1]'; before="${'$'}{words[-1]}="; unset 'words[-1]'
  fi
  [[ $cur == [\'\"]* ]] && cur=${'$'}{cur:1}
  cur=${'$'}{cur//\\/}
  while read -r line; do
    if [[ $line == ':files' ]]; then compopt -o default 2>/dev/null; continue; fi
    text=${'$'}{line%%$'\t'*}
    text=${'$'}{text#"$before"}
    COMPREPLY+=("$(printf '%q' "$text")")
  done < <(ph __complete -- "${'$'}{words[@]}" "$before$cur" 2>/dev/null)
}
complete -F _ph_complete ph
`

const zsh = String.raw`#compdef ph
# ph completion for zsh: source <(ph completion zsh), after compinit
_ph() {
  local line text cur=${'$'}{(Q)words[CURRENT]}
  local -a texts shown given
  local files=0
  given=("${'$'}{(Q@)words[2,CURRENT-1]}")
  while IFS= read -r line; do
    if [[ $line == ':files' ]]; then files=1; continue; fi
    text=${'$'}{line%%$'\t'*}
    texts+=("$text")
    if [[ $line == *$'\t'* ]]; then shown+=("$text  -- ${'$'}{line#*$'\t'}"); else shown+=("$text"); fi
  done < <(ph __complete -- "${'$'}{given[@]}" "$cur" 2>/dev/null)
  (( $#texts )) && compadd -M 'm:{a-z}={A-Z}' -l -d shown -a -- texts
  (( files )) && _files
  (( $#texts + files ))
}
compdef _ph ph
`

const fish = String.raw`# ph completion for fish: ph completion fish | source
function __ph_complete
    set -l given (commandline -opc)
    set -l cur (commandline -ct)
    set -e given[1]
    for line in (ph __complete -- $given "$cur" 2>/dev/null)
        if test "$line" = ':files'
            __fish_complete_path "$cur"
        else
            printf '%s\n' $line
        end
    end
end
complete -c ph -f -a '(__ph_complete)'
`

const powershell = String.raw`# ph completion for PowerShell: ph completion powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName ph -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $given = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or $wordToComplete -eq '' } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    $current = $wordToComplete.Trim("'", '"')
    # An empty word would get lost on its way to a program before PowerShell 7.3.
    $asked = if ($current -eq '') { '--ph-nothing-yet' } else { $current }
    & ph __complete -- @given $asked 2>$null | ForEach-Object {
        if ($_ -eq ':files') {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($wordToComplete)
        } else {
            $text, $meaning = $_ -split "${'`'}t", 2
            if (-not $meaning) { $meaning = $text }
            $quoted = if ($text -match '^[\w./@:+=-]+$') { $text } else { "'" + $text.Replace("'", "''") + "'" }
            [System.Management.Automation.CompletionResult]::new($quoted, $text, 'ParameterValue', $meaning)
        }
    }
}
`

export const scripts = { bash, zsh, fish, powershell }
