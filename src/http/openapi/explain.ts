import { WORDS } from './glossary.ts';
import type { JsonSchema } from './json-schema.ts';
import { SCHEMAS } from './json-schema.ts';

/**
 * Gives every member below a schema that says nothing of itself the words of the glossary: under `Schema.member` where they are its own,
 * else those that the name has everywhere.
 */
export function explain(schema: JsonSchema, id: string) {
  const described = WORDS[id];
  if (described !== undefined && schema.$ref === undefined) schema.description ??= textOf(described);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const word = wordOf(id, name);
    if (member.description === undefined && word !== undefined) member.description = textOf(word);
    explain(member, id);
  }
  for (const part of [schema.items, schema.additionalProperties]) if (typeof part === 'object') explain(part, id);
  for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) explain(part, id);
}

const wordOf = (id: string, name: string) => WORDS[`${id.replace(/Input$/, '')}.${name}`] ?? WORDS[name];
const textOf = (word: string | readonly [string, unknown]) => (typeof word === 'string' ? word : word[0]);

/** A value of the schema: what the glossary has for each member, else the plainest one of its type. Members that cannot be told are left out. */
export function exampleOf(schema: JsonSchema, components: Record<string, JsonSchema>, id: string): unknown {
  const whole = WORDS[id];
  if (Array.isArray(whole)) return whole[1];
  return plainest(schema, components, id, []);
}

function plainest(
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
  id: string,
  within: readonly string[],
): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(SCHEMAS.length);
    const word = WORDS[name.replace(/Input$/, '')];
    if (Array.isArray(word)) return word[1];
    if (within.includes(name)) return undefined;
    return plainest(components[name] ?? {}, components, name, [...within, name]);
  }
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice?.[0] !== undefined) return plainest(choice[0], components, id, within);
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return membersOf(schema, components, id, within);
    case 'array': {
      const item = schema.items && plainest(schema.items, components, id, within);
      return item === undefined ? [] : [item];
    }
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    case 'string':
      return schema.format === 'uuid' ? '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10' : 'text';
    default:
      return undefined;
  }
}

function membersOf(schema: JsonSchema, components: Record<string, JsonSchema>, id: string, within: readonly string[]) {
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const word = wordOf(id, name);
    const known = Array.isArray(word) && isOfType(word[1], member);
    return [name, known ? word[1] : plainest(member, components, id, within)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** The same name may be a number in one record and a list in another. */
function isOfType(value: unknown, { type }: JsonSchema): boolean {
  if (type === undefined) return true;
  const own = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  return [type].flat().some((one) => one === own || (one === 'number' && own === 'integer'));
}
