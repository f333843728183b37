import type { Data } from '../data/data.ts';
import { UNDEFINED_ITEM } from '../data/eum/eum.ts';
import type { Item } from '../data/item.ts';
import { stepCount } from '../data/time-axis.ts';
import type { LossPart } from '../formats/define.ts';
import { crsName } from '../geo/crs/crs.ts';

/**
 * The parts that the header of the data has, in words. A writer keeps those that no sentence about its losses names,
 * since no loss is silent.
 */
export function partsOf(data: Data): Map<LossPart, string> {
  const parts = new Map<LossPart, string>();
  if (data.kind === 'bytes') return parts;
  const add = (part: LossPart, has: boolean, words: string) => void (has && parts.set(part, words));
  const items = itemsOf(data);
  const { crs } = data;
  if (crs !== undefined) parts.set('crs', `the coordinate system, ${crsName(crs)}`);
  if (data.kind === 'grid') {
    const { affine, layers } = data;
    add('rotation', affine[2] !== 0 || affine[4] !== 0, 'the rotation of the grid');
    if (layers !== undefined) parts.set('layers', `${layers.count} layers`);
  }
  if ('time' in data && data.time !== undefined) parts.set('times', timesOf(data.time));
  if (data.kind === 'mesh') {
    add('layers', data.layers !== undefined, 'the layers');
    add('heights', hasHeights(data), 'the heights of the nodes');
  }
  if (data.kind === 'features') {
    add('heights', data.hasZ, 'heights (Z)');
    add('measures', data.hasM, 'measures (M)');
  }
  add(
    'units',
    items.some(({ unit }) => unit !== undefined),
    'the units of the items',
  );
  add(
    'quantities',
    items.some(({ eum }) => eum !== undefined && eum.item !== UNDEFINED_ITEM),
    'the EUM quantities',
  );
  add(
    'valueKinds',
    items.some(({ valueKind = 'instantaneous' }) => valueKind !== 'instantaneous'),
    'whether values are instantaneous, accumulated or means',
  );
  return parts;
}

function itemsOf(data: Data): readonly Item[] {
  if (data.kind === 'grid') return data.bands;
  return 'items' in data ? data.items : [];
}

function timesOf(axis: Parameters<typeof stepCount>[0] | { readonly spacing: 'pulled' }): string {
  if (axis.spacing === 'pulled') return 'the times';
  const steps = stepCount(axis);
  return `the times of ${steps} ${steps === 1 ? 'step' : 'steps'}`;
}

const hasHeights = ({ nodes, heights }: Extract<Data, { kind: 'mesh' }>): boolean =>
  heights !== undefined || nodes.some((value, n) => n % 3 === 2 && value !== 0 && !Number.isNaN(value));
