import {
  asSamples,
  copyBlock,
  type Data,
  type Grid,
  type Mesh,
  type MultiArray,
  type Samples,
  type StoredValues,
  stepsOf,
} from 'hydrofiles/data';
import { type WriteAnswer, writeData } from '../../datasets/files/write-data.ts';
import { meshPart } from './mesh-part.ts';
import type { DataInput } from './stored-data.ts';

/** Writes values with their coordinates by a writer of grids, meshes and arrays. */
export const write: WriteAnswer<DataInput> = async (input, target, context) => {
  const lost = new Set(input.lost);
  const values = input.values.map((one) => {
    if (isRounded(one.values)) lost.add(`Integers of '${one.name}' were rounded to double precision.`);
    return asSamples(one.values);
  });
  return writeData(
    readable(input, values, () => context.throwIfAborted()),
    target,
    context,
    lost,
  );
};

const isRounded = (values: StoredValues): boolean =>
  isBigValues(values) && values.some((value) => !Number.isSafeInteger(Number(value)));
const isBigValues = (values: StoredValues): values is BigInt64Array | BigUint64Array =>
  values instanceof BigInt64Array || values instanceof BigUint64Array;

/** Data whose values are those in memory. */
function readable({ data, chosen }: DataInput, values: readonly Samples[], check: () => void): Data {
  if (data.kind === 'grid') return gridOf(data, values, check);
  if (data.kind === 'array') return arrayOf(data, values, check);
  if (chosen === undefined) return meshOf(data, values, check);
  const part = meshPart(data, values, chosen);
  return meshOf(part.data, part.values, check);
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
