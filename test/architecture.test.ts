import { readdir, readFile } from 'node:fs/promises';
import test from 'ava';
import { loadedWith, violations } from './architecture.ts';

const root = new URL('..', import.meta.url);

async function product(): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const tree of ['src', 'cli', 'workers']) {
    for (const file of await readdir(new URL(tree, root), { recursive: true })) {
      if (/\.tsx?$/.test(file)) files.set(`${tree}/${file}`, await readFile(new URL(`${tree}/${file}`, root), 'utf8'));
    }
  }
  return files;
}

test('the code follows the import rules', async (t) => {
  const files = await product();
  t.true(files.size > 10);
  t.deepEqual(violations(files), []);
});

/** Loads when data are read or written: most processes use none or a few of these. */
const ON_DEMAND =
  /^src\/files\/(formats\/[^/]+\/(reader|writer)|convert\/(bridges\/.+-(to|at)-.+|kinds\/(features|grid|mesh|series|multi-array)))\.ts$/;

test('readers, writers, bridges and kinds of data load when they are used, not at the start', async (t) => {
  const files = await product();
  t.true([...files.keys()].filter((file) => ON_DEMAND.test(file)).length > 40);
  for (const start of [
    'src/app.ts',
    'workers/main.ts',
    'src/transfers/children/convert-process.ts',
    'cli/main.ts',
    'src/files/hydrofiles.ts',
  ]) {
    const loaded = [...loadedWith(start, files)];
    t.true(loaded.includes('src/files/formats/registry.ts') || start === 'cli/main.ts', start);
    t.deepEqual(
      loaded.filter((file) => ON_DEMAND.test(file)),
      [],
      start,
    );
  }
  t.true(loadedWith('src/files/convert/kinds/grid.ts', files).has('src/files/geo/warp/warp.ts'));
});

/** Violations that the check must report: a file and its source → the message. */
const PLANTED: [rule: string, file: string, source: string, sentence: RegExp][] = [
  ['import from a later room', 'src/projects/a.ts', `import { b } from '../transfers/b.ts';`, /comes after/],
  ['the browser code imports from the platform', 'src/web/a.ts', `import { b } from '../errors.ts';`, /is a package/],
  ['the library imports its entry', 'src/files/data/a.ts', `import { b } from 'hydrofiles';`, /its own entries/],
  ['import of a file of a package', 'src/tiles/a.ts', `import { b } from '../web/b.ts';`, /is a package/],
  ['an unknown room', 'src/surprise/a.ts', `import { b } from '../projects/b.ts';`, /missing in the order/],
  ['http imports from a room', 'src/http/rules/a.ts', `import { b } from '../../tokens/b.ts';`, /http must not import/],
  [
    'the foundation imports from a room',
    'src/platform/net/a.ts',
    `import { b } from '../../http/b.ts';`,
    /foundation must not import/,
  ],
  ['type import from a later room', 'src/projects/a.ts', `import type { B } from '../transfers/b.ts';`, /comes after/],
  ['another file directly in src', 'src/mail.ts', ``, /only the foundation/],
  ['data imports from geo', 'src/files/data/a.ts', `import type { C } from '../geo/crs/c.ts';`, /may only import/],
  [
    'formats import from convert',
    'src/files/formats/io/a.ts',
    `import { c } from '../../convert/c.ts';`,
    /may only import/,
  ],
  [
    'routes import routes',
    'src/projects/a.routes.ts',
    `import { r } from './b.routes.ts';`,
    /only the plugin of its room/,
  ],
  [
    'a plugin imports routes of another room',
    'src/projects/plugin.ts',
    `import { r } from '../tenants/routes.ts';`,
    /only the plugin of its room/,
  ],
  ['app imports routes', 'src/app.ts', `import { r } from './projects/routes.ts';`, /only the plugin of its room/],
  [
    'a plugin imports a plugin',
    'src/projects/plugin.ts',
    `import { p } from '../tenants/plugin.ts';`,
    /only app.ts may/,
  ],
  [
    'a plugin imports from a later room',
    'src/projects/plugin.ts',
    `import { b } from '../transfers/b.ts';`,
    /comes after/,
  ],
  ['import of app', 'src/tokens/a.ts', `import { buildApp } from '../app.ts';`, /no file may import app/],
  ['src imports from workers', 'src/transfers/a.ts', `import { b } from '../../workers/b.ts';`, /only import from src/],
  [
    'a CLI command imports from src',
    'cli/commands/project.ts',
    `import { b } from '../../src/projects/b.ts';`,
    /use the HTTP API/,
  ],
  ['dynamic import', 'cli/commands/project.ts', `await import('../../src/projects/b.ts');`, /use the HTTP API/],
  ['re-export', 'src/projects/a.ts', `export { b } from '../transfers/b.ts';`, /comes after/],
  [
    'a task imports from the foundation',
    'workers/tasks/a.ts',
    `import { connect } from '../../src/db.ts';`,
    /function of a room/,
  ],
  ['SQL outside of queries', 'src/projects/a.ts', `import { sql } from '../db.ts';`, /SQL belongs/],
  ['import of slonik outside of queries', 'src/projects/a.ts', `import { sql } from 'slonik';`, /SQL belongs/],
  ['Fastify outside of routes', 'src/projects/a.ts', `import Fastify from 'fastify';`, /may use Fastify/],
  ['import of routes', 'src/projects/a.ts', `import { r } from './routes.ts';`, /only the plugin of its room/],
  [
    'formats import from the foundation',
    'src/files/formats/geotiff/a.ts',
    `import { connect } from '../../../db.ts';`,
    /is a package/,
  ],
  [
    'a format imports another format',
    'src/files/formats/geotiff/a.ts',
    `import { b } from '../ascii-grid/b.ts';`,
    /must not import another/,
  ],
  ['geo imports from formats', 'src/files/geo/a.ts', `import { b } from '../formats/b.ts';`, /may only import/],
  ['a file named utils', 'src/projects/utils.ts', ``, /does not describe/],
  [
    'process.env outside of config',
    'src/projects/a.ts',
    `export const home = process.env.HOME;`,
    /may read process.env/,
  ],
  ['inline type import', 'src/projects/a.ts', `import { type Db } from '../db.ts';`, /at run time/],
  ['a wide comment', 'src/projects/a.ts', `// ${'word '.repeat(24)}`, /wider than 120/],
  ['workers import from test', 'workers/a.ts', `import { b } from '../test/world.ts';`, /not part of the product/],
];

