import { z } from 'zod';
import { METADATA } from './members.ts';
import { compileShape, hasNames, type Shape } from './shapes.ts';

/** Maximum size of a free-form member in bytes. */
const MAX_FREE_FORM = 2 ** 20;
const BOUND = MAX_FREE_FORM.toLocaleString('en');

/** Refuses values with more than 1 MiB of JSON. */
export const boundedJson = <Schema extends z.ZodType>(schema: Schema) =>
  schema.superRefine((value, context) => {
    const bytes = storedBytes(value);
    if (bytes > MAX_FREE_FORM)
      context.addIssue(`must have at most ${BOUND} bytes as JSON, not ${bytes.toLocaleString('en')}`);
  });

/** Size as `jsonb` text: Postgres writes numbers without an exponent, so 1e300 has hundreds of digits. */
function storedBytes(value: unknown): number {
  const text = JSON.stringify(value);
  let bytes = Buffer.byteLength(text);
  for (const [, exponent] of text.matchAll(/\de([+-]\d{1,3})(?=[,\]}])/g)) bytes += Math.abs(Number(exponent));
  return bytes;
}

/** A free-form object (`metadata`, `properties`, `settings`): names, letter case and nulls in it are kept. */
export const freeForm = () => boundedJson(z.record(z.string(), z.unknown()));

export const metadataForm = freeForm().meta(METADATA);
export const propertiesForm = freeForm().describe('Free-form object; the platform adds `statistics` of the data.');

/** The description of an object. Short, because lists contain it. */
export const descriptionText = () => z.string().max(16_384);

/**
 * Compiles a function that folds a body to its schema: accepts declared names in any letter case (the exact spelling
 * wins), removes null and undeclared members, and replaces an absent body by `{}` or `[]` if an object or a list is
 * expected: clients drop both. Does not change its argument.
 */
export function foldFor(schema: z.core.$ZodType): (body: unknown) => unknown {
  const shape = compileShape(schema);
  const walk = hasNames(shape);
  return (body) => {
    if (body === undefined || body === null) return emptyOf(shape) ?? body;
    return walk ? fold(shape, body) : body;
  };
}

function emptyOf(shape: Shape) {
  if (shape.members || shape.values) return {};
  return shape.items ? [] : undefined;
}

function fold(shape: Shape, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const { items } = shape;
    return items && hasContent(items) ? value.map((item) => fold(items, item)) : value;
  }
  if (shape.members) return foldMembers(shape, shape.members, value as Record<string, unknown>);
  const { values } = shape;
  if (!values || !hasContent(values)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fold(values, item)]));
}

const hasContent = (shape: Shape) =>
  shape.members !== undefined || shape.items !== undefined || shape.values !== undefined;

function foldMembers(shape: Shape, members: NonNullable<Shape['members']>, value: Record<string, unknown>) {
  const folded: Record<string, unknown> = {};
  for (const sent of Object.keys(value)) {
    const member = members.get(sent) ?? members.get(sent.toLowerCase());
    if (!member) {
      if (shape.loose && sent !== '__proto__') folded[sent] = value[sent];
      continue;
    }
    if (sent !== member.name && Object.hasOwn(value, member.name)) continue;
    const item = value[sent];
    if (item !== null && item !== undefined) folded[member.name] = fold(member.shape, item);
  }
  return folded;
}

/** `['members', 0, 'userId']` → `Members[0].userID`: the path in the spelling of the request, else as declared. */
export function pathAsSent(sent: unknown, path: readonly PropertyKey[]): string {
  let text = '';
  let at = sent;
  for (const part of path) {
    if (typeof part === 'number') {
      text += `[${part}]`;
      at = Array.isArray(at) ? at[part] : undefined;
      continue;
    }
    const spelling = spellingIn(at, String(part));
    text += text === '' ? spelling : `.${spelling}`;
    at = typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[spelling] : undefined;
  }
  return text;
}

function spellingIn(value: unknown, name: string): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.hasOwn(value, name)) return name;
  const lower = name.toLowerCase();
  return Object.keys(value).findLast((key) => key.toLowerCase() === lower) ?? name;
}

/** `members[0].userId` → `['members', 0, 'userId']`. */
export const splitPath = (dotted: string): (string | number)[] =>
  [...dotted.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, index]) => (index === undefined ? text : Number(index)));
