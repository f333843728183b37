import { randomUUID } from 'node:crypto';
import test from 'ava';
import type { RouteOptions } from 'fastify';
import { ADDRESSES } from '../../src/console/addresses.ts';
import { openapiRoute } from '../../src/http/openapi/openapi.ts';
import { NOT_IMPLEMENTED } from '../../src/http/rules/not-implemented.ts';
import { apiApp } from '../http/api-app.ts';
import { world } from '../world.ts';

interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { $ref: string }>;
}
interface Schema {
  $ref?: string;
  description?: string;
  properties?: Record<string, Schema>;
  [keyword: string]: unknown;
}
interface Operation {
  operationId?: string;
  deprecated?: boolean;
  summary?: string;
  tags?: string[];
  parameters?: { name: string; in: string; description?: string; required?: boolean; schema?: object }[];
  requestBody?: { content: Record<string, Media> };
  responses?: Record<string, { description?: string; headers?: object; content?: Record<string, Media> }>;
  security?: Record<string, string[]>[];
}
interface Document {
  openapi: string;
  info: { title: string; version: string };
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, Schema>;
    examples: Record<string, { value: unknown }>;
    securitySchemes: Record<string, { type: string }>;
  };
}

const w = world(test);
const raw = async (): Promise<Document> => (await w.nobody.get('/openapi.json')).body;
/** With parameters and answers in their place; schemas stay references. */
async function read(): Promise<Document> {
  const document = await raw();
  const at = ({ $ref }: { $ref?: string }) =>
    $ref === undefined
      ? undefined
      : $ref
          .slice(2)
          .split('/')
          .reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], document);
  for (const methods of Object.values(document.paths))
    for (const operation of Object.values(methods)) {
      operation.parameters = operation.parameters?.map((one) => (at(one as never) ?? one) as never);
      for (const [status, answer] of Object.entries(operation.responses ?? {}))
        (operation.responses as Record<string, unknown>)[status] = at(answer as never) ?? answer;
    }
  return document;
}
const operations = (document: Document) =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      path,
      operation,
    })),
  );

