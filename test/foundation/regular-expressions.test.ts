import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { type Literal, literalsOf } from './attack-strings.ts';

/** CPU time. An expression without backtracking needs about a thousandth of it at this length. */
const MOST_SECONDS = 0.5;
const LENGTH = 50_000;
/** Wall time after which an expression counts as hanging, even on a busy machine. */
const HANGS_AFTER_MS = 120_000;
const ROOT = new URL('../../', import.meta.url).pathname;

interface Report {
  begun?: Literal;
  ended?: Literal;
  worst?: number;
  text?: string;
}

/** Descriptions of the expressions that take too long. */
async function slow(literals: Literal[]): Promise<string[]> {
  const found: string[] = [];
  const label = ({ file, line, source, flags }: Literal) => `${file}:${line} /${source}/${flags}`;
  for (let rest = literals; rest.length > 0; ) {
    const thread = new Worker(new URL('./attack-thread.ts', import.meta.url), {
      workerData: { literals: rest, length: LENGTH, most: MOST_SECONDS },
    });
    let last = rest[0]!;
    const finished = await new Promise<boolean>((resolve, reject) => {
      let timer = setTimeout(resolve, HANGS_AFTER_MS, false);
      thread.on('error', reject);
      thread.on('message', ({ begun, ended, worst = 0, text }: Report) => {
        clearTimeout(timer);
        timer = setTimeout(resolve, HANGS_AFTER_MS, false);
        if (begun) last = begun;
        else if (ended && worst > MOST_SECONDS) found.push(`${label(ended)} at ${text}…`);
        else if (!ended) {
          clearTimeout(timer);
          resolve(true);
        }
      });
    });
    await thread.terminate();
    if (finished) break;
    found.push(`${label(last)} hangs`);
    rest = rest.slice(rest.findIndex((one) => label(one) === label(last)) + 1);
  }
  return found;
}

async function sources(): Promise<[string, string][]> {
  const files = (await readdir(join(ROOT, 'src'), { recursive: true })).filter((file) => file.endsWith('.ts')).sort();
  return Promise.all(
    files.map(async (file): Promise<[string, string]> => [file, await readFile(join(ROOT, 'src', file), 'utf8')]),
  );
}

test('no regular expression of the server is vulnerable to catastrophic backtracking', async (t) => {
  const literals = (await sources()).flatMap(([file, code]) => literalsOf(file, code));
  t.true(literals.length > 150, `${literals.length}`);
  t.deepEqual(await slow(literals), []);
});

/** They build expressions from constants and numbers, which cannot inject anything. */
const DYNAMIC = ['accounts/spoofing.ts', 'platform/text/storable.ts'];

test('no regular expression is built from user input: all are literals', async (t) => {
  t.deepEqual(
    (await sources()).filter(([, code]) => code.includes('new RegExp(')).map(([file]) => file),
    DYNAMIC,
  );
});

test('a vulnerable expression is found', async (t) => {
  const planted = String.raw`x.replace(/\s+$/, '') + a / b / c + f('/no/') + /^(?:a|aa)+$/.test(y) + /<(\w+)>\s*([^<\s]*)\s*</.exec(z) + /^\s*ok\s*$/`;
  const literals = literalsOf('planted.ts', planted);
  t.is(literals.length, 4);
  const found = await slow(literals.filter(({ source }) => !source.includes('aa')));
  t.deepEqual(
    found.map((sentence) => /\/(.*)\//.exec(sentence)?.[1]),
    [String.raw`\s+$`, String.raw`<(\w+)>\s*([^<\s]*)\s*<`],
  );
});
