import { rimCodes } from '../../data/boundary-codes.ts';
import type { Crs } from '../../data/crs-reference.ts';
import { CELL_SHAPES, type Mesh, type MeshItem } from '../../data/mesh.ts';
import { stepsOf } from '../../data/time-axis.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import type { Context, Write } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { projectionText } from '../io/dfs/projection.ts';
import { longestNumber, putShortest } from '../io/number-text.ts';
import { bathymetry } from './header.ts';
import type { writeParameters } from './parameters.ts';

/** First guess at the number of decimals, right for most coordinates. */
const usualDecimals = 6;
const linesPerDrain = 1 << 13;
/** EUM's type of elements. */
const [triangles, mixed] = [21, 25];

export const write: Write<typeof writeParameters, 'mesh'> = async (mesh, _parameters, sink, context) => {
  checkShapes(mesh);
  const projection = await makeProjection(mesh.crs);
  const item = mesh.items.findIndex(isBathymetry);
  const lost = mesh.items.filter((_, n) => n !== item).map(({ name = 'unnamed' }) => `'${name}'`);
  if (lost.length > 0)
    context.reportLoss(
      `A mesh file holds no values but the z of its nodes; ${lost.slice(0, 5).join(', ')} ${lost.length === 1 ? 'was' : 'were'} left out.`,
      'units',
      'quantities',
      'valueKinds',
    );
  if (stepsOf(mesh) > 1)
    context.reportLoss(`A mesh file holds no time; ${stepsOf(mesh)} steps were left out.`, 'times');
  reportIds(mesh, context);
  // Receipts count the values of an item that is kept in the nodes.
  if (item >= 0) await mesh.values(item, 0);
  const quantity = mesh.items[item]?.eum ?? bathymetry;
  const out = new BufferedWriter(sink);
  out.text(`${quantity.item} ${quantity.unit} ${mesh.nodes.length / 3} ${projection}\n`);
  await putNodes(out, mesh);
  await putElements(out, mesh);
  await out.end();
};

/** Projection texts that mesh files may contain: a UTM zone, or Esri's dialect of WKT 1, which has no codes. */
const ownText = /^(?:UTM-\d+[NS]?$|(?:PROJCS|GEOGCS)\[(?![\s\S]*AUTHORITY\[))/i;

/** The projection text of the source file is kept if it describes the coordinate system of the mesh. */
const makeProjection = async (crs: Crs | undefined): Promise<string> =>
  crs?.wkt !== undefined && ownText.test(crs.wkt) ? crs.wkt : projectionText(crs);

/** The item that the reader of this format makes from z of the nodes. */
const isBathymetry = ({ eum, location }: MeshItem): boolean => eum?.item === bathymetry.item && location === 'cell';

/** Nodes and elements have numbers from 1, because MIKE takes the ids of nodes as their positions. */
function reportIds({ nodeIds, cellIds }: Mesh, { reportLoss }: Context): void {
  const isNumbered = (ids: Int32Array | undefined) => ids === undefined || ids.every((id, n) => id === n + 1);
  for (const [ids, what] of [
    [nodeIds, 'nodes'],
    [cellIds, 'elements'],
  ] as const)
    if (!isNumbered(ids)) reportLoss(`Ids of ${what} were left out: a mesh file has numbers from 1.`);
}

function checkShapes({ shapes }: Mesh): void {
  const cell = shapes.findIndex((shape) => shape !== CELL_SHAPES.triangle && shape !== CELL_SHAPES.quad);
  if (cell < 0) return;
  const [name] = Object.entries(CELL_SHAPES).find(([, shape]) => shape === shapes[cell]) ?? ['unknown'];
  const remedy =
    name === 'wedge' || name === 'hexahedron' ? ' Choose one layer with a verticalFilterTransformation.' : '';
  throw new ConversionError(`Cell ${cell + 1} is a ${name}. A mesh file takes triangles and quads only.${remedy}`);
}

async function putNodes(out: BufferedWriter, mesh: Mesh): Promise<void> {
  const { nodes } = mesh;
  const codes = mesh.nodeCodes ?? rimCodes(mesh);
  for (let n = 0; n < nodes.length / 3; n++) {
    out.reserve(5 * longestNumber);
    putNumber(out, n + 1);
    for (let axis = 0; axis < 3; axis++) {
      const value = nodes[3 * n + axis]!;
      if (!Number.isFinite(value)) throw new FormatError(`Node ${n + 1} has the coordinate ${value}.`);
      out.bytes[out.at++] = 32;
      putNumber(out, value);
    }
    out.bytes[out.at++] = 32;
    putNumber(out, codes[n]!);
    out.bytes[out.at++] = 10;
    if (n % linesPerDrain === 0) await out.drain();
  }
}

async function putElements(out: BufferedWriter, mesh: Mesh): Promise<void> {
  const { shapes, connectivity, offsets } = mesh;
  const most = shapes.includes(CELL_SHAPES.quad) ? 4 : 3;
  out.text(`${shapes.length} ${most} ${most === 3 ? triangles : mixed}\n`);
  for (let cell = 0; cell < shapes.length; cell++) {
    out.reserve(6 * longestNumber);
    putNumber(out, cell + 1);
    for (let k = 0; k < most; k++) {
      out.bytes[out.at++] = 32;
      const at = offsets[cell]! + k;
      if (at >= offsets[cell + 1]!) putNumber(out, 0);
      else putNumber(out, connectivity[at]! + 1);
    }
    out.bytes[out.at++] = 10;
    if (cell % linesPerDrain === 0) await out.drain();
  }
}

/** The caller must reserve room for the text. */
function putNumber(out: BufferedWriter, value: number): void {
  out.at = putShortest(out.bytes, out.at, value, usualDecimals);
}
