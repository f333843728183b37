import { z } from 'zod';
import { FormatError } from '../../../errors.ts';
import { textNumber } from './json-number.ts';

/**
 * The attribute `platform` of the group: what the conventions of CF and UGRID cannot say, so that the data come back as
 * they were. It names the arrays that hold the rest.
 */
export const ATTRIBUTE = 'platform';

/** A number, also one that JSON cannot write. */
const number = z.unknown().transform((value, context) => {
  const read = textNumber(value);
  if (read !== undefined) return read;
  context.addIssue({ code: 'custom', message: `${JSON.stringify(value)?.slice(0, 40)} is not a number` });
  return z.NEVER;
});
const name = z.string();
const eum = z.object({ item: z.int(), unit: z.int() });
const affine = z.tuple([number, number, number, number, number, number]);

const Crs = z.object({
  authority: z.enum(['EPSG', 'ESRI']).optional(),
  code: z.int().positive().optional(),
  wkt: z.string().optional(),
});

const clock = {
  unit: z.enum(['millisecond', 'second', 'minute', 'hour', 'day', 'month', 'year']),
  start: z.number().optional(),
};
/** Offsets of a non-equidistant axis are in the array `time`. */
const Time = z.discriminatedUnion('spacing', [
  z.object({
    spacing: z.literal('equidistant'),
    ...clock,
    count: z.int().min(0),
    offset: z.number(),
    interval: z.number(),
  }),
  z.object({ spacing: z.literal('nonEquidistant'), ...clock }),
]);

const item = {
  array: z.string(),
  name: name.optional(),
  unit: z.string().optional(),
  eum: eum.optional(),
  valueKind: z
    .enum(['instantaneous', 'accumulated', 'stepAccumulated', 'meanStepBackward', 'meanStepForward'])
    .optional(),
  scale: number.optional(),
  offset: number.optional(),
  nodata: number.optional(),
  /** Digits of a nodata value that a double cannot hold. */
  exactNodata: z
    .string()
    .regex(/^-?\d{1,20}$/)
    .optional(),
  reference: z.array(number).max(16).optional(),
  geographicAxes: z.literal(true).optional(),
};

/** Coordinates are in the array, edges in that of the bounds. */
const Axis = z.object({
  array: z.string(),
  name,
  unit: z.string().optional(),
  eum: eum.optional(),
  bounds: z.string().optional(),
});

/** Unit and spacing of an axis of a DFS file. */
const dfsAxis = { unit: z.int(), spacing: z.array(z.number()).max(6) };
/** How the DFS file that the data come from says where they are. */
const Dfs = z.object({
  projection: z.object({ text: z.string(), longitude: z.number(), latitude: z.number(), rotation: z.number() }),
  axis: z.object(dfsAxis).optional(),
  axes: z
    .array(z.object({ ...dfsAxis, numbers: z.array(z.int().min(0)).max(3) }))
    .max(1000)
    .optional(),
});

/** Title and type of that file. */
const source = z.object({ title: z.string().optional(), dataType: z.int().optional() }).optional();

const GridDescription = z.object({
  version: z.literal(1),
  kind: z.literal('grid'),
  width: z.int().min(1).max(10_000_000),
  height: z.int().min(1),
  affine,
  located: z.literal(false).optional(),
  dfs: Dfs.optional(),
  source,
  crs: Crs.optional(),
  time: Time.optional(),
  layers: z
    .object({ count: z.int().min(1), first: z.number(), spacing: z.number(), unit: z.string().optional() })
    .optional(),
  items: z
    .array(
      z.object({
        ...item,
        role: z.enum(['red', 'green', 'blue', 'alpha', 'palette']).optional(),
        palette: z.array(z.number()).max(200_000).optional(),
      }),
    )
    .min(1),
});

const MeshDescription = z.object({
  version: z.literal(1),
  kind: z.literal('mesh'),
  name: name.optional(),
  located: z.literal(false).optional(),
  dfs: Dfs.optional(),
  source,
  /** Directions and frequencies of a point spectrum, whose cells are pairs of them. */
  spectrum: z.array(Axis).min(1).max(2).optional(),
  section: z.enum(['profile', 'column']).optional(),
  layers: z.object({ maximum: z.int().min(0), sigma: z.int().min(0) }).optional(),
  /** The arrays are those of the plane, with a dimension of layers. */
  stacked: z.literal(true).optional(),
  crs: Crs.optional(),
  time: Time.optional(),
  items: z.array(
    z.object({ ...item, location: z.enum(['node', 'cell']), components: z.array(Axis).max(8).optional() }),
  ),
});

const ArrayDescription = z.object({
  version: z.literal(1),
  kind: z.literal('array'),
  dfs: Dfs.optional(),
  source,
  crs: Crs.optional(),
  axes: z.array(Axis).max(1000),
  placement: z
    .discriminatedUnion('by', [
      z.object({ by: z.literal('affine'), x: z.int().min(0), y: z.int().min(0), affine }),
      z.object({ by: z.literal('nodes'), x: z.int().min(0), y: z.int().min(0), z: z.int().min(0).optional() }),
    ])
    .optional(),
  time: Time.optional(),
  items: z.array(z.object({ ...item, axes: z.array(z.int().min(0)).max(31), overTime: z.boolean() })),
});

const SeriesDescription = z.object({
  version: z.literal(1),
  kind: z.literal('series'),
  dfs: Dfs.optional(),
  source,
  crs: Crs.optional(),
  time: Time,
  items: z.array(
    z.object({
      ...item,
      position: z.array(number).max(3).optional(),
      /** The array has the values of stations one after the other; those of this one. */
      station: z.int().min(0).optional(),
    }),
  ),
});

const Description = z.discriminatedUnion('kind', [
  GridDescription,
  MeshDescription,
  ArrayDescription,
  SeriesDescription,
]);

export type GridDescription = z.output<typeof GridDescription>;
export type MeshDescription = z.output<typeof MeshDescription>;
export type ArrayDescription = z.output<typeof ArrayDescription>;
export type SeriesDescription = z.output<typeof SeriesDescription>;
export type AxisDescription = z.output<typeof Axis>;
export type TimeDescription = z.output<typeof Time>;
export type ItemDescription = Omit<GridDescription['items'][number], 'role' | 'palette'>;

/**
 * The description in the attributes of a group; undefined for a store of another program.
 * @throws FormatError for one that is not valid
 */
export function descriptionIn(attributes: Readonly<Record<string, unknown>>): z.output<typeof Description> | undefined {
  const given = attributes[ATTRIBUTE];
  if (given === undefined) return undefined;
  const read = Description.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new FormatError(
    `The attribute '${ATTRIBUTE}' of the store is not valid: ${issue!.path.join('.')}: ${issue!.message}.`,
  );
}
