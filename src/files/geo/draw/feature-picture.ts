import { strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import type { Colour } from './canvas.ts';
import { nodataColour, type Scale } from './colours.ts';
import type { Heading } from './figure.ts';
import { type Box, type MapFigure, mapFigure } from './map-figure.ts';

const area: Colour = [188, 208, 178];
const edge: Colour = [70, 92, 74];
const line: Colour = [38, 92, 148];
const dot: Colour = [176, 58, 46];
/** More points than this are drawn smaller. */
const manyPoints = 5000;

export interface FeaturePicture extends Heading {
  /** Contains all features. */
  readonly box: Box;
  readonly count: number;
  /** Colours by the values of a numeric field. */
  readonly by?: { readonly field: number; readonly scale: Scale } | undefined;
}

/**
 * Draws a layer in one colour per kind of geometry, or by the values of a field. Memory holds the picture and one chunk
 * of features.
 */
export async function featurePicturePng(
  layer: FeatureCollection,
  { box, count, by, ...heading }: FeaturePicture,
): Promise<Uint8Array<ArrayBuffer>> {
  const figure = mapFigure({ ...heading, box, crs: layer.crs, legend: by && { scale: by.scale } });
  figure.canvas.clip = figure.frame;
  const stride = strideOf(layer);
  const style = heading.side === undefined ? framed(count) : bare(count);
  for await (const chunk of layer.chunks())
    for (const feature of chunk) {
      const colour = by && colourOf(feature, by.field, by.scale);
      if (feature.geometry !== undefined) drawGeometry(figure, feature.geometry, { ...style, stride, colour });
    }
  return figure.png();
}

function colourOf({ values }: Feature, field: number, scale: Scale): Colour {
  const value = values[field];
  const isNumber = (typeof value === 'number' && !Number.isNaN(value)) || typeof value === 'bigint';
  return isNumber ? scale.colour(Number(value)) : nodataColour;
}

/** In pixels. */
interface Widths {
  /** Of points. */
  readonly radius: number;
  /** Of lines. */
  readonly width: number;
  /** Of the edges of areas. */
  readonly edge: number;
}

const framed = (count: number): Widths => ({ radius: count > manyPoints ? 1.5 : 3.5, width: 2, edge: 1 });

/** In a thumbnail, few features are drawn larger, so that they are seen. */
const bare = (count: number): Widths =>
  count > manyPoints
    ? { radius: 1.2, width: 1.2, edge: 0.5 }
    : { radius: count > 100 ? 3 : 12, width: count > 1000 ? 1.6 : 3, edge: count > 1000 ? 0.8 : 1.5 };

interface Style extends Widths {
  readonly stride: number;
  readonly colour: Colour | undefined;
}

function drawGeometry(figure: MapFigure, { type, coordinates, parts, members }: Geometry, style: Style): void {
  for (const member of members ?? []) drawGeometry(figure, member, style);
  const { stride, radius, width, colour } = style;
  const { canvas } = figure;
  const vertices = coordinates.length / stride;
  const points = new Float64Array(2 * vertices);
  for (let n = 0; n < vertices; n++) {
    points[2 * n] = figure.x(coordinates[n * stride]!);
    points[2 * n + 1] = figure.y(coordinates[n * stride + 1]!);
  }
  const starts = [...(parts ?? [0]), vertices];
  const pieces = starts.slice(0, -1).map((start, n) => points.subarray(2 * start, 2 * starts[n + 1]!));
  if (type === 'Polygon' || type === 'MultiPolygon') {
    canvas.fill(pieces, colour ?? area);
    for (const ring of pieces) canvas.stroke(ring, style.edge, edge);
  } else if (type === 'LineString' || type === 'MultiLineString')
    for (const piece of pieces) canvas.stroke(piece, width, colour ?? line);
  else if (type === 'Point' || type === 'MultiPoint')
    for (let n = 0; n < points.length; n += 2) canvas.disc(points[n]!, points[n + 1]!, radius, colour ?? dot);
}
