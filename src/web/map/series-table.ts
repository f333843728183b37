import type { MultidimensionalDataset, MultidimensionalItem } from './answers.ts';

export interface Series {
  readonly title: string;
  readonly unit?: string;
  /** Time stamps, or numbers of steps where there are none. */
  readonly times: readonly string[];
  readonly values: readonly (number | undefined)[];
  /** Ends of the colours that the values were estimated from. */
  readonly estimatedIn?: readonly [number, number];
  /** Where the values come from, in a sentence. */
  readonly source: string;
}

/** EUM calls the unit of numbers without one `undefined`. */
export const unitOf = (symbol: string | undefined): string | undefined =>
  symbol === undefined || /^(?:undefined|-|\(\))?$/i.test(symbol) ? undefined : symbol;

/** Whether an item has several values at a point: of a layered mesh or grid. */
export const hasLayers = (dataset: MultidimensionalDataset, { axes }: MultidimensionalItem): boolean =>
  layerCount(dataset) > 1 && (axes.includes('layer') || dataset.kind === 'mesh');

/** The number of layers of a multidimensional dataset, 1 without layers. */
export const layerCount = ({ axes, mesh }: MultidimensionalDataset): number =>
  mesh?.layers ?? axes.find(({ name }) => name === 'layer')?.length ?? 1;

/** The item with the name of what a scheme draws, else the only one. */
export function itemFor({ items }: MultidimensionalDataset, name: string | undefined) {
  const found = items.find((item) => item.name === name || item.id === name);
  return found ?? (items.length === 1 ? items[0] : undefined);
}

/** The series as CSV (RFC 4180); no value is an empty cell. */
export function formatCsv({ title, unit, times, values }: Series): string {
  const name = `${title}${unit === undefined ? '' : ` [${unit}]`}`;
  const quoted = /[",\r\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
  return `time,${quoted}\r\n${times.map((time, n) => `${time},${values[n] ?? ''}\r\n`).join('')}`;
}
