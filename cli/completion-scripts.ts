/** Words and options that can follow a command. */
export interface CompletionEntry {
  /** The words of the command after `platform`. */
  path: readonly string[];
  words: readonly { word: string; about: string }[];
  options: readonly { word: string; about: string; values: readonly string[]; takesValue: boolean }[];
}

/** Quotes for bash and zsh. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const pathText = (path: readonly string[]) => path.map((word) => ` ${word}`).join('');
const listOf = (words: readonly string[]) => quoted(words.join(' '));

/** Lines of `case` statements for bash and zsh: known commands, values of options, and what can follow each command. */
function cases(all: readonly CompletionEntry[]) {
  const known = all.filter(({ path }) => path.length > 0).map(({ path }) => quoted(pathText(path)));
  const values = all.flatMap(({ path, options }) =>
    options
      .filter((option) => option.values.length > 0)
      .map((option) => ({ at: quoted(`${pathText(path)}:${option.word}`), list: listOf(option.values) })),
  );
  const free = all.flatMap(({ path, options }) =>
    options
      .filter((option) => option.takesValue && option.values.length === 0)
      .map((option) => quoted(`${pathText(path)}:${option.word}`)),
  );
  const follow = all.map(({ path, words, options }) => ({
    at: quoted(pathText(path)),
    words: listOf(words.map(({ word }) => word)),
    options: listOf(options.map(({ word }) => word)),
  }));
  return { known: known.join('|'), values, free: free.join('|'), follow };
}

function bash(all: readonly CompletionEntry[]): string {
  const { known, values, free, follow } = cases(all);
  return `# bash completion of platform: eval "$(platform completion bash)"
_platform() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command='' words='' options='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
      ${known}) command="$command $word" ;;
    esac
  done
  COMPREPLY=()
  case "$command:$previous" in
${values.map(({ at, list }) => `    ${at}) COMPREPLY=($(compgen -W ${list} -- "$current")); return ;;`).join('\n')}
    ${free}) return ;;
  esac
  case "$command" in
${follow.map((one) => `    ${one.at}) words=${one.words}; options=${one.options} ;;`).join('\n')}
  esac
  case "$current" in
    -*) words="$options" ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _platform platform`;
}

function zsh(all: readonly CompletionEntry[]): string {
  const { known, values, free, follow } = cases(all);
  return `#compdef platform
# zsh completion of platform: eval "$(platform completion zsh)"
_platform() {
  local command='' list='' options='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
      ${known}) command="$command $word" ;;
    esac
  done
  case "$command:\${words[CURRENT-1]}" in
${values.map(({ at, list }) => `    ${at}) list=${list}; compadd -- \${(s: :)list}; return ;;`).join('\n')}
    ${free}) _files; return ;;
  esac
  case "$command" in
${follow.map((one) => `    ${one.at}) list=${one.words}; options=${one.options} ;;`).join('\n')}
  esac
  if [[ "$PREFIX" == -* ]]; then
    compadd -- \${(s: :)options}
  elif [[ -n "$list" ]]; then
    compadd -- \${(s: :)list}
  else
    _files
  fi
}
compdef _platform platform`;
}

/** Quotes for fish, where only these two characters are special inside of single quotes. */
const quotedForFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

function fish(all: readonly CompletionEntry[]): string {
  const known = all.filter(({ path }) => path.length > 0).map(({ path }) => quotedForFish(path.join(' ')));
  const lines = all.flatMap(({ path, words, options }) => {
    const here = `complete -c platform -n "__platform_at ${quotedForFish(path.join(' '))}"`;
    return [
      ...words.map(({ word, about }) => `${here} -f -a ${word} -d ${quotedForFish(about)}`),
      ...options.map(({ word, about, values, takesValue }) => {
        const list = values.length > 0 ? ` -x -a ${quotedForFish(values.join(' '))}` : takesValue ? ' -r' : '';
        return `${here} -l ${word.slice(2)}${list} -d ${quotedForFish(about)}`;
      }),
    ];
  });
  return `# fish completion of platform: platform completion fish | source
function __platform_at
  set -l found
  for word in (commandline -opc)[2..]
    if contains -- (string join -- ' ' $found $word) ${known.join(' ')}
      set -a found $word
    end
  end
  set -l command (string join -- ' ' $found)
  test "$command" = "$argv[1]"
end
${lines.join('\n')}`;
}

export const SCRIPTS = { bash, zsh, fish };
