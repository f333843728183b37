import { type JsonSchema, SCHEMAS } from './json-schema.ts';

/**
 * A value of the schema, of the examples of its members, or of simple values of their types. Undefined if the schema
 * accepts everything; members without a value are omitted.
 */
export function makeExample(
  schema: JsonSchema,
  components: Record<string, JsonSchema>,
  within: readonly string[] = [],
): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(SCHEMAS.length);
    return within.includes(name) ? undefined : makeExample(components[name] ?? {}, components, [...within, name]);
  }
  if (schema.const !== undefined) return schema.const;
  const [choice] = schema.oneOf ?? schema.anyOf ?? [];
  if (choice !== undefined) return makeExample(choice, components, within);
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'object': {
      const members = Object.entries(schema.properties ?? {}).map(
        ([name, member]) => [name, makeExample(member, components, within)] as const,
      );
      return Object.fromEntries(members.filter(([, value]) => value !== undefined));
    }
    case 'array': {
      const item = schema.items && makeExample(schema.items, components, within);
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
