import { type CfVariable, textOf } from './variable.ts';

const pressure = /^(?:Pa|hPa|kPa|mbar|millibars?|mb|bar|dbar|decibars?|pascals?)$/i;
export const isPressure = ({ metadata: { attributes } }: CfVariable): boolean =>
  pressure.test(textOf(attributes.units) ?? '');

/** Whether larger values lie deeper. */
export function isDown(variable: CfVariable, values: Float64Array): boolean {
  const { attributes, name } = variable.metadata;
  const positive = textOf(attributes.positive)?.toLowerCase();
  if (positive === 'up' || positive === 'down') return positive === 'down';
  if (isPressure(variable)) return true;
  const isDepth = textOf(attributes.standard_name) === 'depth' || /^depth/i.test(name);
  return isDepth && values.every((value) => value >= 0);
}

/** Whether the values are numbers of a formula, such as those of sigma and hybrid coordinates (CF appendix D). */
export const isParametric = ({ metadata: { attributes } }: CfVariable): boolean =>
  attributes.formula_terms !== undefined ||
  /^(?:atmosphere|ocean)_\w+_coordinate(?:_g\d)?$/.test(textOf(attributes.standard_name) ?? '');
