import test from 'ava';
import { z } from 'zod';
import type { App } from '../../src/http/route.ts';
import { apiApp, bearer } from './api-app.ts';

const config = { access: 'signedIn', service: 'metadata' } as const;
const Row = z.object({
  id: z.string(),
  at: z.string().optional(),
  count: z.int(),
  share: z.number(),
  isOpen: z.boolean(),
  kind: z.enum(['a', 'b"c']),
  free: z.any(),
  when: z.union([z.string(), z.number()]).optional(),
  byName: z.record(z.string(), z.number()).optional(),
  inner: z.object({ list: z.array(z.object({ name: z.string() })) }).optional(),
  few: z.array(z.string()).max(2).optional(),
});
const whole = {
  id: 'a "quoted" \\ line\n\u2028 and 𐐷 €',
  at: '2026-01-01T00:00:00.0000000',
  count: 9007199254740991,
  share: 1e-7,
  isOpen: false,
  kind: 'b"c',
  free: { any: [null, { deep: 1 }], toJSON: undefined },
  when: 3,
  byName: { 'x "y"': 1 },
  inner: { list: [{ name: 'n', secret: 'dropped' }], secret: 'dropped' },
  few: ['a'],
};

const answering = (answer: unknown) => (app: App) =>
  void app.get(
    '/api/x',
    { config, schema: { response: { 200: z.object({ data: z.array(Row) }) } } },
    async () =>
      ({
        data: [answer],
      }) as never,
  );
const ask = (app: App) => app.inject({ url: '/api/x', headers: bearer('anna') });

test('a response has only the members that its schema declares, formatted as by JSON.stringify', async (t) => {
  const app = await apiApp(t, answering({ ...whole, secret: 'dropped', rights: 511 }));
  const answer = await ask(app);
  const expected = { ...whole, inner: { list: [{ name: 'n' }] } };
  t.is(answer.statusCode, 200);
  t.is(answer.body, JSON.stringify({ data: [expected] }));
  const { at: _, when: __, byName: ___, inner: ____, few: _____, free: ______, ...least } = whole;
  t.is((await ask(await apiApp(t, answering(least)))).body, JSON.stringify({ data: [least] }));
});

for (const [member, value] of Object.entries({
  id: 7,
  at: null,
  count: 1.5,
  share: Number.NaN,
  isOpen: 'true',
  kind: 'c',
  when: true,
  byName: { x: 'y' },
  inner: { list: {} },
  few: ['a', 'b', 'c'],
}))
  test(`a response member that violates the schema gives 500 instead of the response: ${member}`, async (t) => {
    const answer = await ask(await apiApp(t, answering({ ...whole, [member]: value })));
    t.deepEqual([answer.statusCode, answer.json().code], [500, 'Internal']);
  });
test('a response without a required member is 500', async (t) => {
  const { id: _, ...rest } = whole;
  t.is((await ask(await apiApp(t, answering(rest)))).statusCode, 500);
});

const Plain = z.object({
  id: z.string(),
  note: z.string().optional(),
  free: z.any(),
  list: z.array(z.object({ name: z.string(), kind: z.enum(['a', 'b']).optional() })),
  count: z.int().optional(),
});
const plain = { id: '1', note: '"\u0000\ud800€', free: { x: [null] }, list: [{ name: 'n' }, { name: 'm', kind: 'b' }] };
const answeringPlain = (answer: unknown) => (app: App) =>
  void app.get('/api/x', { config, schema: { response: { 200: Plain } } }, async () => answer as never);

for (const [what, answer, expected] of [
  ['in the order of its schema', plain, plain],
  ['in another order', Object.fromEntries(Object.entries(plain).reverse()), plain],
  ['with members that are undefined', { ...plain, count: undefined, other: undefined }, plain],
  ['with more behind it', { ...plain, secret: 's' }, plain],
  ['with more before it', { secret: 's', ...plain }, plain],
  [
    'with more in a list',
    { ...plain, list: [...plain.list, { name: 'o', secret: 's' }] },
    { ...plain, list: [...plain.list, { name: 'o' }] },
  ],
  ['with what may be absent last', { ...plain, count: -0 }, { ...plain, count: 0 }],
  ['with what is no plain object', { ...plain, free: new Date(0) }, { ...plain, free: new Date(0) }],
] as const)
  test(`a response is serialized by its schema: ${what}`, async (t) => {
    const { statusCode, body } = await ask(await apiApp(t, answeringPlain(answer)));
    t.deepEqual([statusCode, body], [200, JSON.stringify(expected)]);
  });

for (const [what, answer] of [
  ['null', { ...plain, note: null }],
  ['a list with a hole', { ...plain, list: [plain.list[0], undefined] }],
  ['another kind', { ...plain, list: [{ name: 'n', kind: 'c' }] }],
  ['a list instead', [plain]],
  ['a part that is absent', { id: '1', free: 1 }],
] as const)
  test(`a response that its schema does not allow is not sent: ${what}`, async (t) => {
    t.is((await ask(await apiApp(t, answeringPlain(answer)))).statusCode, 500);
  });
