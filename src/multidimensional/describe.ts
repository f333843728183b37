import { eumItem, eumUnit } from '../data/eum/eum.ts';
import type { Item } from '../data/item.ts';
import { cellCount, nodeCount } from '../data/mesh-cells.ts';
import { MILLISECONDS, stepCount } from '../data/time-axis.ts';
import { sridOf } from '../geo/crs/crs.ts';
import type { MultidimensionalDataset } from './answers.ts';
import { crsTitle } from './crs-title.ts';
import { keysOf } from './select-cells.ts';
import type { OpenDataset } from './stores.ts';
import { stepTime } from './times.ts';
import type { Variable } from './variables.ts';

type Description = Omit<MultidimensionalDataset, 'id' | 'name'>;

/** Times and coordinates of an axis that are listed. */
const mostListed = 10_000;

/** What a dataset holds, without its values. */
export function describe(dataset: OpenDataset): Description {
  const { data, variables, places } = dataset;
  return {
    kind: data.kind,
    items: variables.map((variable) => itemOf(variable)),
    ...timeOf(dataset),
    axes: axesOf(dataset),
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
    ...crsOf(dataset),
    ...extentOf(dataset),
  };
}

const kinds: Readonly<Record<NonNullable<Item['valueKind']>, string>> = {
  instantaneous: 'Instantaneous',
  accumulated: 'Accumulated',
  stepAccumulated: 'StepAccumulated',
  meanStepBackward: 'MeanStepBackward',
  meanStepForward: 'MeanStepForward',
};

function itemOf({ id, item, array, timed, dimensions, location }: Variable): Description['items'][number] {
  const quantity = item.eum && eumItem(item.eum.item);
  const unit = item.eum && eumUnit(item.eum.unit);
  const symbol = item.unit ?? unit?.symbol;
  const keys = keysOf(dimensions).map((key) => (key === 'place' ? (location === 'node' ? 'node' : 'element') : key));
  return {
    id,
    ...(item.name === undefined ? {} : { name: item.name }),
    ...(quantity === undefined ? {} : { item: quantity.identifier }),
    ...(unit === undefined ? {} : { unit: unit.identifier }),
    ...(symbol === undefined ? {} : { unitSymbol: symbol }),
    dataType: array.metadata.type,
    timeSeriesType: kinds[item.valueKind ?? 'instantaneous'],
    axes: [...(timed ? ['time'] : []), ...keys],
  };
}

function timeOf({ data: { time } }: OpenDataset): Pick<Description, 'time'> {
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

function axesOf({ data, cells, variables }: OpenDataset): Description['axes'] {
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

function crsOf({ crs, wkt }: OpenDataset): Pick<Description, 'crs'> {
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

/** Of outer edges. */
function extentOf({ data, places }: OpenDataset): Pick<Description, 'bbox'> {
  let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
  const add = (x: number, y: number) => {
    if (x < west) west = x;
    if (x > east) east = x;
    if (y < south) south = y;
    if (y > north) north = y;
  };
  if (places !== undefined)
    for (let n = 0; n < places.mesh.nodes.length; n += 3) add(places.mesh.nodes[n]!, places.mesh.nodes[n + 1]!);
  else if (data.kind === 'array' && data.placement?.by === 'nodes')
    for (const [n, x] of data.placement.nodeX.entries()) add(x, data.placement.nodeY[n]!);
  else if (data.kind !== 'mesh') {
    const placed =
      data.kind === 'grid'
        ? data
        : data.placement?.by === 'affine' && {
            affine: data.placement.affine,
            width: data.axes[data.placement.x]!.values.length,
            height: data.axes[data.placement.y]!.values.length,
          };
    if (placed) {
      const [x, a, b, y, c, d] = placed.affine;
      for (const column of [0, placed.width])
        for (const row of [0, placed.height]) add(x + column * a + row * b, y + column * c + row * d);
    }
  }
  const box = [west, south, east, north];
  return box.every(Number.isFinite) ? { bbox: box } : {};
}
