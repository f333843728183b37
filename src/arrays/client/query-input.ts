import { parseTransformations, RequestError, type Transformation } from 'hydrofiles';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { component, flag, text } from '../../http/rules/members.ts';

const end = (what: string) => z.union([z.number(), z.string()]).optional().describe(what);

const ItemFilter = component('MdItemFilter', {
  itemIndices: z.array(z.int()).optional().describe('Indices of items, from 0. Empty: all.'),
});
const SpatialFilter = component('MdSpatialFilter', {
  geometry: text('POINT, MULTIPOINT, POLYGON or MULTIPOLYGON as WKT.', 'POINT (614500 6120100)'),
  SRID: z.int().optional().describe('Its coordinate system. Absent: that of the data.'),
});
const TemporalFilter = component('MdTemporalFilter', {
  type: text('`TemporalIndexFilter`, `TemporalValueFilter` or `TemporalIndexListFilter`.', 'TemporalIndexFilter'),
  from: end('First step or time.'),
  to: end('Last step or time.'),
  at: text('A single time.').optional(),
  indices: z.array(z.int()).optional().describe('Indices of steps, from 0.'),
});
const VerticalFilter = component('MdVerticalFilter', {
  type: text('`VerticalIndexFilter` or `VerticalValueFilter`.', 'VerticalIndexFilter'),
  from: end('Lowest layer or height.'),
  to: end('Highest layer or height.'),
});

/** Body of queries of elements. */
export const MdQuery = component('MdQuery', {
  itemFilter: ItemFilter.optional().describe('Absent: all items.'),
  spatialFilter: SpatialFilter.optional().describe('Elements whose centre lies in it, or that contain its points.'),
  temporalFilter: TemporalFilter.optional().describe('Absent: all steps.'),
  verticalFilter: VerticalFilter.optional().describe('Absent: all layers.'),
  includeGeometries: flag('Answers outlines of elements. Default: true.').optional(),
  includeValues: flag('Answers values. Default: true.').optional(),
  outputSRID: z.int().optional().describe('Coordinate system of outlines. Absent: that of the data.'),
});
export type MdQuery = z.infer<typeof MdQuery>;

export const BinaryOptions = component('MdBinaryOptions', {
  majorVersion: z.int().optional().describe('Major version of the answer: 1.'),
  minorVersion: z.int().optional().describe('Minor version of the answer: 1.'),
  coordinatePrecision: z
    .int()
    .min(0)
    .max(9)
    .optional()
    .describe('Decimals of coordinates of meshes. Absent: they are doubles.'),
  includeMeshElementId: flag('Answers numbers of elements of meshes.').optional(),
});
export type BinaryOptions = z.infer<typeof BinaryOptions>;

/** Body of queries with binary answers. */
export const MdBinaryQuery = component('MdBinaryQuery', {
  query: MdQuery.optional().describe('Absent: everything.'),
  options: BinaryOptions.optional().describe('How the answer is encoded.'),
});

type Parsed<T extends Transformation['type']> = Extract<Transformation, { type: T }>;

/** Filters as transformations have them. */
export interface Filters {
  readonly space?: Parsed<'SpatialFilterTransformation'>;
  readonly time?: Parsed<'TemporalFilterTransformation'>;
  readonly height?: Parsed<'VerticalFilterTransformation'>;
}

/** @throws AppError `invalid` with the sentences that transformations get */
export function parseFilters({ spatialFilter, temporalFilter, verticalFilter }: MdQuery): Filters {
  const given = [
    ...(spatialFilter === undefined ? [] : [{ type: 'SpatialFilterTransformation', spatialFilter }]),
    ...(temporalFilter === undefined ? [] : [{ type: 'TemporalFilterTransformation', temporalFilter }]),
    ...(verticalFilter === undefined ? [] : [{ type: 'VerticalFilterTransformation', verticalFilter }]),
  ];
  const filters: { -readonly [K in keyof Filters]: Filters[K] } = {};
  try {
    for (const one of parseTransformations(given)) {
      if (one.type === 'SpatialFilterTransformation') filters.space = one;
      if (one.type === 'TemporalFilterTransformation') filters.time = one;
      if (one.type === 'VerticalFilterTransformation') filters.height = one;
    }
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    const plain = (sentence: string) => sentence.replaceAll(/transformations\[\d+\]\./g, '');
    const errors = Object.entries(error.errors ?? {}).map(([path, sentences]) => [plain(path), sentences.map(plain)]);
    throw new AppError('invalid', plain(error.message), { errors: Object.fromEntries(errors) });
  }
  return filters;
}
