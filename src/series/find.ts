import { z } from 'zod';
import type { Reads } from '../db.ts';
import { invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { component } from '../http/rules/members.ts';
import { queryEnum } from '../http/rules/query.ts';
import { parseTime } from './clock.ts';
import { visibleSchema } from './dataset.ts';
import type { Series, SeriesProperty } from './definitions.ts';
import { hasType } from './property-values.ts';
import { listSeries } from './queries.ts';
import { toSeries } from './series.ts';

const OPERATORS = [
  'Equal',
  'NotEqual',
  'GreaterThan',
  'LessThan',
  'GreaterThanOrEqual',
  'LessThanOrEqual',
  'Contains',
  'StartsWith',
] as const;
type Operator = (typeof OPERATORS)[number];
const TYPE = 'AttributeQueryCondition';
/** Name in a condition that is compared with the name of the item. */
const ITEM = 'Item';
const MAX_CONDITIONS = 100;

export const Condition = component('TimeSeriesCondition', {
  type: queryEnum([TYPE]).describe('`AttributeQueryCondition`.'),
  name: z
    .string()
    .min(1)
    .max(255)
    .meta({ description: '`Item` for the name of the item, else the name of a property.', example: 'Item' }),
  operator: queryEnum(OPERATORS).describe(
    '`Equal`, `NotEqual`, `GreaterThan`, `LessThan`, `GreaterThanOrEqual`, `LessThanOrEqual`, `Contains` or `StartsWith`.',
  ),
  value: z.unknown().meta({ description: 'Value to compare with, of the type of the property.', example: 'Water' }),
});
export type Condition = z.infer<typeof Condition>;
export const Conditions = z.array(Condition).max(MAX_CONDITIONS);

/** The series that meet all conditions. A series without a value of a property meets only `NotEqual`. */
export async function findSeriesBy(
  db: Reads,
  caller: Caller,
  datasetId: string,
  conditions: readonly Condition[],
): Promise<Series[]> {
  const { schema } = await visibleSchema(db, caller, datasetId);
  const tests = conditions.map((condition, at) => compileTest(condition, schema, `conditions[${at}]`));
  const all = await listSeries(db, datasetId);
  return all.filter((series) => tests.every((test) => test(series))).map(toSeries);
}

function compileTest(
  { name, operator, value }: Condition,
  schema: readonly SeriesProperty[],
  path: string,
): (series: Series) => boolean {
  // a property of this name hides the name of the item
  const property = schema.find((one) => one.name === name);
  if (!property && name.toLowerCase() !== ITEM.toLowerCase())
    throw invalidMember(`${path}.name`, `The dataset defines no property '${name}'. Use one of its own, or ${ITEM}.`);
  const dataType = property?.dataType ?? 'Text';
  if (!hasType(value, dataType))
    throw invalidMember(`${path}.value`, `'${name}' is of type ${dataType}, which ${JSON.stringify(value)} is not.`);
  if ((operator === 'Contains' || operator === 'StartsWith') && dataType !== 'Text')
    throw invalidMember(`${path}.operator`, `${operator} needs a property of type Text; '${name}' is ${dataType}.`);
  const comparable = (each: unknown) => (dataType === 'DateTime' ? parseTime(String(each)) : each) as string;
  const expected = comparable(value);
  return ({ item, properties }) => {
    const own = property ? properties[name] : item.name;
    if (own === null || own === undefined) return operator === 'NotEqual';
    return compare(comparable(own), operator, expected);
  };
}

function compare(one: string, operator: Operator, two: string): boolean {
  switch (operator) {
    case 'Equal':
      return one === two;
    case 'NotEqual':
      return one !== two;
    case 'GreaterThan':
      return one > two;
    case 'LessThan':
      return one < two;
    case 'GreaterThanOrEqual':
      return one >= two;
    case 'LessThanOrEqual':
      return one <= two;
    case 'Contains':
      return one.includes(two);
    case 'StartsWith':
      return one.startsWith(two);
  }
}
