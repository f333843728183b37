import type { Recorded } from '../world/recorder.ts';

interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

interface Operation {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

/** The part of the platform's own OpenAPI description that says what may be sent. */
export interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

/** Undeclared parts of a request: names of the query, members of the body by their dotted paths. */
export function undeclared(description: Description, request: Recorded): string[] {
  const operation = operationOf(description, request);
  if (!operation) return [`no route ${request.method} ${request.path}`];
  const names = new Set(operation.parameters?.filter((one) => one.in === 'query').map(({ name }) => name));
  const schema = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
  return [
    ...request.query.filter((name) => !names.has(name)).map((name) => `?${name}`),
    ...(request.body === undefined || schema === undefined ? [] : strangers(description, schema, request.body, '')),
  ];
}

function operationOf({ paths }: Description, { method, path }: Recorded): Operation | undefined {
  const segments = path.split('/');
  const fits = (template: string) => {
    const parts = template.split('/');
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  };
  // a path that is spelt out goes before one with a parameter
  const [template] = Object.keys(paths)
    .filter((one) => fits(one) && paths[one]?.[method.toLowerCase()])
    .sort((one, other) => one.split('{').length - other.split('{').length);
  return template === undefined ? undefined : paths[template]?.[method.toLowerCase()];
}

function strangers(description: Description, schema: Schema, value: unknown, path: string): string[] {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/components/schemas/', '');
    return strangers(description, description.components.schemas[name] ?? {}, value, path);
  }
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) {
    const found = variants.map((one) => strangers(description, one, value, path));
    return found.reduce((best, one) => (one.length < best.length ? one : best));
  }
  if (schema.allOf) return schema.allOf.flatMap((one) => strangers(description, one, value, path));
  if (Array.isArray(value))
    return value.flatMap((one, at) => strangers(description, schema.items ?? {}, one, `${path}[${at}]`));
  if (typeof value !== 'object' || value === null || !schema.properties) return [];
  const { properties, additionalProperties } = schema;
  return Object.entries(value).flatMap(([name, member]) => {
    const declared = properties[name];
    if (declared) return strangers(description, declared, member, `${path}.${name}`);
    return typeof additionalProperties === 'object' || additionalProperties === true ? [] : [`${path}.${name}`];
  });
}
