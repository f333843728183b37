import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pino from 'pino';
import { buildApp } from '../../src/app.ts';
import { environmentName, loadConfig } from '../../src/config.ts';
import { openOwnStore, storeSettings } from '../../src/transfers/store/owner.ts';
import { testDatabase } from './database.ts';

export const API_TYPES = new URL('../../src/web/client/api-types.ts', import.meta.url);

type Schema = Record<string, unknown>;

interface Operation {
  summary: string;
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema; $ref?: string }[];
  requestBody?: { required?: boolean; content: Record<string, { schema?: Schema }> };
  responses: Record<string, { content?: Record<string, { schema?: Schema }> }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** TypeScript types of the API for the pages of browsers: a type per schema, and the parts of each operation. */
export function describeTypes({ paths, components }: Document): string {
  const schemas = Object.entries(components.schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => describeOperation(path, method, operation)),
  );
  return [
    '// Types of the REST API. Written by `npm run api-types`; do not edit.',
    '',
    ...schemas.map(([name, schema]) => `export type ${name} = ${typeOf(schema)};`),
    '',
    'export interface Operations {',
    ...operations.sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text),
    '}',
    '',
  ].join('\n');
}

function describeOperation(path: string, method: string, operation: Operation): [name: string, text: string][] {
  if (!path.startsWith('/api/') || path.includes('*') || method === 'head') return [];
  const of = (place: string) => (operation.parameters ?? []).filter((one) => one.in === place);
  const params = of('path').map(({ name }) => `${key(name)}: string`);
  const query = of('query').map(
    ({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema ?? {})}`,
  );
  const { requestBody } = operation;
  const body = Object.entries(requestBody?.content ?? {}).find(([type]) => type === 'application/json')?.[1].schema;
  const parts = [
    ...(params.length > 0 ? [`params: { ${params.join('; ')} }`] : []),
    ...(query.length > 0 ? [`query: { ${query.join('; ')} }`] : []),
    ...(body === undefined ? [] : [`body${requestBody?.required === false ? '?' : ''}: ${typeOf(body)}`]),
    `answer: ${answerOf(operation)}`,
  ];
  const name = `'${method.toUpperCase()} ${path}'`;
  return [[name, `${comment(operation.summary)}\n  ${name}: { ${parts.join('; ')} };`]];
}

/** In lines of at most 120 columns. */
function comment(sentence: string): string {
  if (sentence.length < 110) return `  /** ${sentence} */`;
  return `  /**\n${sentence.replace(/(.{1,110})(?: |$)/g, '   * $1\n')}   */`;
}

/** JSON that a request gets if it succeeds; `undefined` where there is none, such as 204. */
function answerOf({ responses }: Operation): string {
  const types = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([, { content }]) => {
      const [type, media] = Object.entries(content ?? {}).find(([name]) => /[/+]json$/.test(name)) ?? [];
      return type === undefined || media?.schema === undefined ? 'undefined' : typeOf(media.schema);
    });
  return [...new Set(types)].join(' | ') || 'undefined';
}

const key = (name: string) => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

function typeOf(schema: Schema | boolean): string {
  if (typeof schema === 'boolean') return 'unknown';
  const { $ref, anyOf, oneOf, allOf, type } = schema as {
    $ref?: string;
    anyOf?: Schema[];
    oneOf?: Schema[];
    allOf?: Schema[];
    type?: string | string[];
  };
  if ($ref !== undefined) return $ref.split('/').at(-1)!;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((one) => JSON.stringify(one)).join(' | ');
  if (anyOf ?? oneOf) return joined((anyOf ?? oneOf)!, ' | ');
  if (allOf) return joined(allOf, ' & ');
  if (Array.isArray(type))
    return joined(
      type.map((one) => ({ ...schema, type: one })),
      ' | ',
    );
  switch (type) {
    case 'string':
      return 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return arrayType(schema);
    case 'object':
      return objectType(schema);
    default:
      return schema.properties === undefined ? 'unknown' : objectType(schema);
  }
}

const joined = (schemas: Schema[], by: string) => `(${[...new Set(schemas.map(typeOf))].join(by)})`;

function arrayType({ prefixItems, items }: Schema): string {
  if (Array.isArray(prefixItems)) return `[${prefixItems.map(typeOf).join(', ')}]`;
  return `(${items === undefined ? 'unknown' : typeOf(items as Schema)})[]`;
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema): string {
  const members = Object.entries(properties as Record<string, Schema>).map(
    ([name, schema]) => `${key(name)}${(required as string[]).includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  if (members.length > 0) return `{ ${members.join('; ')} }`;
  const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties as Schema) : 'unknown';
  return `Record<string, ${values}>`;
}

/** The description of a server with default settings. */
async function readDocument(): Promise<Document> {
  const database = await testDatabase(4);
  const config = loadConfig({ [environmentName('data')]: database.folder });
  const log = pino({ level: 'silent' });
  const blobs = await openOwnStore(database.db, storeSettings(config), log);
  const app = await buildApp({ config, db: database.db, databaseUrl: database.runtimeUrl, blobs, log });
  const { payload } = await app.inject({ url: '/openapi.json' });
  await app.close();
  await database.close();
  return JSON.parse(payload) as Document;
}

/** As Biome formats it. */
export async function formatted(text: string): Promise<string> {
  const biome = spawn('biome', ['format', '--stdin-file-path=api-types.ts'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: {
      ...process.env,
      PATH: `${fileURLToPath(new URL('../../node_modules/.bin', import.meta.url))}:${process.env.PATH}`,
    },
  });
  biome.stdin.end(text);
  return Buffer.concat(await Array.fromAsync(biome.stdout)).toString();
}

async function writeTypes(): Promise<void> {
  await writeFile(API_TYPES, await formatted(describeTypes(await readDocument())));
}

// groups of tests load this file in a way that knows no top-level await
if (import.meta.main) void writeTypes();
