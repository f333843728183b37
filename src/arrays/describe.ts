import { sridOf } from 'hydrofiles/crs';
import {
  cellCount,
  eumItem,
  eumUnit,
  type Item,
  MILLISECONDS,
  nodeCount,
  type StoredType,
  stepCount,
} from 'hydrofiles/data';
import type { MultidimensionalDataset } from './answers.ts';
import { crsTitle } from './crs-title.ts';
import { keysOf } from './select-cells.ts';
import type { OpenDataset } from './stores.ts';
import { stepTime } from './times.ts';
import { noDataOf, type Variable } from './variables.ts';

type Description = Omit<MultidimensionalDataset, 'id' | 'name'>;

/** Times and coordinates of an axis that are listed. */
const mostListed = 10_000;

/** Description of a dataset without its values. */
export function describe(dataset: OpenDataset): Description {
  const { data, variables, places } = dataset;
  return {
    ...(dataset.title === undefined ? {} : { title: dataset.title }),
    kind: data.kind,
    items: variables.map((variable, i) => describeItem(variable, i, places?.layers !== undefined)),
    ...describeTime(dataset),
    axes: describeAxes(dataset),
    ...(data.kind === 'grid' ? { affine: [...data.affine] } : {}),
    ...(places === undefined
      ? {}
      : {
          mesh: {
            nodes: nodeCount(places.mesh),
            elements: cellCount(places.mesh),
            ...(places.layers === undefined
              ? {}
              : { layers: places.layers.count, sigmaLayers: places.mesh.layers!.sigma }),
            ...(places.mesh.section === undefined ? {} : { section: places.mesh.section }),
          },
        }),
    ...describeSystem(dataset),
    ...(dataset.box === undefined ? {} : { bbox: [...dataset.box] }),
    ...(dataset.wgs84Extent === undefined ? {} : { wgS84Extent: dataset.wgs84Extent }),
  };
}

const kinds: Readonly<Record<NonNullable<Item['valueKind']>, string>> = {
  instantaneous: 'Instantaneous',
  accumulated: 'Accumulated',
  stepAccumulated: 'StepAccumulated',
  meanStepBackward: 'MeanStepBackward',
  meanStepForward: 'MeanStepForward',
};

/** The narrowest type of clients that holds the values; of 64 bits without a sign those below 2^63. */
const dataTypes: Readonly<Record<StoredType, Description['items'][number]['dataType']>> = {
  Int8: 'Int16',
  UInt8: 'Int16',
  Int16: 'Int16',
  UInt16: 'Int32',
  Int32: 'Int32',
  UInt32: 'Int64',
  Int64: 'Int64',
  UInt64: 'Int64',
  Float32: 'Single',
  Float64: 'Double',
};

function describeItem(
  { id, item, array, timed, dimensions, location }: Variable,
  i: number,
  isLayered: boolean,
): Description['items'][number] {
  const quantity = item.eum && eumItem(item.eum.item);
  const unit = item.eum && eumUnit(item.eum.unit);
  const symbol = item.unit ?? unit?.symbol;
  const keys = keysOf(dimensions).map((key) => (key === 'place' ? (location === 'node' ? 'node' : 'element') : key));
  const noData = noDataOf(item);
  return {
    i,
    id,
    ...(item.name === undefined ? {} : { name: item.name }),
    ...(quantity === undefined ? {} : { item: quantity.identifier }),
    ...(unit === undefined ? {} : { unit: unit.identifier }),
    ...(symbol === undefined ? {} : { unitSymbol: symbol }),
    dataType: dataTypes[array.metadata.type],
    ...(Number.isFinite(noData) ? { noDataValue: noData } : {}),
    hasLayers: location === 'cell' ? isLayered : dimensions.some(({ role }) => role === 'layer'),
    timeSeriesType: kinds[item.valueKind ?? 'instantaneous'],
    axes: [...(timed ? ['time'] : []), ...keys],
  };
}

function describeTime({ data: { time } }: OpenDataset): Pick<Description, 'time'> {
  if (time === undefined) return {};
  const steps = stepCount(time);
  const every = time.spacing === 'equidistant' ? { interval: (time.interval * MILLISECONDS[time.unit]) / 1000 } : {};
  const list =
    time.spacing === 'equidistant' || steps > mostListed
      ? {}
      : { times: Array.from({ length: steps }, (_, step) => stepTime(time, step)) };
  return {
    time: {
      steps,
      ...(steps === 0 ? {} : { start: stepTime(time, 0), end: stepTime(time, steps - 1) }),
      relative: time.start === undefined,
      ...every,
      ...list,
    },
  };
}

function describeAxes({ data, cells, variables }: OpenDataset): Description['axes'] {
  const axes: Description['axes'] = [];
  if (cells !== undefined) {
    const { width, height } = cells;
    axes.push({
      name: 'x',
      length: width,
      ...(cells.aligned ? { first: cells.x(0, 0), last: cells.x(width - 1, 0) } : {}),
    });
    axes.push({
      name: 'y',
      length: height,
      ...(cells.aligned ? { first: cells.y(0, 0), last: cells.y(0, height - 1) } : {}),
    });
  }
  for (const { dimensions } of variables) {
    const keys = keysOf(dimensions);
    for (const [d, dimension] of dimensions.entries()) {
      if (!('axis' in dimension) || axes.some(({ name }) => name === keys[d])) continue;
      const { values, unit } = dimension.axis;
      axes.push({
        name: keys[d]!,
        length: values.length,
        ...(unit === undefined ? {} : { unit }),
        ...(values.length <= mostListed && values.every(Number.isFinite) ? { values: [...values] } : {}),
      });
    }
  }
  return data.kind === 'mesh' ? axes.filter(({ name }) => name !== 'x' && name !== 'y') : axes;
}

function describeSystem({ crs, wkt }: OpenDataset): Pick<Description, 'crs'> {
  if (crs === undefined) return {};
  const srid = sridOf(crs);
  const text = wkt ?? crs.wkt;
  return {
    crs: {
      name: crsTitle(crs, wkt),
      ...(srid === undefined ? {} : { srid }),
      ...(text === undefined ? {} : { wkt: text }),
    },
  };
}