for (const [rule, file, source, sentence] of PLANTED) {
  test(`reports a violation: ${rule}`, (t) => {
    const found = violations(new Map([[file, source]]));
    t.true(
      found.some((one) => sentence.test(one)),
      found.join('\n'),
    );
  });
}

test('reports a violation: cycles', (t) => {
  const found = violations(
    new Map([
      ['src/projects/a.ts', `import { b } from './b.ts';`],
      ['src/projects/b.ts', `import type { A } from './a.ts';`],
    ]),
  );
  t.regex(found.join('\n'), /A cycle: src\/projects\/a\.ts → src\/projects\/b\.ts → src\/projects\/a\.ts/);
});

test('reports no violation for allowed imports', (t) => {
  t.deepEqual(
    violations(
      new Map([
        ['src/transfers/a.ts', `import type { B } from '../projects/b.ts';\nimport { c } from '../projects/c.ts';`],
        ['src/projects/a.routes.ts', `import { c } from '../transfers/c.ts';`],
        ['src/projects/visibility.queries.ts', `import { sql } from '../db.ts';`],
        ['src/projects/routes.ts', `import fp from 'fastify-plugin';`],
        ['src/projects/plugin.ts', `import fp from 'fastify-plugin';\nimport { r } from './tree.routes.ts';`],
        ['src/app.ts', `import { p } from './projects/plugin.ts';`],
        [
          'src/files/formats/geotiff/a.ts',
          `import { FormatError } from '../../errors.ts';\nimport { c } from '../../geo/crs/c.ts';\nimport { d } from '../io/d.ts';`,
        ],
        ['cli/commands/serve.ts', `import { serve } from '../../src/server.ts';`],
        ['cli/commands/project.ts', `import type { Config } from '../../src/config.ts';`],
      ]),
    ),
    [],
  );
});