test('The document is valid OpenAPI 3.1, and all its references resolve', async (t) => {
  const document = await raw();
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

test('No two paths differ only in parameter names', async (t) => {
  const shapes = Object.keys((await read()).paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
  t.deepEqual(
    shapes.filter((shape, index) => shapes.indexOf(shape) !== index),
    [],
  );
});

test('every route is in the OpenAPI document, except those that answer 501 and the pages of the console', async (t) => {
  const notImplemented = new Set(NOT_IMPLEMENTED.map(({ url }) => url));
  const described = new Set(operations(await read()).map(({ name }) => name));
  for (const { methods } of w.app.paths.values())
    for (const [method, { url, config, schema }] of methods) {
      if (config?.access === undefined || config.closed || method === 'HEAD' || url === '/openapi.json') continue;
      if (notImplemented.has(url) || ADDRESSES.includes(url)) continue;
      t.false((schema as { hide?: boolean } | undefined)?.hide ?? false, `${method} ${url} is hidden`);
      t.true(described.has(`${method} ${url.replace(/:(\w+)/g, '{$1}')}`), `${method} ${url} is missing`);
    }
});

test('Every route has a summary, tags, responses and all path parameters', async (t) => {
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

test('each route declares its authentication and its versions', async (t) => {
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

test('Every operation has a unique operationId in camel case', async (t) => {
  const ids = operations(await read()).map(({ operation }) => operation.operationId ?? '');
  for (const id of ids) t.regex(id, /^[a-z][A-Za-z0-9]+$/);
  t.deepEqual(
    ids.filter((id, index) => ids.indexOf(id) !== index),
    [],
  );
});

test('Every parameter and body member has a description, and object schemas in bodies have names', async (t) => {
  const document = await read();
  const mute: string[] = [];
  const look = (schema: Schema | undefined, where: string) => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      if (!member.description) mute.push(`${where}.${name}`);
      look(member, `${where}.${name}`);
    }
    for (const part of [schema.items, schema.additionalProperties]) look(part as Schema, where);
    for (const list of [schema.anyOf, schema.oneOf, schema.allOf])
      for (const part of (list ?? []) as Schema[]) look(part, where);
  };
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
  for (const { name, operation } of operations(document)) {
    for (const parameter of operation.parameters ?? [])
      if (!parameter.description) mute.push(`${name}?${parameter.name}`);
    const bodies = [operation.requestBody, ...Object.values(operation.responses ?? {})];
    for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {}))) {
      look(media.schema, name);
      t.is(media.schema?.properties, undefined, `${name} has a body without a name`);
    }
  }
  t.deepEqual(mute, []);
});

test('Every JSON body has an example that is valid for its schema', async (t) => {
  const document = await raw();
  const routes = new Map<string, RouteOptions>(
    [...w.app.paths.values()].flatMap(({ methods }) =>
      [...methods].map(([method, route]) => [`${method} ${route.url.replace(/:(\w+)/g, '{$1}')}`, route] as const),
    ),
  );
  const wrong: string[] = [];
  type Zod = { safeParse(value: unknown): { success: boolean; error?: Error } };
  for (const { name, operation } of operations(await read())) {
    const { body, response = {} } = (routes.get(name)?.schema ?? {}) as { body?: Zod; response?: Record<string, Zod> };
    const check = (media: Media | undefined, schema: Zod | undefined, what: string) => {
      if (!media) return;
      const [reference] = Object.values(media.examples ?? {});
      const example = reference && document.components.examples[reference.$ref.split('/').at(-1) ?? ''];
      if (!example) return wrong.push(`${what} has no example`);
      const { success = true, error } = schema?.safeParse(example.value) ?? {};
      if (!success) wrong.push(`${what}: ${error?.message}`);
    };
    check(operation.requestBody?.content['application/json'], body, name);
    for (const [status, answer] of Object.entries(operation.responses ?? {}))
      check(answer.content?.['application/json'], response[status], `${name} ${status}`);
  }
  t.deepEqual(wrong, []);
});

test('Common headers are documented for each route: tenant, project, idempotency key, request id', async (t) => {
  const described = new Map(operations(await read()).map(({ name, operation }) => [name, operation]));
  const headers = (name: string) =>
    (described.get(name)?.parameters ?? []).filter((one) => one.in === 'header').map((one) => one.name);
  t.deepEqual(headers('POST /api/conversion/upload-convert').sort(), [
    'Idempotency-Key',
    'Prefer',
    'api-version',
    'svc-audit-reason',
    'svc-project-id',
    'svc-service-id',
    'svc-tenant-id',
    'x-request-id',
  ]);
  t.deepEqual(headers('GET /health/live'), ['x-request-id']);
  t.true(Object.keys(described.get('GET /api/account/list')?.responses?.[200]?.headers ?? {}).includes('ETag'));
});

test('Blob, image and stream routes declare their media types; transformations have schemas', async (t) => {
  const document = await read();
  const blob = document.paths['/api/blob/{area}/{name}'];
  t.deepEqual(Object.keys(blob ?? {}).sort(), ['delete', 'get', 'head', 'put']);
  t.deepEqual(Object.keys(blob?.put?.requestBody?.content ?? {}), ['application/octet-stream', 'application/xml']);
  t.truthy(blob?.get?.responses?.[206]?.content?.['application/octet-stream']);
  t.truthy(document.paths['/api/metadata/project/{id}/thumbnail']?.get?.responses?.[200]?.content?.['image/png']);
  t.truthy(document.paths['/api/eventing/event/list']?.get?.responses?.[200]?.content?.['text/event-stream']);
  const { anyOf } = document.components.schemas.Transformation as { anyOf: Schema[] };
  t.true(anyOf.map(({ $ref }) => $ref).includes('#/components/schemas/CrsTransformation'));
  const { IssuedToken, Event } = document.components.schemas;
  t.is(IssuedToken?.properties?.expiration?.format, 'date-time');
  t.is(Event?.properties?.time?.format, 'date-time');
});

test('Refusals that are pages or exceptions of OWS are described', async (t) => {
  const { paths } = await read();
  const tiles = '/api/tiles/dataset/{id}/wmts';
  const headers = { authorization: `Bearer ${await w.tokenOf(await w.administrator())}`, accept: 'application/xml' };
  const { content: capabilities } = paths[tiles]?.get?.responses?.[200] ?? {};
  t.is(capabilities?.['application/json']?.schema.type, 'object');
  t.is(capabilities?.['application/xml']?.schema.type, 'string');
  for (const [method, path, type] of [
    ['get', '/api/accounts/activation', 'text/html'],
    ['post', '/api/accounts/activation', 'text/html'],
    ['get', '/api/accounts/password', 'text/html'],
    ['post', '/api/accounts/password', 'text/html'],
    ['get', tiles, 'application/xml'],
    ['get', `${tiles}/1.0.0/WMTSCapabilities.xml`, 'application/xml'],
  ] as const) {
    const url = `${path.replace('{id}', randomUUID())}?token=%21`;
    const answer = await w.app.inject({ method, url, headers: type === 'text/html' ? {} : headers });
    t.is(answer.headers['content-type'], `${type}; charset=utf-8`, path);
    const { responses = {} } = paths[path]?.[method] ?? {};
    const { content = {} } = responses[answer.statusCode] ?? responses.default ?? {};
    t.deepEqual(Object.keys(content), ['application/problem+json', type], `${method} ${path} ${answer.statusCode}`);
  }
});

test('Legacy routes are deprecated, and their replacements are not', async (t) => {
  const { paths } = await read();
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { deprecated }] of Object.entries(methods))
      if (/^\/api\/(project|transfer)\//.test(path)) t.true(deprecated, `${method} ${path}`);
  t.true(paths['/api/account/list']?.get?.deprecated);
  t.true(paths['/api/conversion/upload']?.post?.deprecated);
  t.is(paths['/api/conversion/upload-convert']?.post?.deprecated, undefined);
  t.is(paths['/api/metadata/project/list']?.get?.deprecated, undefined);
});

test('The server URL is the public address, also with a path prefix, or else relative to the document', async (t) => {
  const servers = async (env: Record<string, string>) => {
    const app = await apiApp(t, openapiRoute, { env });
    return (await app.inject('/openapi.json')).json().servers;
  };
  t.deepEqual(await servers({ PLATFORM_PUBLIC_URL: 'https://data.example.org/platform/' }), [
    { url: 'https://data.example.org/platform' },
  ]);
  t.deepEqual(await servers({}), [{ url: '/' }]);
});

/** All members of components and inline bodies, and the parameters of queries and paths. */
async function described() {
  const document = await read();
  const found: { where: string; noun: string; name: string; text: string; type: string }[] = [];
  const look = (schema: Schema | undefined, where: string, noun: string) => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [name, member] of Object.entries(schema.properties ?? {})) {
      found.push({ where: `${where}.${name}`, noun, name, text: member.description ?? '', type: typeOf(member) });
      look(member, `${where}.${name}`, name);
    }
    for (const part of [schema.items, schema.additionalProperties]) look(part as Schema, where, noun);
    for (const list of [schema.anyOf, schema.oneOf, schema.allOf])
      for (const part of (list ?? []) as Schema[]) look(part, where, noun);
  };
  const typeOf = ({ type, $ref, anyOf }: Schema) =>
    JSON.stringify($ref ?? type ?? (anyOf as Schema[] | undefined)?.map((one) => one.$ref ?? one.type));
  for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name, name);
  for (const { operation } of operations(document)) {
    const id = operation.operationId ?? '';
    for (const { name, in: place, description = '', schema } of operation.parameters ?? [])
      if (place !== 'header')
        found.push({ where: `${id}?${name}`, noun: id, name, text: description, type: typeOf(schema as Schema) });
    for (const body of [operation.requestBody, ...Object.values(operation.responses ?? {})])
      for (const media of Object.values(body?.content ?? {})) look(media.schema, id, id);
  }
  return found;
}
/** Words of a name or text in small letters, without articles. */
const wordsOf = (text: string) =>
  text
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && !['a', 'an', 'the', 'its'].includes(word));

