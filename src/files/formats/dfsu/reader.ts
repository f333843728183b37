import type { Axis } from '../../data/item.ts';
import type { Mesh, MeshItem } from '../../data/mesh.ts';
import { cellCount, componentCount, nodeCount, placeCount } from '../../data/mesh-cells.ts';
import { FormatError } from '../../errors.ts';
import { parseSrid } from '../../geo/crs/crs.ts';
import type { Read } from '../define.ts';
import { type DfsHeader, elementsOf } from '../io/dfs/header.ts';
import { itemOf } from '../io/dfs/items.ts';
import { openWhole } from '../io/dfs/open.ts';
import { DfsContent, dfsOrigin } from '../io/dfs/origin.ts';
import type { readParameters } from '../io/dfs/parameters.ts';
import { allowedItems } from '../io/dfs/parameters.ts';
import { identifiedCrs } from '../io/dfs/projection.ts';
import { type MeshGeometry, readComponents, readGeometry } from './geometry.ts';
import { dataTypes, type MikeFm, readMikeFm } from './mike-fm.ts';

export const read: Read<typeof readParameters> = async (source, { SRID, AllowedItemNames }, context): Promise<Mesh> => {
  const file = await openWhole(source, 'dfsu', context);
  const { header } = file;
  if (header.compressed) throw new FormatError('The DFSU file is compressed, which no known program writes.');
  const fm = await readMikeFm(header);
  const geometry = await readGeometry(header, fm);
  // The first item of a layered file has the heights of the nodes, which vary over time.
  const first = geometry.layers === undefined ? 0 : 1;
  if (first === 1) checkHeights(header, geometry);
  const isLocated = !isPointSpectrum(header, fm);
  const axes = await readComponents(header, fm);
  const components = isLocated ? axes : [];
  const described = header.items.slice(first).map((_, n) => itemAt(header, first + n, geometry, components));
  const chosen = allowedItems(described, AllowedItemNames, context);
  const own = isLocated ? await identifiedCrs(header.projection) : undefined;
  const given = SRID === undefined ? undefined : parseSrid(SRID);
  // Nodes of a spectrum are pairs of frequency and direction, not positions on the earth.
  if (!isLocated && given !== undefined)
    context.log('warning', 'SRID is ignored: the values of a point spectrum have no place in a coordinate system.');
  const crs = isLocated ? (given ?? own) : undefined;
  return {
    kind: 'mesh',
    ...(crs === undefined ? {} : { crs }),
    ...(isLocated ? {} : { located: false as const, ...(axes.length === 0 ? {} : { spectrum: axes }) }),
    ...geometry,
    items: chosen.map((n) => described[n]!),
    time: file.time,
    origin: dfsOrigin('dfsu', new DfsContent(file, own), AllowedItemNames === undefined),
    ...(first === 0
      ? {}
      : { heights: async (step: number) => (await file.readItem(0, step)) as Float32Array | Float64Array }),
    values: (item, step) => file.readItem(first + chosen[item]!, step),
  };
};

function checkHeights({ items }: DfsHeader, geometry: MeshGeometry): void {
  const [item] = items;
  const nodes = nodeCount(geometry);
  if (item === undefined || elementsOf(item) !== nodes || !item.type.startsWith('Float'))
    throw new FormatError(
      `The first item of a layered DFSU holds the heights of its ${nodes} nodes, but ${item === undefined ? 'there is no item' : `'${item.name}' has ${elementsOf(item)} ${item.type} values`}.`,
    );
}

export const isPointSpectrum = ({ dataType }: Pick<DfsHeader, 'dataType'>, { spectrum }: MikeFm): boolean =>
  spectrum !== undefined && dataType !== dataTypes.lineSpectra && dataType !== dataTypes.areaSpectra;

function itemAt(header: DfsHeader, n: number, geometry: MeshGeometry, components: readonly Axis[]): MeshItem {
  const stored = header.items[n]!;
  const item: MeshItem = {
    ...itemOf(stored, header.deleteValues),
    location: header.dataType === dataTypes.lineSpectra ? 'node' : 'cell',
    ...(components.length === 0 ? {} : { components }),
  };
  const places = placeCount(geometry, item);
  if (elementsOf(stored) !== places * componentCount(item))
    throw new FormatError(
      `Item '${stored.name}' has ${elementsOf(stored)} values in a mesh of ${nodeCount(geometry)} nodes and ${cellCount(geometry)} elements.`,
    );
  return item;
}
