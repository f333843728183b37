import type { Grid, LayerAxis } from '../../data/grid.ts';
import { ConversionError } from '../../errors.ts';
import type { VerticalFilter } from './transformation-shapes.ts';

/** The grid's layers within a closed interval of layer indices (0 is the lowest) or of heights of layer centres. */
export function withChosenLayers(grid: Grid, filter: VerticalFilter): Grid {
  const { layers, read, ...rest } = grid;
  if (layers === undefined) throw new ConversionError('The data have no layers, so none can be chosen.');
  const { lowest, count } = layersIn(layers, filter);
  const moved = <S extends { readonly layer: number }>(slice: S): S => ({ ...slice, layer: slice.layer + lowest });
  return {
    ...rest,
    layers: { ...layers, count, first: layers.first + lowest * layers.spacing },
    rows: (slice, range) => grid.rows(moved(slice), range),
    ...(read === undefined ? {} : { read: (slice, first, rowCount) => read(moved(slice), first, rowCount) }),
  };
}

function layersIn(layers: LayerAxis, { by, from, to }: VerticalFilter): { lowest: number; count: number } {
  const height = (layer: number) => layers.first + layer * layers.spacing;
  const within = (layer: number): boolean => {
    const value = by === 'index' ? layer : height(layer);
    return (from === undefined || value >= from) && (to === undefined || value <= to);
  };
  const chosen = Array.from({ length: layers.count }, (_, layer) => layer).filter(within);
  const [lowest] = chosen;
  if (lowest === undefined)
    throw new ConversionError(
      by === 'index'
        ? `The vertical filter leaves no layer: the data have layers 0 to ${layers.count - 1}.`
        : `The vertical filter leaves no layer: their centres lie between ${height(0)} and ${height(layers.count - 1)}.`,
    );
  return { lowest, count: chosen.length };
}
