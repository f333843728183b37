import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import { newSeries, newSeriesDataset } from '../world/series.ts';
import { world } from '../world.ts';
import { LONG } from './flags.ts';

const w = world(test);

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  [keyword: string]: unknown;
}
interface Media {
  schema: Schema;
  examples?: Record<string, { $ref: string }>;
}

/** Most CPU time that a turn of the event loop may take, in ms. */
const MAX_TURN_MS = 200;

const cpuMs = () => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/**
 * CPU time of the longest turn of the event loop while `work` runs, in ms. It is counted by ticks of the kernel, mostly
 * of 4 ms.
 */
async function longestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const watch = (async () => {
    for (let before = cpuMs(); !isOver; before = cpuMs()) {
      await turn();
      longest = Math.max(longest, cpuMs() - before);
    }
  })();
  await turn();
  await work().finally(() => (isOver = true));
  await watch;
  return longest;
}

/** Values that take long, each as JSON text of about `bytes`. */
const VALUES: Record<string, (bytes: number) => string> = {
  'long text': (bytes) => `"${'a'.repeat(bytes)}"`,
  'long text of dots': (bytes) => `"${'a.'.repeat(bytes / 2)}"`,
  'long text of blanks': (bytes) => `"a${' '.repeat(bytes)}a"`,
  'long text of digits': (bytes) => `"${'9'.repeat(bytes)}"`,
  'long text of brackets': (bytes) => `"${'('.repeat(bytes)}"`,
  'long text of lines': (bytes) => `"${'\\n'.repeat(bytes / 2)}"`,
  'escaped text': (bytes) => `"${'\\u4e00'.repeat(bytes / 6)}"`,
  'text of surrogates': (bytes) => `"${'\\ud800'.repeat(bytes / 6)}"`,
  'long number': (bytes) => '9'.repeat(bytes),
  'small number': (bytes) => `0.${'0'.repeat(bytes)}1`,
  'many numbers': (bytes) => `[${repeated('1e300', bytes)}]`,
  'many texts': (bytes) => `[${repeated(`"${'b'.repeat(Math.max(1, bytes / 20_000 - 10))}"`, bytes)}]`,
  'many objects': (bytes) => `[${repeated('{"type":"x","name":[]}', bytes, 4)}]`,
  'many lists': (bytes) => `[${repeated('[[]]', bytes, 2)}]`,
  'many members': (bytes) => manyMembers(bytes, 19_000),
  'members of one name': (bytes) => `{${repeated('"Name":{}', bytes)}}`,
  'nested lists': () => `${'['.repeat(490)}${']'.repeat(490)}`,
  'nested objects': () => `${'{"a":'.repeat(490)}1${'}'.repeat(490)}`,
};
const repeated = (text: string, bytes: number, members = 1) =>
  Array.from({ length: Math.max(1, Math.min(bytes / (text.length + 1), 19_000 / members)) }, () => text).join(',');
const manyMembers = (bytes: number, count: number) => {
  const length = Math.min(count, Math.floor(bytes / 12));
  const width = Math.max(5, Math.floor(bytes / length) - 5);
  return `{${Array.from({ length }, (_, n) => `"${String(n).padStart(width, 'K')}":1`).join(',')}}`;
};

/** Values that also replace each member. */
const AT_MEMBERS = new Set([
  'long text',
  'long text of dots',
  'escaped text',
  'many texts',
  'many objects',
  'many members',
]);

/** Bodies that have one of the values in place of each member of the schema, and of the whole. */
function* bodiesOf(schema: Schema, at: (schema: Schema) => Schema, bytes: number): Generator<[string, string]> {
  for (const [name, make] of Object.entries(VALUES)) {
    yield [name, make(bytes)];
    if (!AT_MEMBERS.has(name)) continue;
    for (const path of placesIn(schema, at, 0))
      yield [`${name} at ${path.join('.')}`, wrapped(path, make(bytes - 500))];
  }
}

