import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { violations } from './architecture.ts';

const root = new URL('..', import.meta.url);

async function product(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const tree of ['src', 'cli', 'workers']) {
    for (const file of await readdir(new URL(tree, root), { recursive: true })) {
      if (file.endsWith('.ts')) files.set(`${tree}/${file}`, await readFile(new URL(`${tree}/${file}`, root), 'utf8'));
    }
  }
  return files;
}

test('the house keeps its own rules', async (t) => {
  const files = await product();
  t.true(files.size > 10);
  t.deepEqual(violations(files), []);
});

/** A breach that must be seen: what is planted → what is said of it. */
const PLANTED: [rule: string, file: string, source: string, sentence: RegExp][] = [
  ['a room to the right is unknown', 'src/projects/a.ts', `import { b } from '../transfers/b.ts';`, /stands right of/],
  [
    'a room without a place is refused',
    'src/surprise/a.ts',
    `import { b } from '../projects/b.ts';`,
    /no place in the order/,
  ],
  ['http knows no room', 'src/http/rules/a.ts', `import { b } from '../../tokens/b.ts';`, /http knows no room/],
  [
    'the foundation knows no room',
    'src/platform/net/a.ts',
    `import { b } from '../../http/b.ts';`,
    /foundation knows no/,
  ],
  ['an import of types counts', 'src/projects/a.ts', `import type { B } from '../transfers/b.ts';`, /stands right of/],
  ['src itself holds the foundation', 'src/mail.ts', ``, /foundation alone/],
  ['data knows nothing to its right', 'src/data/a.ts', `import type { C } from '../geo/crs/c.ts';`, /is pure/],
  ['formats do not know the conversion', 'src/formats/io/a.ts', `import { c } from '../../convert/c.ts';`, /is pure/],
  ['routes are known to app alone', 'src/projects/a.routes.ts', `import { r } from './b.routes.ts';`, /only app.ts/],
  ['no room knows app or server', 'src/tokens/a.ts', `import { buildApp } from '../app.ts';`, /no room knows them/],
  [
    'src imports nothing of workers',
    'src/transfers/a.ts',
    `import { b } from '../../workers/b.ts';`,
    /stands on its own/,
  ],
  [
    'the command line speaks HTTP',
    'cli/commands/project.ts',
    `import { b } from '../../src/projects/b.ts';`,
    /speaks HTTP/,
  ],
  ['a dynamic import counts', 'cli/commands/project.ts', `await import('../../src/projects/b.ts');`, /speaks HTTP/],
  ['a re-export counts', 'src/projects/a.ts', `export { b } from '../transfers/b.ts';`, /stands right of/],
  [
    'a task asks domains, not the foundation',
    'workers/tasks/a.ts',
    `import { connect } from '../../src/db.ts';`,
    /domain function/,
  ],
  ['SQL lives in queries', 'src/projects/a.ts', `import { sql } from '../db.ts';`, /SQL lives/],
  ['slonik itself is no way round', 'src/projects/a.ts', `import { sql } from 'slonik';`, /SQL lives/],
  ['HTTP stops at routes', 'src/projects/a.ts', `import Fastify from 'fastify';`, /HTTP stops/],
  ['only app.ts knows routes', 'src/projects/a.ts', `import { r } from './routes.ts';`, /only app.ts/],
  ['formats are pure', 'src/formats/geotiff/a.ts', `import { connect } from '../../db.ts';`, /is pure/],
  [
    'one format never imports another',
    'src/formats/geotiff/a.ts',
    `import { b } from '../ascii-grid/b.ts';`,
    /never imports another/,
  ],
  ['geo does not know formats', 'src/geo/a.ts', `import { b } from '../formats/b.ts';`, /is pure/],
  ['no junk drawers', 'src/projects/utils.ts', ``, /says nothing/],
  [
    'the environment has two doors',
    'src/projects/a.ts',
    `export const home = process.env.HOME;`,
    /environment is read/,
  ],
  [
    'inline type imports are values',
    'src/projects/a.ts',
    `import { type Db } from '../db.ts';`,
    /stays a value import/,
  ],
  [
    'tests are no part of the product',
    'workers/a.ts',
    `import { b } from '../test/world.ts';`,
    /not part of the product/,
  ],
];

for (const [rule, file, source, sentence] of PLANTED) {
  test(`a planted breach is seen: ${rule}`, (t) => {
    const found = violations(new Map([[file, source]]));
    t.true(
      found.some((one) => sentence.test(one)),
      found.join('\n'),
    );
  });
}

test('a planted breach is seen: cycles', (t) => {
  const found = violations(
    new Map([
      ['src/projects/a.ts', `import { b } from './b.ts';`],
      ['src/projects/b.ts', `import type { A } from './a.ts';`],
    ]),
  );
  t.regex(found.join('\n'), /A cycle: src\/projects\/a\.ts → src\/projects\/b\.ts → src\/projects\/a\.ts/);
});

test('what the rules allow is not seen as a breach', (t) => {
  t.deepEqual(
    violations(
      new Map([
        ['src/transfers/a.ts', `import type { B } from '../projects/b.ts';\nimport { c } from '../projects/c.ts';`],
        ['src/projects/a.routes.ts', `import { c } from '../transfers/c.ts';`],
        ['src/projects/visibility.queries.ts', `import { sql } from '../db.ts';`],
        ['src/projects/routes.ts', `import fp from 'fastify-plugin';`],
        [
          'src/formats/geotiff/a.ts',
          `import { FormatError } from '../../errors.ts';\nimport { c } from '../../geo/crs/c.ts';\nimport { d } from '../io/d.ts';`,
        ],
        ['cli/commands/serve.ts', `import { serve } from '../../src/server.ts';`],
        ['cli/commands/project.ts', `import type { Config } from '../../src/config.ts';`],
      ]),
    ),
    [],
  );
});
