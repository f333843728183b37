import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';

const ROOT = new URL('../../src/web/', import.meta.url).pathname;

/** The members of each object of texts that no module names. `words[kind]` names all of an object. */
function unusedTexts(files: ReadonlyMap<string, string>): string[] {
  const isTexts = (name: string) => /^texts(?:\/|\.ts$)/.test(name);
  const texts = [...files].filter(([name]) => isTexts(name));
  const modules = [...files].filter(([name]) => !isTexts(name)).map(([, code]) => code);
  return texts.flatMap(([name, code]) =>
    [...code.matchAll(/^export const (\w+) = \{\n(.*?)^\};/gms)].flatMap(([, object = '', body = '']) => {
      const aliases = modules.flatMap((module) => {
        const [, alias] = new RegExp(`\\b${object}(?: as (\\w+))?[ ,}]`).exec(module) ?? [undefined, undefined];
        return module.includes(object) ? [{ module, alias: alias ?? object }] : [];
      });
      const isUsed = (member: string) =>
        aliases.some(({ module, alias }) => new RegExp(`\\b${alias}(?:\\.${member}\\b|\\[)`).test(module));
      const members = [...body.matchAll(/^ {2}(\w+)[:(]/gm)].map(([, member = '']) => member);
      return members.filter((member) => !isUsed(member)).map((member) => `${name}: ${object}.${member}`);
    }),
  );
}

test('a text that no page uses is found', (t) => {
  const texts = "export const someTexts = {\n  used: 'a',\n  unused: (n: number) => `b`,\n};\n";
  const page = "import { someTexts as words } from './texts/some.ts';\nconst shown = words.used;";
  t.deepEqual(
    unusedTexts(
      new Map([
        ['texts/some.ts', texts],
        ['pages/page.tsx', page],
      ]),
    ),
    ['texts/some.ts: someTexts.unused'],
  );
});

test('each text of the console is used', async (t) => {
  const names = (await readdir(ROOT, { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const files = new Map(
    await Promise.all(names.map(async (name) => [name, await readFile(join(ROOT, name), 'utf8')] as const)),
  );
  t.true([...files.keys()].filter((name) => name.startsWith('texts/')).length > 10);
  t.deepEqual(unusedTexts(files), []);
});