/** Paths to members; `*` stands for an element of a list. */
function placesIn(given: Schema, at: (schema: Schema) => Schema, depth: number): string[][] {
  const schema = at(given);
  if (depth > 3) return [];
  const options = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const inOptions = options.flatMap((option) => placesIn(option, at, depth + 1));
  const inMembers = Object.entries(schema.properties ?? {}).flatMap(([name, member]) => [
    [name],
    ...placesIn(member, at, depth + 1).map((path) => [name, ...path]),
  ]);
  const inItems = schema.items ? placesIn(schema.items, at, depth + 1).map((path) => ['*', ...path]) : [];
  return [...new Map([...inOptions, ...inMembers, ...inItems].map((path) => [path.join('.'), path])).values()];
}

const wrapped = (path: readonly string[], value: string): string =>
  path.reduceRight((inner, name) => (name === '*' ? `[${inner}]` : `{${JSON.stringify(name)}:${inner}}`), value);

(LONG ? test : test.skip)('No body holds the event loop for longer than 200 ms of CPU time', async (t) => {
  t.timeout(3_600_000);
  const root = await w.administrator();
  const administrator = w.as(root);
  const document = (await w.nobody.get('/openapi.json')).body;
  const at = (schema: Schema): Schema => {
    if (schema.$ref === undefined) return schema;
    const found = schema.$ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document);
    return at(found as Schema);
  };
  const project = (await administrator.post('/api/metadata/project', { name: 'Worst' })).body.id;
  const { id, url: ofDataset } = await newSeriesDataset(administrator);
  const series = await newSeries(administrator, ofDataset);
  const tsId = series.slice(series.lastIndexOf('/') + 1);
  const found: [ms: number, what: string][] = [];
  const only = process.env.CRASH_ROUTES;
  for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, never>>))
    for (const [method, operation] of Object.entries(methods)) {
      const { requestBody, 'x-max-body-bytes': limit } = operation as {
        requestBody?: { content: Record<string, Media> };
        'x-max-body-bytes': number;
      };
      if (requestBody === undefined || (only !== undefined && !path.includes(only))) continue;
      const ids: Record<string, string> = path.startsWith('/api/ts/') ? { id, tsId } : {};
      const url = path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? project);
      const worst: [number, string] = [0, ''];
      const measure = async (name: string, type: string, payload: string | Buffer) => {
        const headers = { 'content-type': type };
        let status = 0;
        const send = async () => {
          ({ status } = await administrator.send({ method: method.toUpperCase() as 'POST', url, headers, payload }));
        };
        const first = await longestTurn(send);
        // a garbage collection may fall into one
        const ms = first > 100 ? Math.min(first, await longestTurn(send)) : first;
        if (ms > worst[0]) [worst[0], worst[1]] = [ms, `${name} → ${status}`];
        if (status >= 500 && status !== 501) t.log(`${status} ${method} ${path}: ${name}`);
      };
      const [type = '', media] = Object.entries(requestBody.content)[0] ?? [];
      if (/json$/.test(type) && media) {
        for (const [name, body] of bodiesOf(media.schema, at, limit)) {
          await measure(name, 'application/json', body);
        }
      } else if (type === 'application/x-www-form-urlencoded') {
        for (const piece of ['a&', '%41', 'a=b&', '+', '%', '&'])
          await measure(`form of ${piece}`, type, piece.repeat(limit / piece.length));
      } else if (/^text/.test(type)) {
        for (const piece of ['1;', '"', '\n', 'a', '2026-01-24T08:00:00;1\n', ';', '""', '\r', '"\n""\n"'])
          await measure(`lines of ${JSON.stringify(piece)}`, type, piece.repeat(30_000_000 / piece.length));
      }
      found.push([worst[0], `${method.toUpperCase()} ${path}: ${worst[1]}`]);
      process.stderr.write(`${worst[0].toFixed(0)} ms ${method.toUpperCase()} ${path}: ${worst[1]}
`);
    }
  found.sort(([one], [two]) => two - one);
  for (const [ms, what] of found.slice(0, 20)) t.log(`${ms.toFixed(0)} ms ${what}`);
  t.deepEqual(
    found.filter(([ms]) => ms > MAX_TURN_MS).map(([, what]) => what),
    [],
  );
});
