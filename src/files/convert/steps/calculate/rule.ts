import { eumItem, eumUnitNamed, isEumPair } from '../../../data/eum/eum.ts';
import { findEumUnit } from '../../../data/eum/unit-text.ts';
import { ConversionError } from '../../../errors.ts';
import { readEumItem, readItemName } from '../item-members.ts';
import { isText, type Members } from '../request-members.ts';
import type { StepRule } from '../rule.ts';
import { parseExpression } from './parse-expression.ts';
import type { CalculatedItem, CalculateTransformation } from './transformation.ts';

/** Maximum number of calculated items. */
const MOST = 50;

export const calculate: StepRule<CalculateTransformation> = {
  needs: 'items',
  makes: { grid: ['grid'], mesh: ['mesh'], series: ['series'], array: ['array'] },
  read(members) {
    const given = members.objects('calculate', 'an object with name and expression');
    const keep = members.may('keep', (value) => typeof value === 'boolean', 'true or false') ?? false;
    if (given.length > MOST)
      return members.refuse('calculate', `${given.length} items are calculated; the maximum is ${MOST}.`);
    const items = given.flatMap((one) => readItem(one) ?? []);
    const twice = items.find(({ name }, n) => items.findIndex((other) => other.name === name) < n);
    if (twice !== undefined) members.refuse('calculate', `The item '${twice.name}' is calculated twice.`);
    return { type: 'CalculateTransformation', items, keep };
  },
  load: () => import('./step.ts'),
};

function readItem(members: Members): CalculatedItem | undefined {
  const name = readItemName(members, 'name');
  const text = members.need('expression', isText, 'an expression such as surface - bed');
  const unit = members.may('unit', isText, 'a unit such as eumUmeter or m');
  const item = members.has('item') ? readEumItem(members, 'item') : undefined;
  const code = unit === undefined ? undefined : (eumUnitNamed(unit) ?? findEumUnit(unit))?.code;
  if (item !== undefined && code !== undefined && !isEumPair({ item, unit: code }))
    members.refuse(
      'unit',
      `${members.pathOf('unit')} is ${unit}, which is not a unit of ${eumItem(item)?.identifier}.`,
    );
  if (name === undefined || text === undefined) return undefined;
  try {
    const expression = parseExpression(text);
    return { name, expression, ...(unit === undefined ? {} : { unit }), ...(item === undefined ? {} : { item }) };
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return members.refuse('expression', error.message);
  }
}
