import { randomUUID } from 'node:crypto';
import test from 'ava';
import { startServer } from '../world/server.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
/** Together in one body. */
const LENGTH = 1_000_000;
/** Beside these `test/foundation/regular-expressions.test.ts` tries all characters, on each expression by itself. */
const REPEATED = [' ', '1', '/', 'a'];

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  $ref?: string;
}
type Operation = { requestBody?: { content?: Record<string, { schema?: Schema }> } };

/** A body of this shape in which every text is `text`. */
function filled(schema: Schema, text: string): unknown {
  const { properties, items, anyOf, allOf, type } = schema;
  const parts = anyOf ?? allOf;
  if (parts) return filled(parts.find((part) => part.type !== 'null') ?? {}, text);
  if (properties)
    return Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, filled(each, text)]));
  if (type === 'array') return [filled(items ?? {}, text)];
  if (type === 'boolean') return true;
  if (type === 'integer' || type === 'number') return 1;
  return type === 'object' ? { text } : text;
}
const textsIn = (schema: Schema) => JSON.stringify(filled(schema, '\u0007')).split('\\u0007').length - 1;

test('long repetitive texts in requests do not block the route or the server', async (t) => {
  // in a process of its own, which ends when its event loop hangs
  const server = await startServer(w, { 'loginDelay.first': '1ms' });
  t.teardown(() => server.stop());
  const { body: document } = await w.nobody.get('/openapi.json');
  const authorization = `Bearer ${await w.tokenOf(await w.administrator())}`;
  let tried = 0;
  for (const [path, operations] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
    for (const [method, operation] of Object.entries(operations)) {
      const schema = operation.requestBody?.content?.['application/json']?.schema;
      const texts = schema === undefined ? 0 : textsIn(schema);
      if (schema === undefined || texts === 0) continue;
      const url = `${server.url}${path.replace(/\{\w+\}/g, randomUUID())}`;
      for (const character of REPEATED) {
        const text = `${character.repeat(Math.floor(LENGTH / texts))}\u0001`;
        const headers = { authorization, 'content-type': 'application/json' };
        const body = JSON.stringify(filled(schema, text));
        const answer = await fetch(url, { method: method.toUpperCase(), headers, body }).catch((error) => error);
        if (!(answer instanceof Response)) return t.fail(`${method} ${path} of '${character}': ${answer}`);
        await answer.arrayBuffer();
        t.true(answer.status < 500 || answer.status === 501, `${method} ${path} of '${character}': ${answer.status}`);
        tried++;
      }
    }
  }
  t.true(tried > 200, `${tried}`);
  t.is((await fetch(`${server.url}/health/ready`)).status, 200);
});
