/** A regular expression literal in a source file. */
export interface Literal {
  file: string;
  line: number;
  source: string;
  flags: string;
}

/**
 * After these tokens a slash starts a regular expression; after a name, a closing bracket or a postfix `!` it is a
 * division.
 */
const BEFORE = /(?:[([{,;=:?&|+\-*~<>%^]|(?<![\w)\]])!|=>|\b(?:return|typeof|case|in|of|await|yield|else|do))\s*$/;

/** Finds all regular expression literals of a file. Skips strings, templates and comments. */
export function literalsOf(file: string, code: string): Literal[] {
  const found: Literal[] = [];
  const inTemplate: number[] = [];
  let depth = 0;
  for (let at = 0; at < code.length; at++) {
    const char = code[at]!;
    if (code.startsWith('//', at)) at = endOf(code, '\n', at);
    else if (code.startsWith('/*', at)) at = endOf(code, '*/', at + 2) + 1;
    else if (char === '"' || char === "'") at = endOfQuoted(code, at, char);
    else if (char === '{') depth++;
    else if (char === '}' && inTemplate.at(-1) === depth) {
      inTemplate.pop();
      at = template(at);
    } else if (char === '}') depth--;
    else if (char === '`') at = template(at);
    else if (char === '/' && (BEFORE.test(code.slice(Math.max(0, at - 20), at)) || at === 0)) {
      const end = endOfRegex(code, at);
      const flags = /^[dgimsuvy]*/.exec(code.slice(end + 1))![0];
      found.push({ file, line: code.slice(0, at).split('\n').length, source: code.slice(at + 1, end), flags });
      at = end + flags.length;
    }
  }
  return found;

  /**
   * Skips from a backtick, or from the bracket after an expression in a template, to the end or the next expression.
   */
  function template(from: number): number {
    for (let at = from + 1; at < code.length; at++) {
      if (code[at] === '\\') at++;
      else if (code[at] === '`') return at;
      else if (code.startsWith('${', at)) {
        inTemplate.push(depth);
        return at + 1;
      }
    }
    return code.length;
  }
}

const endOf = (code: string, mark: string, from: number) => {
  const at = code.indexOf(mark, from);
  return at < 0 ? code.length : at;
};

function endOfQuoted(code: string, from: number, quote: string): number {
  for (let at = from + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === quote) return at;
  }
  return code.length;
}

function endOfRegex(code: string, from: number): number {
  let inClass = false;
  for (let at = from + 1; at < code.length; at++) {
    if (code[at] === '\\') at++;
    else if (code[at] === '[') inClass = true;
    else if (code[at] === ']') inClass = false;
    else if (code[at] === '/' && !inClass) return at;
  }
  return code.length;
}

interface Part {
  /** Alternatives of a group. Otherwise `atom` matches one character. */
  group?: Part[][];
  atom?: string;
  /** A zero-width assertion. */
  empty?: boolean;
  min: number;
  most: number;
}

/** Characters to repeat. */
const ALPHABET = [...' \t\naZ0.,;:-_/\\=@%"\'([<{&+?#*!~|\u00e9\u00a0\ufeff\0'];

/**
 * Inputs that cause catastrophic backtracking (ReDoS) in a vulnerable expression: for each unbounded repetition, a
 * prefix that matches the parts before it, `length` repeated characters, and an end that cannot match.
 */
export function attacksOn({ source, flags }: Pick<Literal, 'source' | 'flags'>, length: number): string[] {
  const unicode = flags.replace(/[^uvi]/g, '');
  const literal = [...new Set(source.replace(/\\[a-zA-Z]/g, ''))];
  const candidates = [...new Set([...ALPHABET, ...literal])];
  const fits = (atom: string) => {
    const one = new RegExp(`^(?:${atom})$`, `${unicode}s`.replace('ss', 's'));
    const strict = new RegExp(`^(?:${atom})$`, flags.includes('s') ? `${unicode}s` : unicode);
    return candidates.filter((char) => one.test(char) && strict.test(char));
  };
  const sampleOf = (part: Part, count: number): string => {
    if (part.empty || count === 0) return '';
    const one = part.group
      ? (part.group[0] ?? []).map((each) => sampleOf(each, each.min)).join('')
      : (fits(part.atom!)[0] ?? '');
    return one.repeat(Math.min(count, 40));
  };
  const attacks = new Set<string>();
  const attack = (before: string, pump: string, ends: readonly string[] = []) => {
    if (pump === '') return;
    const pumped = pump.repeat(Math.ceil(length / pump.length));
    for (const end of ['\u0001', '\n\u0001', ...ends]) attacks.add(before + pumped + end);
  };
  const walk = (parts: readonly Part[], start: string) => {
    let before = start;
    for (const part of parts) {
      if (part.most === Number.POSITIVE_INFINITY) {
        if (part.group) {
          for (const each of part.group)
            attack(before, each.map((one) => sampleOf(one, Math.max(1, one.min))).join(''));
        } else {
          const fitting = fits(part.atom!);
          const others = candidates.filter((char) => !fitting.includes(char)).slice(0, 1);
          for (const char of fitting) attack(before, char, others);
        }
      }
      for (const each of part.group ?? []) walk(each, before);
      before += sampleOf(part, part.min);
    }
  };
  for (const each of parse(source)) walk(each, '');
  return [...attacks];
}

function parse(source: string): Part[][] {
  let at = 0;
  const alternatives = (): Part[][] => {
    const all: Part[][] = [[]];
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        at++;
        all.push([]);
      } else all.at(-1)!.push(quantified(part()));
    }
    return all;
  };
  const part = (): Omit<Part, 'min' | 'most'> => {
    const char = source[at]!;
    if (char === '(') {
      const head = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(source.slice(at))![0];
      at += head.length;
      const group = alternatives();
      at++;
      // lookahead and lookbehind are zero-width
      return /^\(\?<?[=!]/.test(head) ? { group, empty: true } : { group };
    }
    if (char === '^' || char === '$') {
      at++;
      return { empty: true };
    }
    if (char === '[') {
      const from = at++;
      for (; source[at] !== ']'; at++) if (source[at] === '\\') at++;
      at++;
      return { atom: source.slice(from, at) };
    }
    if (char === '\\') {
      const escaped = /^\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|k<\w+>|\d|[\s\S])/.exec(
        source.slice(at),
      )![0];
      at += escaped.length;
      return /^\\(?:[bB1-9]|k<)/.test(escaped) ? { empty: true } : { atom: escaped };
    }
    at++;
    return { atom: char === '/' ? '\\/' : char };
  };
  const quantified = (one: Omit<Part, 'min' | 'most'>): Part => {
    const [text = '', bounds, min, comma, most] = /^(?:[*+?]|(\{(\d+)(,)?(\d*)\}))\??/.exec(source.slice(at)) ?? [];
    at += text.length;
    if (text === '') return { ...one, min: 1, most: 1 };
    if (bounds !== undefined) {
      const least = Number(min);
      const upper = most ? Number(most) : Number.POSITIVE_INFINITY;
      return { ...one, min: least, most: comma === undefined ? least : upper };
    }
    if (text.startsWith('?')) return { ...one, min: 0, most: 1 };
    return { ...one, min: text.startsWith('+') ? 1 : 0, most: Number.POSITIVE_INFINITY };
  };
  return alternatives();
}
