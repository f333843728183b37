import { createHash } from 'node:crypto';
import type { Mesh } from '../../data/mesh.ts';
import { realValues } from '../../data/real-values.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError } from '../../errors.ts';
import type { Context } from '../../formats/define.ts';
import type { Lattice } from '../matrices.ts';
import { type Elements, meshRows } from './mesh-pixels.ts';
import { type Faces, placeMesh } from './mesh-place.ts';
import { type OpenItem, type TileSource, ValueRange } from './tile-source.ts';
import type { SourceSlice, ValuesDescription } from './values/item-values.ts';
import { MeshValues } from './values/mesh-values.ts';

/** Tiles of a flat or layered mesh. */
export async function meshSource(mesh: Mesh, context: Context): Promise<TileSource> {
  const { crs, faces, own, inMercator, box, extent, cell, mercatorCell } = await placeMesh(mesh);
  if (mesh.items.length === 0) throw new ConversionError('The mesh has no items with values.');
  const { time } = mesh;
  return {
    crs,
    items: mesh.items.map(({ name, unit, components }, n) => ({
      name: name || `Item ${n + 1}`,
      hasTiles: components === undefined,
      ...(unit === undefined ? {} : { unit }),
    })),
    ...(time && { time }),
    steps: stepsOf(mesh),
    layers: faces.length,
    box,
    extent,
    cell,
    mercatorCell,
    hasColours: false,
    shape: {
      kind: 'mesh',
      layers: faces.length,
      elements: faces.reduce((sum, { cells }) => sum + cells.length, 0),
      digest: digestOf(faces, own),
    },
    open: (item, like) => openItem(mesh, item as number, { faces, own, inMercator, context, like }),
  };
}

const PLACES = { node: 'nodes', cell: 'elements' } as const;

function digestOf(faces: readonly Faces[], { x, y }: Pick<Elements, 'x' | 'y'>): string {
  const digest = createHash('sha256');
  for (const axis of [x, y]) digest.update(Float32Array.from(axis));
  for (const { cells, starts, corners } of faces)
    for (const part of [cells, starts, corners]) digest.update(Uint32Array.from(part));
  return digest.digest('hex');
}

interface Opened {
  readonly faces: readonly Faces[];
  readonly own: Pick<Elements, 'x' | 'y'>;
  readonly inMercator: Pick<Elements, 'x' | 'y'>;
  readonly context: Context;
  readonly like: ValuesDescription | undefined;
}

async function openItem(
  mesh: Mesh,
  number: number,
  { faces, own, inMercator, context, like }: Opened,
): Promise<OpenItem> {
  const item = mesh.items[number]!;
  if (item.components !== undefined)
    throw new ConversionError(
      `'${item.name}' has several values per element, such as a spectrum, which have no tiles.`,
    );
  if (like?.kind === 'mesh' && like.at !== item.location)
    throw new ConversionError(
      `The item '${item.name}' has values at ${PLACES[like.at]} in the dataset, and at ${PLACES[item.location]} in the input.`,
    );
  let last: { step: number; values: Promise<Float64Array> } | undefined;
  const valuesAt = (step: number) => {
    if (last?.step !== step)
      last = { step, values: mesh.values(number, step).then((values) => realValues(values, item)) };
    return last.values;
  };
  const range = new ValueRange();
  for (let step = 0; step < stepsOf(mesh); step++) {
    context.signal.throwIfAborted();
    range.add(await valuesAt(step));
  }
  const { location } = item;
  const elements = (layer: number, isMercator = true): Elements => {
    const { starts, corners } = faces[layer]!;
    return { starts, corners, ...(isMercator ? inMercator : own) };
  };
  const valuesOf = async ({ step, layer }: SourceSlice) => {
    const all = await valuesAt(step);
    return location === 'node' ? all : Float64Array.from(faces[layer]!.cells, (cell) => all[cell]!);
  };
  async function* rows(lattice: Lattice, isMercator: boolean, slice: SourceSlice) {
    const values = { at: location, of: await valuesOf(slice) };
    yield* meshRows(elements(slice.layer, isMercator), values, lattice, isMercator);
  }
  return {
    ...range.range(),
    values: new MeshValues({ at: location, elements, values: valuesOf }),
    planes: (lattice, isMercator, slice) => [rows(lattice, isMercator, slice)],
  };
}
