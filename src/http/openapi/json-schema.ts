import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { shownAs } from './described-as.ts';

/** A JSON Schema of draft 2020-12, which is what OpenAPI 3.1 takes. */
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

/** What is sent to the platform, or what it answers. */
export type Direction = 'input' | 'output';

const DEFS = '#/$defs/';
export const SCHEMAS = '#/components/schemas/';

/**
 * Converts zod schemas and gathers those that have an id (`.meta({ id })`) as components. One that differs on its way in and out becomes
 * two: the one that is sent is called `…Input`.
 */
export class Schemas {
  #named = { input: new Map<string, JsonSchema>(), output: new Map<string, JsonSchema>() };

  /** References to components keep the direction until `settle` knows their names. */
  of(schema: z.core.$ZodType, direction: Direction): JsonSchema {
    // as a member even the schema itself becomes a reference when it has an id
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ it: schema as z.ZodType }), {
      io: direction,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: (context) => {
        const shown = shownAs(context.zodSchema);
        if (shown) Object.assign(context.jsonSchema, this.of(shown, direction));
        else tidy(context);
      },
    }) as JsonSchema & { $defs?: Record<string, JsonSchema> };
    for (const [id, { id: _, ...definition }] of Object.entries($defs))
      this.#named[direction].set(
        id,
        pointed(definition, (name) => `${direction}:${name}`),
      );
    return pointed(properties?.it ?? {}, (name) => `${direction}:${name}`);
  }

  /** All components, and the function that gives the references in a document their final names. */
  settle(): { components: Record<string, JsonSchema>; name<T>(document: T): T } {
    const { input, output } = this.#named;
    const apart = this.#differing();
    const nameOf = (reference: string) => {
      const [direction, id = ''] = reference.split(':');
      return `${SCHEMAS}${direction === 'input' && apart.has(id) ? `${id}Input` : id}`;
    };
    const name = <T>(document: T): T => renamed(document, nameOf) as T;
    const components: Record<string, JsonSchema> = {};
    for (const [id, schema] of output) components[id] = name(schema);
    for (const [id, schema] of input)
      if (apart.has(id)) components[`${id}Input`] = name(schema);
      else components[id] ??= name(schema);
    return { components, name };
  }

  /** Ids whose two directions are not the same, or that refer to such a one. */
  #differing(): Set<string> {
    const { input, output } = this.#named;
    const both = [...input].filter(([id]) => output.has(id));
    const plain = (schema: unknown) => renamed(schema, (reference) => reference.split(':')[1] ?? '');
    const apart = new Set(both.filter(([id, one]) => !isDeepStrictEqual(plain(one), plain(output.get(id)))).map(first));
    for (let before = -1; before !== apart.size; ) {
      before = apart.size;
      for (const [id, schema] of both) if (mentions(schema, apart)) apart.add(id);
    }
    return apart;
  }
}

const first = ([id]: [string, unknown]) => id;

function mentions(value: unknown, ids: Set<string>): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { $ref } = value as JsonSchema;
  if (typeof $ref === 'string' && ids.has($ref.split(':')[1] ?? '')) return true;
  return Object.values(value).some((part) => mentions(part, ids));
}

const pointed = (schema: JsonSchema, name: (id: string) => string) =>
  renamed(schema, (reference) =>
    reference.startsWith(DEFS) ? name(reference.slice(DEFS.length)) : reference,
  ) as JsonSchema;

function renamed(value: unknown, nameOf: (reference: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [
      key,
      key === '$ref' && typeof part === 'string' && /^(#\/\$defs\/|input:|output:)/.test(part)
        ? nameOf(part)
        : renamed(part, nameOf),
    ]),
  );
}

/** Takes away what says nothing to a reader: bounds of safe integers, the regular expression beside a format, `additionalProperties: false` of answers. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }) {
  const schema = jsonSchema as JsonSchema & { minimum?: number; maximum?: number; pattern?: string };
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  // many validators know no classes of Unicode in an expression
  if (schema.format !== undefined || /\\p\{/i.test(schema.pattern ?? '')) delete schema.pattern;
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  delete schema.propertyNames;
  // what the library cannot describe, beside what it can
  if (schema.anyOf?.some((one) => Object.keys(one).length === 0)) delete schema.anyOf;
}
