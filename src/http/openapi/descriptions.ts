import type { Entry } from './glossary/entry.ts';
import { GLOSSARY } from './glossary/glossary.ts';
import { type JsonSchema, SCHEMAS } from './json-schema.ts';

/**
 * Adds descriptions of the glossary to a schema and its members, unless they have one: the entry `Schema.member`, else
 * the entry `member`.
 */
export function addDescriptions(schema: JsonSchema, id: string) {
  const own = GLOSSARY[id];
  if (own !== undefined && schema.$ref === undefined) schema.description ??= textOf(own);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const entry = entryOf(id, name);
    if (member.description === undefined && entry !== undefined) member.description = textOf(entry);
    addDescriptions(member, id);
  }
  const parts = [schema.items, schema.additionalProperties];
  for (const part of parts) if (typeof part === 'object') addDescriptions(part, id);
  const alternatives = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  for (const alternative of alternatives) addDescriptions(alternative, id);
}

const entryOf = (id: string, name: string) => GLOSSARY[`${id.replace(/Input$/, '')}.${name}`] ?? GLOSSARY[name];
const textOf = (entry: Entry) => (typeof entry === 'string' ? entry : entry[0]);

/**
 * An example value of the schema: members have the examples of the glossary, else a simple value of their type. Omits
 * members without either.
 */
export function exampleOf(schema: JsonSchema, components: Record<string, JsonSchema>, id: string): unknown {
  const own = GLOSSARY[id];
  if (Array.isArray(own)) return own[1];
  return simpleValue(schema, components, id, []);
}

function simpleValue(
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
  id: string,
  within: readonly string[],
): unknown {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(SCHEMAS.length);
    const entry = GLOSSARY[name.replace(/Input$/, '')];
    if (Array.isArray(entry)) return entry[1];
    if (within.includes(name)) return undefined;
    return simpleValue(components[name] ?? {}, components, name, [...within, name]);
  }
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  const choice = schema.oneOf ?? schema.anyOf;
  if (choice?.[0] !== undefined) return simpleValue(choice[0], components, id, within);
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return membersOf(schema, components, id, within);
    case 'array': {
      const item = schema.items && simpleValue(schema.items, components, id, within);
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
    const entry = entryOf(id, name);
    const fits = Array.isArray(entry) && isOfType(entry[1], member);
    return [name, fits ? entry[1] : simpleValue(member, components, id, within)] as const;
  });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** Whether an example has the type of the member: one name can have several types. */
function isOfType(value: unknown, { type }: JsonSchema): boolean {
  if (type === undefined) return true;
  const own = Array.isArray(value) ? 'array' : Number.isInteger(value) ? 'integer' : typeof value;
  return [type].flat().some((one) => one === own || (one === 'number' && own === 'integer'));
}
