import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { documentedSchema } from './described-as.ts';

/** JSON Schema draft 2020-12, which OpenAPI 3.1 uses. */
export interface JsonSchema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  [keyword: string]: unknown;
}

/** Schemas of requests or of answers. */
export type Direction = 'input' | 'output';

const DEFS = '#/$defs/';
export const SCHEMAS = '#/components/schemas/';

/**
 * Converts zod schemas and collects those with an id (`.meta({ id })`) as components. If input and output differ, there
 * are two components; that of the input is named `…Input`.
 */
export class Schemas {
  #named = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };

  /** Converts a schema. Its references contain the direction (`input:Id`) until `finish` replaces them by names. */
  of(schema: z.core.$ZodType, direction: Direction): JsonSchema {
    // inside an object, a schema with an id becomes a reference
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ it: schema as z.ZodType }), {
      io: direction,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: (context) => {
        const shown = documentedSchema(context.zodSchema);
        if (shown) Object.assign(context.jsonSchema, this.of(shown, direction));
        else tidy(context);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [id, { id: _, ...definition }] of Object.entries($defs))
      this.#named[direction].set(
        id,
        withReferences(definition, (name) => `${direction}:${name}`),
      );
    return withReferences(properties?.it ?? {}, (name) => `${direction}:${name}`);
  }

  /** All components, and a function that replaces the references in a document by their final names. */
  finish(): { components: Record<string, JsonSchema>; name<T>(document: T): T } {
    const { input, output } = this.#named;
    const differing = this.#differing();
    const nameOf = (reference: string) => {
      const [direction, id = ''] = reference.split(':');
      return `${SCHEMAS}${direction === 'input' && differing.has(id) ? `${id}Input` : id}`;
    };
    const name = <T>(document: T): T => renamed(document, nameOf) as T;
    const components: Record<string, JsonSchema> = {};
    for (const [id, schema] of output) components[id] = name(schema);
    for (const [id, schema] of input)
      if (differing.has(id)) components[`${id}Input`] = name(schema);
      else components[id] ??= name(schema);
    return { components, name };
  }

  /** Ids whose input and output differ, directly or in a schema to which they refer. */
  #differing(): Set<string> {
    const { input, output } = this.#named;
    const both = [...input].filter(([id]) => output.has(id));
    const plain = (schema: unknown) => renamed(schema, (reference) => reference.split(':')[1] ?? '');
    const ids = new Set(both.filter(([id, one]) => !isDeepStrictEqual(plain(one), plain(output.get(id)))).map(first));
    for (let before = -1; before !== ids.size; ) {
      before = ids.size;
      for (const [id, schema] of both) if (refersTo(schema, ids)) ids.add(id);
    }
    return ids;
  }
}

const first = ([id]: [string, unknown]) => id;

function refersTo(value: unknown, ids: Set<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { $ref } = value as JsonSchema;
  if (typeof $ref === 'string' && ids.has($ref.split(':')[1] ?? '')) return true;
  return Object.values(value).some((part) => refersTo(part, ids));
}

const withReferences = (schema: JsonSchema, name: (id: string) => string) =>
  renamed(schema, (reference) =>
    reference.startsWith(DEFS) ? name(reference.slice(DEFS.length)) : reference,
  ) as JsonSchema;

function renamed(value: unknown, nameOf: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  // a union with a type that zod cannot represent accepts everything
  const { anyOf = [], ...rest } = value as JsonSchema;
  const open = anyOf.some((one) => Object.keys(one).length === 0);
  return Object.fromEntries(
    Object.entries(open ? rest : value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' && /^(#\/\$defs\/|input:|output:)/.test(part)
        ? nameOf(part)
        : renamed(part, nameOf),
    ]),
  );
}

/**
 * Removes keywords of no use to readers: bounds of safe integers, the pattern of a format, `additionalProperties:
 * false` of answers.
 */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  const schema = jsonSchema as JsonSchema & { minimum?: number; maximum?: number; pattern?: string };
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // many validators do not support Unicode classes in patterns
  if (schema.format !== undefined || /\\p\{/i.test(schema.pattern ?? '')) delete schema.pattern;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.propertyNames;
  // OpenAPI 3.1 deprecates `example`
  if ('example' in schema) {
    schema.examples = [schema.example];
    delete schema.example;
  }
}
