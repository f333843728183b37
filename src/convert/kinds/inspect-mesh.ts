import { withBathymetry } from '../../data/bathymetry.ts';
import { Box } from '../../data/box.ts';
import { firstSlice } from '../../data/grid.ts';
import { ItemTally } from '../../data/item-statistics.ts';
import type { Mesh } from '../../data/mesh.ts';
import { cellCount, nodeCount } from '../../data/mesh-cells.ts';
import { layerCount } from '../../data/mesh-columns.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { gridPreviewPng } from '../../geo/draw/grid-preview.ts';
import { boxGeometry } from '../../geo/vector/outline.ts';
import { coversArea, gridOfMesh } from '../bridges/mesh-to-grid.ts';
import type { Inspection } from '../inspection.ts';
import { meshWithLayers } from '../steps/mesh-filters.ts';
import type { InspectKind } from './handler.ts';
import { inspectItems, inspectTime } from './inspect-items.ts';
import { inspectPlace } from './inspect-place.ts';

/** Pulls every step of every item once; the picture shows the last step of the first one: simulations begin evenly. */
export async function inspectMesh(
  mesh: Mesh,
  inspection: Inspection,
  { picture, signal }: InspectKind,
): Promise<Uint8Array | undefined> {
  const tally = new ItemTally(mesh.items, true);
  for (const [item, description] of mesh.items.entries())
    for (let step = 0; step < stepsOf(mesh); step++) {
      signal.throwIfAborted();
      tally.add(item, step, await mesh.values(item, step), description);
    }
  const box = new Box();
  box.add(mesh.nodes, 3);
  const { west, south, east, north } = box;
  await inspectPlace(inspection, mesh.crs, west <= east ? boxGeometry(west, south, east, north) : undefined);
  const { layers, time } = mesh;
  Object.assign(inspection, {
    nodes: nodeCount(mesh),
    elements: cellCount(mesh),
    ...(layers === undefined ? {} : { layers: layerCount(layers), sigmaLayers: layers.sigma }),
    ...(time === undefined ? {} : { time: inspectTime(time) }),
    items: inspectItems(mesh.items, tally.of(mesh)),
  });
  return picture && west < east && south < north ? pictureOf(mesh, Math.max(east - west, north - south)) : undefined;
}

/** Cells of the picture along its longer side. */
const cellsAcross = 1000;

/** Undefined for sections and spectra, which cover no area. Of layers the top one is drawn. */
async function pictureOf(mesh: Mesh, side: number): Promise<Uint8Array | undefined> {
  const { layers } = mesh;
  if (mesh.section !== undefined || stepsOf(mesh) === 0) return undefined;
  const top = layers === undefined ? 0 : layerCount(layers) - 1;
  const flat =
    layers === undefined
      ? mesh
      : meshWithLayers(mesh, { type: 'VerticalFilterTransformation', by: 'index', from: top, to: top });
  const drawn = flat.items.length === 0 ? withBathymetry(flat) : flat;
  if (drawn.items[0]!.components !== undefined || !coversArea(drawn)) return undefined;
  const grid = gridOfMesh({ ...drawn, items: drawn.items.slice(0, 1) }, side / cellsAcross);
  return gridPreviewPng(grid, { ...firstSlice, step: stepsOf(mesh) - 1 });
}
