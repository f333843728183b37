import type { Band, Grid } from '../../src/files/data/grid.ts';
import type { Model, Variation } from './model.ts';
import { itemsOf, samplesOf, timeOf, utm32 } from './model-parts.ts';

const WIDTH = 4;

function make(wanted: ReadonlySet<Variation>, height: number): Grid {
  const bands = itemsOf(wanted) as Band[];
  const size = wanted.has('precision') ? 100 / 3 : 100;
  const [cos, sin] = wanted.has('rotation') ? [Math.cos(Math.PI / 6), Math.sin(Math.PI / 6)] : [1, 0];
  return {
    kind: 'grid',
    width: WIDTH,
    height,
    affine: [500_000, size * cos, size * sin, 5_800_000, size * sin, -size * cos],
    crs: utm32,
    bands,
    ...timeOf(wanted),
    ...(wanted.has('layers') ? { layers: { count: 2, first: -7.5, spacing: 5, unit: 'm' } } : {}),
    async *rows({ band, step, layer }) {
      const samples = samplesOf(wanted, bands, { item: band, step, layer, count: WIDTH * height });
      yield { firstRow: 0, rowCount: height, samples };
    },
  };
}

const variations: Pick<Model, 'together' | 'alone'> = {
  together: [
    'crs',
    'rotation',
    'calendar',
    'unit',
    'nodata',
    'precision',
    'order',
    'names',
    'quantity',
    'kindOfValue',
    'layers',
  ],
  alone: ['calendar:relative', 'precision:integers'],
};

export const gridModel: Model = { ...variations, make: (wanted) => make(wanted, 3) };
/** Grids of one row. */
export const lineModel: Model = { ...variations, make: (wanted) => make(wanted, 1) };
