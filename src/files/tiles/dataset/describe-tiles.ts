import type { Crs } from '../../data/crs-reference.ts';
import { clockText } from '../../data/date-text.ts';
import { stepCount, type TimeAxis, timeOf } from '../../data/time-axis.ts';
import { isNorthFirst } from '../../geo/crs/axis-order.ts';
import type { KnownCrs } from '../../geo/crs/crs.ts';
import { type Box, columnsOf, resolutionOf, rowsOf } from '../matrices.ts';
import type { TilePlan } from '../raster/drawing.ts';
import type { OutputType, TileStyle } from '../raster/encode-tile.ts';
import { coloursOfUnit, parseColour, type Ramp } from '../raster/ramp.ts';
import type { OpenItem, TileSource } from '../raster/tile-source.ts';
import { valuesName } from '../raster/values/item-values.ts';
import { type DrawnScheme, type SourceDescription, storedAxis, type TilesDescription } from './description.ts';
import type { TilingScheme } from './schemes.ts';

/** Metres of a degree in the WMTS standard. */
const METRES_PER_DEGREE = 111_319.490_793_273_58;
/** Side of a pixel of the standard, in metres. */
const STANDARD_PIXEL = 0.00028;

/** Pictures are compressed already. */
export const isUnzipped = (type: OutputType): boolean => type === 'PNG' || type === 'WEBP';

export function drawnScheme(
  scheme: TilingScheme,
  source: TileSource,
  { plan, chosen, item }: { plan: TilePlan; chosen: number | 'colours'; item: OpenItem },
): { drawn: DrawnScheme; ramp?: Ramp } {
  const { matrices, mercator, levels, onRequest, base, boxes } = plan;
  const own = chosen === 'colours' ? { name: 'Colours', unit: undefined } : source.items[chosen]!;
  const ramp = chosen === 'colours' ? undefined : rampOf(scheme, item, own.unit);
  const resolutions = levels.map((level) => resolutionOf(matrices, level));
  const { crs } = source;
  const metres = mercator
    ? 1
    : crs.geographic
      ? ((crs.unit.factor * 180) / Math.PI) * METRES_PER_DEGREE
      : crs.unit.factor;
  const { minValue: _minimum, maxValue: _maximum, colors: _colors, firstLevelOnRequest: _first, ...kept } = scheme;
  const drawn: DrawnScheme = {
    ...kept,
    itemName: own.name,
    ...(own.unit === undefined ? {} : { unit: own.unit }),
    ...(ramp === undefined ? {} : { minValue: ramp.minimum, maxValue: ramp.maximum, colors: ramp.texts }),
    zoomLevels: levels,
    ...(onRequest.length > 0 && {
      levelsOnRequest: onRequest,
      drawnOf: { name: valuesName(chosen), values: item.values.description, base, boxes },
    }),
    resolutions,
    scaleDenominators: resolutions.map((one) => (one * metres) / STANDARD_PIXEL),
    matrixWidths: levels.map((level) => columnsOf(matrices, level)),
    matrixHeights: levels.map((level) => rowsOf(matrices, level)),
    srid: mercator ? 3857 : crs.code!,
    sridAuthName: 'EPSG',
    topLeft: [matrices.left, matrices.top],
    northFirst: !mercator && isNorthFirst(crs),
    box: mercator ? mercatorBox(plan) : [source.box.west, source.box.south, source.box.east, source.box.north],
    hasLayers: source.layers > 1,
  };
  return { drawn, ...(ramp && { ramp }) };
}

/** In two parts across the antimeridian: the whole width. */
function mercatorBox({ boxes, matrices }: TilePlan): DrawnScheme['box'] {
  const [one] = boxes;
  if (one === undefined || boxes.length > 1) {
    const [south, north] = one === undefined ? [-matrices.top, matrices.top] : [one.south, one.north];
    return [matrices.left, south, -matrices.left, north];
  }
  return [one.west, one.south, one.east, one.north];
}

function rampOf(
  scheme: TilingScheme,
  { range }: OpenItem,
  unit: string | undefined,
): Ramp & { texts: readonly string[] } {
  let minimum = scheme.minValue ?? range?.minimum ?? (scheme.maxValue ?? 1) - 1;
  let maximum = scheme.maxValue ?? range?.maximum ?? minimum + 1;
  if (!(minimum < maximum)) {
    // A constant item, or a given end beyond all values.
    if (scheme.minValue === undefined) minimum = maximum - 0.5;
    if (scheme.maxValue === undefined) maximum = (scheme.minValue ?? minimum + 0.5) + 0.5;
  }
  const texts = scheme.colors ?? coloursOfUnit(unit);
  return { minimum, maximum, texts, colours: texts.map((text) => parseColour(text)!) };
}

/** The colours of a scheme that is drawn already. */
export function rampOfDrawn({ minValue, maxValue, colors }: DrawnScheme): Ramp | undefined {
  if (minValue === undefined || maxValue === undefined || colors === undefined) return undefined;
  return { minimum: minValue, maximum: maxValue, colours: colors.map((text) => parseColour(text)!) };
}

export const styleOf = (drawn: DrawnScheme, ramp: Ramp | undefined): TileStyle => ({
  outputType: drawn.outputType,
  tileWidth: drawn.tileWidth,
  tileHeight: drawn.tileHeight,
  transparent: drawn.renderValuesOutOfRangeAsTransparent,
  ...(ramp && { ramp }),
});

export function describeTiles(
  source: TileSource,
  {
    asked,
    drawn,
    values,
  }: Pick<SourceDescription, 'values'> & { asked: readonly TilingScheme[]; drawn: readonly DrawnScheme[] },
  bytes: number,
): TilesDescription {
  const { crs, shape, time, box, extent, layers, layerHeights, cell, mercatorCell } = source;
  return {
    version: 1,
    geographicBox: [extent.west, extent.south, extent.east, extent.north],
    nativeExtent: polygonOf(box),
    wgS84Extent: polygonOf(extent),
    tilingSchemes: drawn,
    askedSchemes: asked,
    tileStorageSizeKB: Math.ceil(bytes / 1024),
    source: {
      crs: plainCrs(crs),
      shape,
      box,
      extent,
      cell,
      mercatorCell,
      ...(time && { time: storedAxis(time) }),
      values,
    },
    timeStamps: time === undefined ? [] : timeStampsOf(time),
    layerIds: layers > 1 ? Array.from({ length: layers }, (_, layer) => layer) : [],
    ...(layerHeights && { layerHeights }),
  };
}

export const timeStampsOf = (time: TimeAxis): string[] =>
  Array.from({ length: stepCount(time) }, (_, step) => clockText(timeOf(time, step)));

/** A coordinate system without properties that PROJ knows. */
const plainCrs = ({ authority, code, wkt }: KnownCrs): Crs => ({
  ...(authority && { authority }),
  ...(code !== undefined && { code }),
  wkt,
});

const polygonOf = ({ west, south, east, north }: Box): string =>
  `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
