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
