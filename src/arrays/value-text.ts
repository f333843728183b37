import type { StoredValues } from 'hydrofiles/data';
import type { Variable } from './variables.ts';

/** Writes a value as JSON: the physical value, with scale and offset applied; null for nodata, NaN and infinities. */
export function valueText({ item, array }: Variable, values: StoredValues): (index: number) => string {
  const { scale = 1, offset = 0, nodata, exactNodata } = item;
  const plain = scale === 1 && offset === 0;
  if (values instanceof BigInt64Array || values instanceof BigUint64Array) {
    const empty = exactNodata ?? (Number.isSafeInteger(nodata) ? BigInt(nodata!) : undefined);
    return (index) => {
      const value = values[index]!;
      if (value === empty) return 'null';
      return plain ? String(value) : numberText(Number(value) * scale + offset);
    };
  }
  const empty = nodata !== undefined && array.metadata.type === 'Float32' ? Math.fround(nodata) : nodata;
  return (index) => {
    const value = values[index]!;
    if (value === empty) return 'null';
    return numberText(plain ? value : value * scale + offset);
  };
}

const numberText = (value: number): string => (Number.isFinite(value) ? String(value) : 'null');
