import type { Band } from '../../data/grid.ts';

/** A band of values, or one channel of the colours of a picture. */
export interface Plane {
  readonly band: number;
  /** Changes a value, such as the number of a colour of a palette. */
  readonly change?: (value: number) => number;
  readonly whole?: boolean;
  /** Sample type of the spilled values. Default: that of the item. */
  readonly type?: 'Float32' | 'Float64';
}

/** Red, green, blue and perhaps alpha, from 0 to 255. Undefined for data without colours. */
export function colourPlanes(bands: readonly Band[]): Plane[] | undefined {
  const [first] = bands;
  if (bands.length === 1 && first?.role === 'palette' && first.palette !== undefined) {
    const { palette } = first;
    const count = palette.length / 3;
    return [0, 1, 2].map((channel) => ({
      band: 0,
      whole: true,
      change: (value) => (palette[channel * count + value] ?? Number.NaN) / 257,
    }));
  }
  const place = (role: Band['role']) => bands.findIndex((band) => band.role === role);
  const [red, green, blue, alpha] = [place('red'), place('green'), place('blue'), place('alpha')];
  if (red < 0 || green < 0 || blue < 0) return undefined;
  return [red, green, blue, ...(alpha < 0 ? [] : [alpha])].map((band) => ({
    band,
    // 16-bit channels have 257 steps for each of 8 bits.
    ...(bands[band]!.type === 'UInt16' && { change: (value: number) => value / 257 }),
  }));
}
