import { clockText } from '../../data/date-text.ts';
import { type Band, type Grid, type LayerAxis, layersOf, slicesOfBand, slicesPerBand } from '../../data/grid.ts';
import { stepsOf, timeOf } from '../../data/time-axis.ts';

/**
 * A grid with a band for each slice of the given grid: items first, in each item steps, in each step layers. The name
 * of a band consists of the item, the time of the step (ISO 8601 without zone; a relative axis counts from 1970) and
 * the height of the layer, as far as there are several. Returns a grid with one slice per band unchanged.
 */
export function slicesAsBands(grid: Grid): Grid {
  if (slicesPerBand(grid) === 1) return grid;
  const slices = grid.bands.flatMap((_, band) => [...slicesOfBand(grid, band)]);
  const { time, layers, read, ...rest } = grid;
  const bands = slices.map(({ band, step, layer }): Band => {
    const item = grid.bands[band]!;
    const words = [
      item.name ?? (grid.bands.length > 1 ? `Band ${band + 1}` : undefined),
      time === undefined || stepsOf(grid) === 1 ? undefined : clockText(timeOf(time, step)),
      layers === undefined || layersOf(grid) === 1 ? undefined : heightText(layers, layer),
    ];
    return { ...item, name: words.filter((word) => word !== undefined).join(' ') };
  });
  return {
    ...rest,
    bands,
    rows: ({ band }, range) => grid.rows(slices[band]!, range),
    ...(read === undefined ? {} : { read: ({ band }, firstRow, rowCount) => read(slices[band]!, firstRow, rowCount) }),
  };
}

const heightText = ({ first, spacing, unit }: LayerAxis, layer: number): string =>
  `at ${first + layer * spacing}${unit === undefined ? '' : ` ${unit}`}`;
