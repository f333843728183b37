import type { FastifySerializerCompiler } from 'fastify/types/schema.js';
import { serializerCompiler as byZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { defOf } from '../rules/shapes.ts';
import { JsonText } from './json-text.ts';

/** Writes a value as JSON. `path`: name of the member, for errors. */
type Write = (value: unknown, path: string) => string;
/**
 * Whether a value (not undefined) matches the schema exactly: no undeclared members, and the members in the declared
 * order.
 */
type Fits = (value: unknown) => boolean;

interface Serializer {
  write: Write;
  fits: Fits;
}

/**
 * Compiles schemas of answers to functions that check and write declared members in one pass and omit others. Ten times
 * as fast as zod, which copies the answer first. Values that match exactly, as nearly all do, are written by
 * `JSON.stringify`, which is another four times as fast. Schemas with transforms or checks use zod. Objects may be
 * `JsonText`.
 */
export const serializerCompiler: FastifySerializerCompiler<z.ZodType> = (route) => {
  const { schema } = route;
  if (!(schema instanceof z.ZodType)) return byZod(route as never);
  const { write, fits } = serializer(schema);
  return (value) => (value !== undefined && fits(value) ? JSON.stringify(value) : write(value, ''));
};

function serializer(schema: z.core.$ZodType): Serializer {
  return (
    compiled(schema) ?? {
      write: (value) => JSON.stringify(z.encode(schema, value as never)),
      fits: () => false,
    }
  );
}

/** Undefined if the schema needs zod. */
function compiled(schema: z.core.$ZodType): Serializer | undefined {
  const def = defOf(schema) as ReturnType<typeof defOf> & {
    checks?: unknown[];
    format?: string;
    coerce?: boolean;
    entries?: Record<string, unknown>;
  };
  if (def.checks !== undefined && def.checks.length > 0) return undefined;
  switch (def.type) {
    case 'any':
    case 'unknown':
      return { write: (value) => JSON.stringify(value) ?? 'null', fits: isJson };
    case 'string':
      return def.format === undefined && !def.coerce ? { write: writeString, fits: isString } : undefined;
    case 'number':
      if (def.coerce) return undefined;
      if (def.format === undefined) return { write: writeNumber, fits: Number.isFinite };
      return def.format === 'safeint' ? { write: writeInteger, fits: Number.isSafeInteger } : undefined;
    case 'boolean':
      return def.coerce ? undefined : { write: writeBoolean, fits: isBoolean };
    case 'enum':
      return ofEnum(Object.values(def.entries ?? {}));
    case 'optional':
      return serializer(def.innerType);
    case 'array':
      return ofArray(serializer(def.element));
    case 'object':
      return def.catchall === undefined ? ofObject(def.shape) : undefined;
    default:
      return undefined;
  }
}

function wrong(path: string, expected: string, value: unknown): never {
  throw new TypeError(
    `The member '${path}' of an answer must be ${expected}, not ${value === null ? 'null' : typeof value}.`,
  );
}

const isString: Fits = (value) => typeof value === 'string';
const isBoolean: Fits = (value) => typeof value === 'boolean';
const isJson: Fits = (value) => ['object', 'string', 'number', 'boolean'].includes(typeof value);

const writeString: Write = (value, path) =>
  typeof value === 'string' ? JSON.stringify(value) : wrong(path, 'text', value);
const writeNumber: Write = (value, path) => (Number.isFinite(value) ? String(value) : wrong(path, 'a number', value));
const writeInteger: Write = (value, path) =>
  Number.isSafeInteger(value) ? String(value) : wrong(path, 'a whole number', value);
const writeBoolean: Write = (value, path) =>
  typeof value === 'boolean' ? String(value) : wrong(path, 'true or false', value);

function ofEnum(values: readonly unknown[]): Serializer {
  const texts = new Map(values.map((value) => [value, JSON.stringify(value)]));
  return {
    write: (value, path) => texts.get(value) ?? wrong(path, `one of ${values.join(', ')}`, value),
    fits: (value) => texts.has(value),
  };
}

function ofArray({ write, fits }: Serializer): Serializer {
  return {
    write(value, path) {
      if (!Array.isArray(value)) return wrong(path, 'a list', value);
      let text = '[';
      for (let n = 0; n < value.length; n++) text += n === 0 ? write(value[n], path) : `,${write(value[n], path)}`;
      return `${text}]`;
    },
    fits(value) {
      if (!Array.isArray(value)) return false;
      for (let n = 0; n < value.length; n++) if (value[n] === undefined || !fits(value[n])) return false;
      return true;
    },
  };
}

function ofObject(shape: Record<string, z.core.$ZodType>): Serializer {
  const members = Object.entries(shape).map(([name, schema]) => ({
    name,
    start: `${JSON.stringify(name)}:`,
    ...serializer(schema),
    mayBeAbsent: schema._zod.optin === 'optional' || ['any', 'unknown'].includes(defOf(schema).type),
  }));
  return {
    write(value, path) {
      if (value instanceof JsonText) return value.text;
      if (!isObject(value)) return wrong(path, 'an object', value);
      let text = '';
      for (const { name, start, write, mayBeAbsent } of members) {
        const member = value[name];
        if (member === undefined && mayBeAbsent) continue;
        text += text === '' ? start : `,${start}`;
        text += write(member, name);
      }
      return `{${text}}`;
    },
    fits(value) {
      if (!isObject(value)) return false;
      let next = 0;
      for (const name in value) {
        const content = value[name];
        if (content === undefined) continue;
        while (members[next]?.mayBeAbsent && members[next]?.name !== name) next++;
        const member = members[next++];
        if (member === undefined || member.name !== name || !member.fits(content)) return false;
      }
      while (members[next]?.mayBeAbsent) next++;
      return next === members.length;
    },
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
