import { Box } from '../../data/box.ts';
import type { Mesh } from '../../data/mesh.ts';
import type { Canvas, Colour } from './canvas.ts';
import { nodataColour, rampScale, type Scale, scaleOf } from './colours.ts';
import { type Heading, paper } from './figure.ts';
import { type MapFigure, type MapPlan, mapFigure } from './map-figure.ts';
import { facesFromAbove, type MeshFaces } from './mesh-faces.ts';
import { edgesOf, type Faces, paintFaces, type Values } from './mesh-raster.ts';

const outline: Colour = [58, 62, 68];
/** Minimum mean size of elements, in pixels, from which edges are drawn. */
const minElementSize = 9;

export interface MeshPicture extends Heading, Pick<MapPlan, 'axes'> {
  readonly mesh: Pick<Mesh, 'crs' | 'nodes' | 'shapes' | 'connectivity' | 'offsets'>;
  /** Values of nodes or cells; absent: only the elements are drawn. */
  readonly values?: Values | undefined;
  readonly unit?: string | undefined;
}

/**
 * Draws a mesh from above, each element in the colour of its value, or shaded between the values of its nodes. Elements
 * without data are grey, on a transparent ground not drawn.
 */
export function meshPicturePng({ mesh, values, unit, ...plan }: MeshPicture): Uint8Array<ArrayBuffer> {
  const faces = facesFromAbove(mesh);
  const scale = values === undefined ? undefined : scaleOf(values.of);
  const box = new Box();
  box.add(mesh.nodes, 3);
  const legend = scale === undefined ? undefined : { scale, unit };
  const figure = mapFigure({ ...plan, box: [box.west, box.south, box.east, box.north], crs: mesh.crs, legend });
  const { canvas, frame } = figure;
  canvas.clip = frame;
  const x = Float64Array.from({ length: mesh.nodes.length / 3 }, (_, n) => figure.x(mesh.nodes[3 * n]!));
  const y = Float64Array.from({ length: x.length }, (_, n) => figure.y(mesh.nodes[3 * n + 1]!));
  const flat = { ...faces, x, y };
  paintFaces(canvas, frame, flat, ofFaces(values, faces), scale ?? plain);
  drawEdges(figure, flat);
  drawLinesAndPoints(canvas, flat, values, scale);
  return figure.png();
}

/** Colour scale of a mesh without values: one colour for all elements. */
const plain: Scale = { ...rampScale(0, 0), colour: () => nodataColour };

/** The value of each face is that of its cell. */
function ofFaces(values: Values | undefined, { cells }: MeshFaces): Values {
  if (values?.at === 'node') return values;
  return {
    at: 'cell',
    of: Float64Array.from(cells, (cell) => (values === undefined ? 0 : (values.of[cell] ?? Number.NaN))),
  };
}

function drawEdges({ canvas, frame }: MapFigure, faces: Faces): void {
  const { x, y } = faces;
  const { rim, inner } = edgesOf(faces);
  const draw = (edges: readonly number[], width: number, colour: Colour, opacity = 1) => {
    for (let n = 0; n < edges.length; n += 2) {
      const [a, b] = [edges[n]!, edges[n + 1]!];
      canvas.stroke([x[a]!, y[a]!, x[b]!, y[b]!], width, colour, { opacity });
    }
  };
  const area = (frame.right - frame.left) * (frame.bottom - frame.top);
  if (Math.sqrt(area / (faces.starts.length - 1)) >= minElementSize) draw(inner, 1, paper, 0.35);
  draw(rim, 1.2, outline);
}

function drawLinesAndPoints(
  canvas: Canvas,
  { lines, points, x, y }: MeshFaces & Faces,
  values: Values | undefined,
  scale: Scale | undefined,
): void {
  const meanOf = (cell: number, nodes: readonly number[]) =>
    values?.at === 'node'
      ? nodes.reduce((sum, node) => sum + values.of[node]!, 0) / nodes.length
      : (values?.of[cell] ?? Number.NaN);
  const colourAt = (cell: number, nodes: readonly number[]) => {
    const value = meanOf(cell, nodes);
    return scale === undefined ? outline : Number.isNaN(value) ? nodataColour : scale.colour(value);
  };
  for (const { cell, nodes } of lines)
    for (let n = 0; n + 1 < nodes.length; n++) {
      const ends = [nodes[n]!, nodes[n + 1]!];
      canvas.stroke(
        ends.flatMap((node) => [x[node]!, y[node]!]),
        2.5,
        colourAt(cell, ends),
      );
    }
  const radius = points.length > 5000 ? 2 : 4;
  for (const { cell, node } of points) canvas.disc(x[node]!, y[node]!, radius, colourAt(cell, [node]));
}
