import test from 'ava';
import { UNOFFERED } from '../../src/http/unoffered.ts';
import { world } from '../world.ts';

interface Operation {
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema?: object }[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses?: Record<string, { description?: string; content?: Record<string, { schema: object }> }>;
  security?: Record<string, string[]>[];
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object>; securitySchemes: Record<string, { type: string }> };
}

const w = world(test);
const read = async (): Promise<Document> => (await w.nobody.get('/openapi.json')).body;
const operations = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );

test('The description is OpenAPI 3.1, with everything it points to', async (t) => {
  const document = await read();
  t.is(document.openapi, '3.1.0');
  t.truthy(document.info.title);
  t.truthy(document.info.version);
  const text = JSON.stringify(document);
  for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const found = pointer.split('/').reduce<unknown>((at, part) => (at as Record<string, unknown>)?.[part], document);
    t.truthy(found, `#/${pointer}`);
  }
  for (const { operation } of operations(document))
    for (const scheme of operation.security ?? [])
      for (const name of Object.keys(scheme)) t.truthy(document.components.securitySchemes[name], name);
});

test('No two paths differ in the names of their parameters alone', async (t) => {
  const shapes = Object.keys((await read()).paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
  t.deepEqual(
    shapes.filter((shape, index) => shapes.indexOf(shape) !== index),
    [],
  );
});

test('Every route of the server is described, but for those that only say that they are not offered', async (t) => {
  const unoffered = new Set(UNOFFERED.map(({ url }) => url));
  const described = new Set(operations(await read()).map(({ name }) => name));
  for (const { methods } of w.app.paths.values())
    for (const [method, { url, config, schema }] of methods) {
      if (config?.access === undefined || config.closed || method === 'HEAD' || url === '/openapi.json') continue;
      if (unoffered.has(url)) continue;
      t.false((schema as { hide?: boolean } | undefined)?.hide ?? false, `${method} ${url} is hidden`);
      t.true(described.has(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`), `${method} ${url} is missing`);
    }
});

test('Every route has a summary, tags, answers, and each parameter of its path', async (t) => {
  for (const { name, path, operation } of operations(await read())) {
    t.true((operation.summary ?? '').length > 5, `${name} has no summary`);
    t.true((operation.tags ?? []).length > 0, `${name} has no tags`);
    const answers = Object.entries(operation.responses ?? {});
    t.true(
      answers.some(([status]) => /^2(?:\d\d|XX)$/.test(status)),
      `${name} does not say what succeeds`,
    );
    for (const [status, answer] of answers) t.truthy(answer.description, `${name} ${status} has no description`);
    const given = (operation.parameters ?? []).filter((parameter) => parameter.in === 'path');
    t.deepEqual(
      given.map((parameter) => parameter.name).sort(),
      [...path.matchAll(/\{(\w+)\}/g)].map(([, parameter]) => parameter ?? '').sort(),
      name,
    );
    t.true(
      given.every((parameter) => parameter.required),
      name,
    );
  }
});

test('Who must sign in, and which versions there are, is said of each route', async (t) => {
  const described = new Map(operations(await read()).map(({ name, operation }) => [name, operation]));
  for (const { methods } of w.app.paths.values())
    for (const [method, { url, config }] of methods) {
      const operation = described.get(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`);
      if (!operation || !config) continue;
      t.is(operation.security !== undefined, config.access !== 'public', `${method} ${url}`);
      const version = operation.parameters?.find((parameter) => parameter.name === 'api-version');
      t.is(version !== undefined, config.service !== 'none', `${method} ${url}`);
    }
});
