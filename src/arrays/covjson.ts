import { kindOf, sridOf } from 'hydrofiles/crs';
import { type Crs, eumItem, eumUnit, isBig, isFloat } from 'hydrofiles/data';
import { standardName } from 'hydrofiles/zarr';
import type { Coverage } from './coverage.ts';
import { crsTitle } from './crs-title.ts';
import type { OutputAxis } from './output-axis.ts';
import type { OpenDataset } from './stores.ts';
import { valueText } from './value-text.ts';
import type { Variable } from './variables.ts';

/** Values between two pieces of text. */
const pieceValues = 8192;

/**
 * CoverageJSON 1.0 (OGC 21-069r2): one coverage, or a collection if the items have different coordinates or none was
 * chosen.
 */
export function* covJson(dataset: OpenDataset, coverages: readonly Coverage[]): Generator<string> {
  const full = coverages.filter(({ axes, shared }) => [...axes, ...shared].every(({ length }) => length > 0));
  if (full.length === 1) {
    yield* coverageJson(dataset, full[0]!);
    return;
  }
  yield '{"type":"CoverageCollection","coverages":[';
  for (const [n, coverage] of full.entries()) {
    if (n > 0) yield ',';
    yield* coverageJson(dataset, coverage);
  }
  yield ']}';
}

function* coverageJson(dataset: OpenDataset, coverage: Coverage): Generator<string> {
  const { axes, shared, ranges } = coverage;
  const domainType = domainTypeOf(coverage);
  yield `{"type":"Coverage","domain":{"type":"Domain",${domainType === undefined ? '' : `"domainType":"${domainType}",`}"axes":{`;
  for (const [n, axis] of [...axes, ...shared].entries()) {
    yield `${n > 0 ? ',' : ''}${JSON.stringify(axis.name)}:`;
    yield* axisJson(axis);
  }
  yield `},"referencing":${JSON.stringify(referencing(dataset, coverage))}},"parameters":`;
  yield JSON.stringify(Object.fromEntries(ranges.map(({ variable }) => [variable.id, parameter(variable)])));
  yield ',"ranges":{';
  const shape = { axisNames: axes.map(({ name }) => name), shape: axes.map(({ length }) => length) };
  for (const [n, { variable, values }] of ranges.entries()) {
    const head = { type: 'NdArray', dataType: dataTypeOf(variable), ...(axes.length === 0 ? {} : shape) };
    yield `${n > 0 ? ',' : ''}${JSON.stringify(variable.id)}:${JSON.stringify(head).slice(0, -1)},"values":[`;
    const text = valueText(variable, values);
    yield* listed(values.length, text);
    yield ']}';
  }
  yield '}}';
}

/** Texts with commas between them, some thousands at a time. */
function* listed(length: number, text: (index: number) => string): Generator<string> {
  for (let first = 0; first < length; first += pieceValues) {
    const end = Math.min(length, first + pieceValues);
    let piece = '';
    for (let index = first; index < end; index++) piece += index === 0 ? text(index) : `,${text(index)}`;
    yield piece;
  }
}

function* axisJson({ coordinates, even, length, value }: OutputAxis): Generator<string> {
  if (even !== undefined) {
    yield JSON.stringify({ start: even[0], stop: even[1], num: length });
    return;
  }
  yield coordinates === undefined
    ? '{"values":['
    : `{"dataType":"tuple","coordinates":${JSON.stringify(coordinates)},"values":[`;
  yield* listed(length, value);
  yield ']}';
}

/** The common domain type, unless an item has coordinates besides time and place. */
function domainTypeOf({ shape, axes, shared }: Coverage): string | undefined {
  const lengths = new Map([...axes, ...shared].map(({ name, length }) => [name, length]));
  if ([...lengths.keys()].some((name) => !['t', 'z', 'y', 'x', 'composite'].includes(name))) return undefined;
  const overTime = lengths.has('t') && lengths.get('t') !== 1;
  const stands = lengths.has('z') && lengths.get('z') !== 1;
  if (shape === 'grid') return 'Grid';
  if (shape === 'points') {
    if (lengths.has('z')) return undefined;
    return overTime ? 'MultiPointSeries' : 'MultiPoint';
  }
  if (shape === 'none') return undefined;
  if (stands) return overTime ? 'Grid' : 'VerticalProfile';
  return overTime ? 'PointSeries' : 'Point';
}

const dataTypeOf = ({ item: { scale = 1, offset = 0 }, array: { metadata } }: Variable): 'float' | 'integer' =>
  scale === 1 && offset === 0 && (isBig(metadata.type) || !isFloat(metadata.type)) ? 'integer' : 'float';

function parameter({ item }: Variable): object {
  const quantity = item.eum && eumItem(item.eum.item);
  const unit = item.eum && eumUnit(item.eum.unit);
  const symbol = item.unit ?? unit?.symbol;
  const standard = item.eum && standardName(item.eum);
  return {
    type: 'Parameter',
    ...(item.name === undefined ? {} : { description: { en: item.name } }),
    ...(symbol === undefined ? {} : { unit: { ...(unit === undefined ? {} : { label: { en: unit.name } }), symbol } }),
    observedProperty: {
      ...(standard === undefined ? {} : { id: `http://vocab.nerc.ac.uk/standard_name/${standard}/` }),
      label: { en: quantity?.name ?? item.name ?? 'Value' },
    },
  };
}

function referencing({ crs, wkt, data }: OpenDataset, { axes, shared, shape }: Coverage): object[] {
  const all = [...axes, ...shared];
  const has = (name: string) => all.some((axis) => axis.name === name || axis.coordinates?.includes(name));
  const known = shape === 'none' || crs === undefined ? [] : [horizontal(crs, wkt)];
  const z = data.kind === 'grid' ? (data.layers?.unit ?? 'm') : 'm';
  return [
    ...known,
    ...(has('z')
      ? [
          {
            coordinates: ['z'],
            system: {
              type: 'VerticalCRS',
              cs: { csAxes: [{ name: { en: 'Height' }, direction: 'up', unit: { symbol: z } }] },
            },
          },
        ]
      : []),
    ...(has('t') ? [{ coordinates: ['t'], system: { type: 'TemporalRS', calendar: 'Gregorian' } }] : []),
  ];
}

/** The coordinates stand in the order of the axes of the system. */
function horizontal(crs: Crs, wkt: string | undefined): object {
  const type = kindOf(crs) === 'geographic' ? 'GeographicCRS' : 'ProjectedCRS';
  const srid = sridOf(crs);
  if (srid === 'EPSG:4326')
    return { coordinates: ['x', 'y'], system: { type, id: 'http://www.opengis.net/def/crs/OGC/1.3/CRS84' } };
  const [authority, code] = srid?.split(':') ?? [];
  const id = code === undefined ? {} : { id: `http://www.opengis.net/def/crs/${authority}/0/${code}` };
  const text = wkt ?? crs.wkt;
  const first = /\bAXIS\s*\[\s*"[^"]*"\s*,\s*"?(\w+)/i.exec(text ?? '')?.[1]?.toLowerCase();
  const isNorthFirst = first === undefined ? type === 'GeographicCRS' : first === 'north' || first === 'south';
  return {
    coordinates: isNorthFirst ? ['y', 'x'] : ['x', 'y'],
    system: {
      type,
      ...id,
      description: { en: crsTitle(crs, wkt) },
      ...(code === undefined && text ? { wkt: text } : {}),
    },
  };
}