test('No text only repeats the name of its member', async (t) => {
  const repeated = (await described()).filter(({ name, text }) => wordsOf(name).join() === wordsOf(text).join());
  t.deepEqual(
    repeated.map(({ where, text }) => `${where}: ${text}`),
    [],
  );
});

test('Members share a description only if name and type are alike and the description names its subject', async (t) => {
  const vague = new Set('id name of title type kind status state record entry object value'.split(' '));
  // `projectId` somewhere is the `id` of the project
  const alike = (one: string, other: string) =>
    [one, other].some((long) => [one, other].every((name) => long.toLowerCase().endsWith(name.toLowerCase())));
  // of a type that is not said, or of one type among others
  const agree = (one: string | undefined, other: string | undefined) => {
    const [types, others] = [one, other].map((type = '') => type.replace('integer', 'number').match(/"[a-z]+"/g));
    return !types || !others || types.some((type) => others.includes(type));
  };
  const unlike: string[] = [];
  for (const [text, [first, ...others]] of Map.groupBy(await described(), (one) => one.text))
    for (const { where, name, type } of others) {
      const same = first !== undefined && alike(first.name, name) && agree(first.type, type);
      const vagueText = vague.has(name) && wordsOf(text).every((word) => vague.has(word));
      if (!same || vagueText) unlike.push(`${first?.where}, ${where}: ${text}`);
    }
  t.deepEqual(unlike, []);
});

test('The type of a member is that of its text', async (t) => {
  const types: [RegExp, RegExp][] = [
    [/^Whether /, /boolean/],
    [/^Number of .+s\.$/, /number|integer/],
    [/^(?:Time (?:of|when|until)|Id of) /, /string|integer/],
    [/^Free-form object/, /object/],
  ];
  const wrong = (await described()).filter(
    ({ text, type }) => type !== undefined && types.some(([says, is]) => says.test(text) && !is.test(type)),
  );
  t.deepEqual(
    wrong.map(({ where, text }) => `${where}: ${text}`),
    [],
  );
});

test('Form bodies have an example, and tags have the documented order', async (t) => {
  const document = await read();
  for (const { name, operation } of operations(document))
    for (const [type, media] of Object.entries(operation.requestBody?.content ?? {}))
      if (/urlencoded|csv|plain/.test(type)) t.truthy(media.example, name);
  const { tags } = (await raw()) as unknown as { tags: { name: string }[] };
  const names = tags.map(({ name }) => name);
  t.is(names[0], 'projects');
  t.is(names.at(-1), 'health');
  t.deepEqual(
    [...new Set(operations(document).flatMap(({ operation }) => operation.tags ?? []))].sort(),
    names.toSorted(),
  );
});
