import { z } from 'zod';

/**
 * The rules of CoverageJSON 1.0 (OGC 21-069r2): 6.1 domains and their axes, 6.2 NdArrays, 6.3 parameters, 6.4
 * coverages, 6.5 collections (their numbers in the standard differ), and the axes of its common domain types (annex
 * "Common Domain Types").
 */
const I18n = z.record(z.string().min(1), z.string()).refine((texts) => Object.keys(texts).length > 0);
const Time = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
const Axis = z.union([
  z.strictObject({ start: z.number(), stop: z.number(), num: z.int().min(1) }),
  z.strictObject({ values: z.union([z.array(z.number()).min(1), z.array(Time).min(1)]) }),
  z
    .strictObject({
      dataType: z.literal('tuple'),
      coordinates: z.array(z.enum(['x', 'y', 'z'])).min(2),
      values: z.array(z.array(z.number())).min(1),
    })
    .refine(({ coordinates, values }) => values.every(({ length }) => length === coordinates.length)),
]);
type Axis = z.output<typeof Axis>;
const System = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['GeographicCRS', 'ProjectedCRS']), id: z.url().optional(), description: I18n.optional() }),
  z.object({
    type: z.literal('VerticalCRS'),
    cs: z.object({
      csAxes: z.array(
        z.object({ name: I18n, direction: z.enum(['up', 'down']), unit: z.object({ symbol: z.string() }) }),
      ),
    }),
  }),
  z.object({ type: z.literal('TemporalRS'), calendar: z.literal('Gregorian') }),
]);
const Parameter = z.object({
  type: z.literal('Parameter'),
  description: I18n.optional(),
  unit: z.object({ label: I18n.optional(), symbol: z.string().optional() }).optional(),
  observedProperty: z.object({ id: z.url().optional(), label: I18n }),
});
const NdArray = z
  .strictObject({
    type: z.literal('NdArray'),
    dataType: z.enum(['float', 'integer']),
    axisNames: z.array(z.string()).optional(),
    shape: z.array(z.int().min(1)).optional(),
    values: z.array(z.number().nullable()),
  })
  .refine(({ shape = [], axisNames = [] }) => shape.length === axisNames.length)
  .refine(({ shape = [], values }) => values.length === shape.reduce((size, length) => size * length, 1))
  .refine(
    ({ dataType, values }) =>
      dataType === 'float' || values.every((value) => value === null || Number.isInteger(value)),
  );

const lengthOf = (axis: Axis): number => ('num' in axis ? axis.num : axis.values.length);
/** Axes of the common domain types: `1` one coordinate, `n` any number; with `?` it may be missing. */
const TYPES: Readonly<Record<string, Readonly<Record<string, '1' | 'n' | '1?' | 'n?'>>>> = {
  Grid: { x: 'n', y: 'n', z: 'n?', t: 'n?' },
  VerticalProfile: { x: '1', y: '1', z: 'n', t: '1?' },
  PointSeries: { x: '1', y: '1', z: '1?', t: 'n' },
  Point: { x: '1', y: '1', z: '1?', t: '1?' },
  MultiPointSeries: { composite: 'n', t: 'n' },
  MultiPoint: { composite: 'n', t: '1?' },
};

const Coverage = z
  .object({
    type: z.literal('Coverage'),
    domain: z.object({
      type: z.literal('Domain'),
      domainType: z.enum(Object.keys(TYPES) as [string, ...string[]]).optional(),
      axes: z.record(z.string(), Axis),
      referencing: z.array(z.object({ coordinates: z.array(z.string()).min(1), system: System })),
    }),
    parameters: z.record(z.string(), Parameter),
    ranges: z.record(z.string(), NdArray),
  })
  .superRefine(({ domain: { domainType, axes, referencing }, parameters, ranges }, context) => {
    const wrong = (message: string) => context.addIssue({ code: 'custom', message });
    if (Object.keys(parameters).join() !== Object.keys(ranges).join()) wrong('a parameter for each range');
    for (const { axisNames = [], shape = [] } of Object.values(ranges)) {
      for (const [d, name] of axisNames.entries())
        if (axes[name] === undefined || lengthOf(axes[name]) !== shape[d]) wrong(`range along ${name}`);
      for (const [name, axis] of Object.entries(axes))
        if (!axisNames.includes(name) && lengthOf(axis) !== 1) wrong(`no range along ${name}`);
    }
    const names = Object.entries(axes).flatMap(([name, axis]) => ('coordinates' in axis ? axis.coordinates : [name]));
    const referenced = referencing.flatMap(({ coordinates }) => coordinates);
    for (const name of referenced) if (!names.includes(name)) wrong(`${name} is referenced, but there is no such axis`);
    for (const name of ['t', 'z'])
      if (names.includes(name) && !referenced.includes(name)) wrong(`${name} has no reference`);
    if (domainType === undefined) return;
    const rules = TYPES[domainType]!;
    for (const name of Object.keys(axes)) if (!(name in rules)) wrong(`${domainType} has no axis ${name}`);
    for (const [name, rule] of Object.entries(rules)) {
      const axis = axes[name];
      if (axis === undefined && !rule.endsWith('?')) wrong(`${domainType} lacks ${name}`);
      if (axis !== undefined && rule.startsWith('1') && lengthOf(axis) !== 1) wrong(`${domainType} has one ${name}`);
    }
  });

export type Coverage = z.output<typeof Coverage>;

export const CovJson = z.union([
  Coverage,
  z.object({ type: z.literal('CoverageCollection'), coverages: z.array(Coverage) }),
]);
