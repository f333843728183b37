import type { CfAttributes } from '../io/cf/variable.ts';
import type { FieldLevel } from './field.ts';

/** A kind of level: words, and the attributes of its values. Absent attributes: it has no values. */
interface LevelKind {
  readonly name: string;
  readonly attributes?: CfAttributes;
  /** Size of the values in a message, in the unit of the attributes. */
  readonly size?: number;
}

const pressure = (units: string): CfAttributes => ({
  units,
  positive: 'down',
  standard_name: 'air_pressure',
  axis: 'Z',
});
const height = (standard: string): CfAttributes => ({
  units: 'm',
  positive: 'up',
  standard_name: standard,
  axis: 'Z',
});
const depth: CfAttributes = { units: 'm', positive: 'down', standard_name: 'depth', axis: 'Z' };
const sigma: CfAttributes = {
  units: '1',
  positive: 'down',
  standard_name: 'atmosphere_sigma_coordinate',
  axis: 'Z',
};
const hybrid: CfAttributes = {
  units: '1',
  positive: 'down',
  standard_name: 'atmosphere_hybrid_sigma_pressure_coordinate',
  axis: 'Z',
};
const numbered = (units: string): CfAttributes => ({ units, axis: 'Z' });

/** Table 4.5 of GRIB 2, "Fixed surface types and units". */
const surfaces: Readonly<Record<number, LevelKind>> = {
  1: { name: 'surface' },
  2: { name: 'cloud base' },
  3: { name: 'cloud top' },
  4: { name: '0 °C isotherm' },
  5: { name: 'adiabatic condensation level' },
  6: { name: 'maximum wind' },
  7: { name: 'tropopause' },
  8: { name: 'top of atmosphere' },
  9: { name: 'sea bottom' },
  10: { name: 'entire atmosphere' },
  20: { name: 'isothermal', attributes: numbered('K') },
  100: { name: 'isobaric', attributes: pressure('Pa') },
  101: { name: 'mean sea level' },
  102: { name: 'height above mean sea level', attributes: height('height_above_mean_sea_level') },
  103: { name: 'height above ground', attributes: height('height') },
  104: { name: 'sigma', attributes: sigma },
  105: { name: 'hybrid', attributes: hybrid },
  106: { name: 'depth below land', attributes: depth },
  107: { name: 'isentropic', attributes: numbered('K') },
  108: { name: 'pressure above ground', attributes: numbered('Pa') },
  109: { name: 'potential vorticity', attributes: numbered('K m2 kg-1 s-1') },
  111: { name: 'eta', attributes: numbered('1') },
  114: { name: 'snow layer', attributes: numbered('1') },
  117: { name: 'mixed layer depth', attributes: depth },
  118: { name: 'hybrid height', attributes: numbered('1') },
  119: { name: 'hybrid pressure', attributes: numbered('1') },
  150: { name: 'generalized vertical height', attributes: numbered('1') },
  151: { name: 'soil', attributes: numbered('1') },
  152: { name: 'sea ice', attributes: numbered('1') },
  160: { name: 'depth below sea level', attributes: depth },
  161: { name: 'depth below water surface', attributes: depth },
  162: { name: 'lake bottom' },
  166: { name: 'mixing layer' },
  168: { name: 'ocean model', attributes: numbered('1') },
  174: { name: 'top of sea ice' },
  200: { name: 'entire atmosphere' },
  201: { name: 'entire ocean' },
  211: { name: 'boundary layer cloud' },
  214: { name: 'low cloud' },
  224: { name: 'middle cloud' },
  234: { name: 'high cloud' },
  244: { name: 'convective cloud' },
};

/** Table 3 of GRIB 1, "Special levels"; layers of two values are under the number of their lines. */
const specialLevels: Readonly<Record<number, LevelKind & { readonly layer?: true }>> = {
  ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((type) => [type, surfaces[type]!])),
  20: { name: 'isothermal', attributes: numbered('K'), size: 0.01 },
  100: { name: 'isobaric', attributes: pressure('hPa') },
  101: { name: 'isobaric', attributes: pressure('hPa'), size: 10, layer: true },
  102: { name: 'mean sea level' },
  103: { name: 'height above mean sea level', attributes: height('height_above_mean_sea_level') },
  104: {
    name: 'height above mean sea level',
    attributes: height('height_above_mean_sea_level'),
    size: 100,
    layer: true,
  },
  105: { name: 'height above ground', attributes: height('height') },
  106: { name: 'height above ground', attributes: height('height'), size: 100, layer: true },
  107: { name: 'sigma', attributes: sigma, size: 1e-4 },
  108: { name: 'sigma', attributes: sigma, size: 0.01, layer: true },
  109: { name: 'hybrid', attributes: hybrid },
  110: { name: 'hybrid', attributes: hybrid, layer: true },
  111: { name: 'depth below land', attributes: depth, size: 0.01 },
  112: { name: 'depth below land', attributes: depth, size: 0.01, layer: true },
  113: { name: 'isentropic', attributes: numbered('K') },
  115: { name: 'pressure above ground', attributes: numbered('hPa') },
  116: { name: 'pressure above ground', attributes: numbered('hPa'), layer: true },
  117: { name: 'potential vorticity', attributes: numbered('K m2 kg-1 s-1'), size: 1e-9 },
  119: { name: 'eta', attributes: numbered('1'), size: 1e-4 },
  125: { name: 'height above ground', attributes: height('height'), size: 0.01 },
  160: { name: 'depth below sea level', attributes: depth },
  200: { name: 'entire atmosphere' },
  201: { name: 'entire ocean' },
  211: { name: 'boundary layer cloud' },
  214: { name: 'low cloud' },
  224: { name: 'middle cloud' },
  234: { name: 'high cloud' },
  244: { name: 'convective cloud' },
};

/** A level of GRIB 2: the types and values of its two surfaces, 255 for none. */
export function surfaceLevel(
  first: { type: number; value: number | undefined },
  second: { type: number; value: number | undefined },
): FieldLevel {
  const kind = surfaces[first.type] ?? { name: `level type ${first.type}`, attributes: numbered('1') };
  const isLayer = second.type === first.type && second.value !== undefined && first.value !== undefined;
  if (kind.attributes === undefined || first.value === undefined)
    return {
      name: second.type === 255 || second.type === first.type ? kind.name : `${kind.name} to ${nameOf(second.type)}`,
    };
  if (!isLayer || second.value === first.value)
    return { name: kind.name, attributes: kind.attributes, value: first.value };
  return layer(kind.name, kind.attributes, first.value, second.value!);
}

const nameOf = (type: number): string => surfaces[type]?.name ?? `level type ${type}`;

/** A level of GRIB 1: its type, and two octets with one value or two. */
export function specialLevel(type: number, first: number, second: number): FieldLevel {
  const kind = specialLevels[type] ?? { name: `level type ${type}`, attributes: numbered('1') };
  const { name, attributes, size = 1 } = kind;
  if (attributes === undefined) return { name };
  if ('layer' in kind) return layer(name, attributes, first * size, second * size);
  return { name, attributes, value: Number(((first * 256 + second) * size).toPrecision(12)) };
}

const layer = (name: string, attributes: CfAttributes, one: number, other: number): FieldLevel => {
  const bounds = [Math.min(one, other), Math.max(one, other)].map((value) => Number(value.toPrecision(12)));
  return {
    name: `${name} layer`,
    attributes,
    value: Number(((bounds[0]! + bounds[1]!) / 2).toPrecision(12)),
    bounds: [bounds[0]!, bounds[1]!],
  };
};
