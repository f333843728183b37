import { z } from 'zod';

/** Words for types of values that clients of series know, too. */
export const DATA_TYPES = ['Int16', 'Int32', 'Int64', 'Single', 'Double'] as const;

const Item = z
  .object({
    id: z.string(),
    name: z.string().optional(),
    item: z.string().optional(),
    unit: z.string().optional(),
    unitSymbol: z.string().optional(),
    dataType: z.enum(DATA_TYPES),
    timeSeriesType: z.string(),
    axes: z.array(z.string()),
  })
  .meta({ id: 'MultidimensionalItem' });

const Time = z
  .object({
    steps: z.int(),
    start: z.string().optional(),
    end: z.string().optional(),
    relative: z.boolean(),
    interval: z.number().optional(),
    times: z.array(z.string()).optional(),
  })
  .meta({ id: 'MultidimensionalTime' });

const Axis = z
  .object({
    name: z.string(),
    length: z.int(),
    unit: z.string().optional(),
    first: z.number().optional(),
    last: z.number().optional(),
    values: z.array(z.number()).optional(),
  })
  .meta({ id: 'MultidimensionalAxis' });

const Mesh = z
  .object({
    nodes: z.int(),
    elements: z.int(),
    layers: z.int().optional(),
    sigmaLayers: z.int().optional(),
    section: z.enum(['profile', 'column']).optional(),
  })
  .meta({ id: 'MultidimensionalMesh' });

const Crs = z
  .object({ name: z.string(), srid: z.string().optional(), wkt: z.string().optional() })
  .meta({ id: 'MultidimensionalCrs' });

/** What `GET /api/md/dataset/{id}` returns. */
export const MultidimensionalDataset = z
  .object({
    id: z.string(),
    name: z.string(),
    title: z.string().optional(),
    kind: z.enum(['grid', 'mesh', 'array']),
    items: z.array(Item),
    time: Time.optional(),
    axes: z.array(Axis),
    affine: z.array(z.number()).optional(),
    mesh: Mesh.optional(),
    crs: Crs.optional(),
    bbox: z.array(z.number()).optional(),
    wgS84Extent: z.string().optional(),
  })
  .meta({ id: 'MultidimensionalDataset' });

export type MultidimensionalDataset = z.infer<typeof MultidimensionalDataset>;

/** Values as a table. */
export const MultidimensionalValues = z
  .object({
    columns: z.array(z.string()),
    data: z.array(z.array(z.union([z.string(), z.number(), z.null()]))),
  })
  .meta({ id: 'MultidimensionalValues' });
export type MultidimensionalValues = z.infer<typeof MultidimensionalValues>;
