import { copyBlock, type Data, type Grid, type Mesh, type MultiArray, type Samples, stepsOf } from 'hydrofiles/data';
import { type WriteAnswer, writeData } from '../../datasets/files/write-data.ts';
import type { DataInput } from './stored-data.ts';

/** Writes values with their coordinates by a writer of grids, meshes and arrays. */
export const write: WriteAnswer<DataInput> = async (input, target, context) =>
  writeData(
    readable(input, () => context.throwIfAborted()),
    target,
    context,
    new Set(input.lost),
  );

/** Data whose values are those in memory. */
function readable({ data, values }: DataInput, check: () => void): Data {
  if (data.kind === 'grid') return gridOf(data, values, check);
  if (data.kind === 'mesh') return meshOf(data, values, check);
  return arrayOf(data, values, check);
}

function gridOf(data: Omit<Grid, 'rows'>, values: readonly Samples[], check: () => void): Grid {
  const { width, height, layers } = data;
  return {
    ...data,
    async *rows({ band, step, layer }) {
      check();
      const first = (step * (layers?.count ?? 1) + layer) * width * height;
      yield { firstRow: 0, rowCount: height, samples: values[band]!.slice(first, first + width * height) };
    },
  };
}

function meshOf(data: Omit<Mesh, 'values'>, values: readonly Samples[], check: () => void): Mesh {
  const steps = stepsOf(data);
  return {
    ...data,
    async values(item, step) {
      check();
      const own = values[item]!;
      const size = steps === 0 ? 0 : own.length / steps;
      return own.slice(step * size, (step + 1) * size);
    },
  };
}

function arrayOf(data: Omit<MultiArray, 'read'>, values: readonly Samples[], check: () => void): MultiArray {
  return {
    ...data,
    async read(item, step, start, shape) {
      check();
      const own = values[item]!;
      const lengths = data.items[item]!.axes.map((axis) => data.axes[axis]!.values.length);
      const size = lengths.reduce((product, length) => product * length, 1);
      const first = data.items[item]!.overTime ? step * size : 0;
      const block = new (own.constructor as Float64ArrayConstructor)(shape.reduce((all, length) => all * length, 1));
      copyBlock(
        { values: own.subarray(first, first + size), shape: lengths, start },
        { values: block, shape, start: shape.map(() => 0) },
        shape,
      );
      return block;
    },
  };
}
