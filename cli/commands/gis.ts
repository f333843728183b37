import { open as openFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { localOutput, STDIO } from 'hydrofiles/command';
import { count, record, repeated, table } from 'hydrofiles/terminal';
import type { FeatureDescription } from '../../src/features/description.ts';
import type { Feature, FeaturePage } from '../../src/features/schemas.ts';
import {
  checkFileOptions,
  FEATURE_FORMATS,
  type FileOptions,
  fileFormat,
  fileOptions,
  saveAnswer,
} from '../answer-file.ts';
import type { Answer } from '../client.ts';
import type { Io } from '../io.ts';

const DEFAULT_LIMIT = 50;
const PAGE = 1000;

interface Shown {
  crs?: string;
  properties?: string[];
}
interface FeatureOptions extends Shown, FileOptions {
  bbox?: string;
  bboxCrs?: string;
  filter?: string;
  limit: number;
  all?: boolean;
}

export function gisCommands(gis: Command, io: Io): void {
  const crs = ['--crs <name>', 'coordinate system of the answer, such as EPSG:25832; default: CRS84'] as const;
  const properties = ['--properties <names>', 'only these properties, separated by commas; may be repeated'] as const;
  gis
    .command('show <dataset>')
    .description('describe the features of a dataset')
    .action((dataset) => describe(io, dataset));
  const features = gis
    .command('features <dataset>')
    .description('list features of a dataset, or write them to a file')
    .option('--bbox <minX,minY,maxX,maxY>', 'only features that intersect this box')
    .option('--bbox-crs <name>', 'coordinate system of the box; default: CRS84')
    .option('--filter <expression>', 'only features that match, such as name=Ribe or "depth >= 5 AND name LIKE \'R%\'"')
    .option(...properties, repeated)
    .option(...crs)
    .option('--limit <count>', 'maximum number', count, DEFAULT_LIMIT)
    .option('--all', 'all features');
  fileOptions(features, FEATURE_FORMATS).action((dataset, options) => listFeatures(io, dataset, options));
  gis
    .command('feature <dataset>')
    .description('show a feature by its id')
    .argument('<feature>', 'its id; in a dataset without ids its number, from 0')
    .option(...properties, repeated)
    .option(...crs)
    .action((dataset, feature, options) => showFeature(io, dataset, feature, options));
}

const pathOf = (dataset: string, rest = '') => `/api/gis/dataset/${encodeURIComponent(dataset)}${rest}`;

async function describe(io: Io, dataset: string): Promise<void> {
  const answer = await io.api.call<FeatureDescription>('GET', pathOf(dataset));
  io.show(answer, (described) => [
    record({
      Name: described.name,
      Geometry: `${described.geometryType}${described.hasZ ? ' Z' : ''}${described.hasM ? ' M' : ''}`,
      Features: described.featureCount ?? 'not known',
      'Coordinate system': described.crs ? `${described.crs.name} (${described.crs.srid ?? 'no code'})` : 'not known',
      'Extent in degrees': described.extent?.join(', '),
      'Extent as stored': described.storedExtent?.join(', '),
      Ids: described.hasIds ? 'of their own' : 'numbers from 0',
    }),
    table(
      ['PROPERTY', 'TYPE', 'WIDTH', 'DECIMALS'],
      described.properties.map(({ name, type, width, decimals }) => [name, type, width, decimals]),
    ),
  ]);
}

const selection = ({ bbox, bboxCrs, filter, properties, crs }: FeatureOptions) => ({
  bbox,
  'bbox-crs': bboxCrs,
  filter,
  properties,
  crs,
});

async function* pages(io: Io, dataset: string, options: FeatureOptions): AsyncGenerator<Answer<FeaturePage>> {
  let left = options.all ? Infinity : options.limit;
  for (let cursor: string | undefined; ; ) {
    const query = { ...selection(options), cursor, limit: Math.min(PAGE, left) };
    const page = await io.api.call<FeaturePage>('GET', pathOf(dataset, '/feature'), { query });
    yield page;
    left -= page.body.numberReturned;
    const next = page.body.links.find(({ rel }) => rel === 'next')?.href;
    if (next === undefined || left <= 0) return;
    cursor = new URL(next).searchParams.get('cursor') ?? undefined;
  }
}

async function listFeatures(io: Io, dataset: string, options: FeatureOptions): Promise<void> {
  checkFileOptions(options);
  if (options.output !== undefined) {
    const f = fileFormat(options, FEATURE_FORMATS);
    if (f === 'json') return writeFeatures(io, dataset, options, options.output);
    const query = { ...selection(options), limit: options.all ? undefined : options.limit, f };
    return saveAnswer(io, options, await io.api.call('GET', pathOf(dataset, '/feature'), { query }));
  }
  const features: Feature[] = [];
  let last: Answer<FeaturePage> | undefined;
  for await (const page of pages(io, dataset, options)) {
    features.push(...page.body.features);
    last = page;
  }
  if (last === undefined) return;
  const { skipped, numberMatched, links } = last.body;
  if (links.some(({ rel }) => rel === 'next') && !io.json)
    io.note(
      `Shows ${features.length}${numberMatched === undefined ? '' : ` of ${numberMatched}`}. Use --limit or --all.`,
    );
  for (const { number, reason } of skipped ?? []) io.note(`Feature ${number} was left out: ${reason}`);
  const body = { ...last.body, features, numberReturned: features.length };
  io.show({ ...last, body, text: JSON.stringify(body) }, () => tabulate(features));
}

function tabulate(features: readonly Feature[]) {
  const names = [...new Set(features.flatMap(({ properties }) => Object.keys(properties)))];
  return table(
    ['ID', 'GEOMETRY', ...names.map((name) => name.toUpperCase())],
    features.map(({ id, geometry, properties }) => [
      id,
      place(geometry),
      ...names.map((name) => cell(properties[name])),
    ]),
  );
}

const cell = (value: unknown): unknown => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value);

/** The place of a point, else the type. */
function place(geometry: unknown): string {
  const { type = '', coordinates } = (geometry ?? {}) as { type?: string; coordinates?: unknown };
  return type === 'Point' ? String(coordinates) : type;
}

/** Writes one collection with the features of all pages, as the server wrote them: numbers keep every digit. */
async function writeFeatures(io: Io, dataset: string, options: FeatureOptions, target: string): Promise<void> {
  await using open = new AsyncDisposableStack();
  const output = await localOutput(target, options.force ?? false, open);
  const file = await openFile(output.path, 'w');
  let written = 0;
  try {
    await file.write('{"type":"FeatureCollection",');
    for await (const { text, headers, body } of pages(io, dataset, options)) {
      if (written === 0) await file.write(`${crsMember(String(headers['content-crs'] ?? ''))}"features":[\n`);
      // a feature a line
      const features = text.slice(text.indexOf('\n') + 1, text.lastIndexOf('\n'));
      if (body.numberReturned > 0) await file.write(written === 0 ? features : `,\n${features}`);
      written += body.numberReturned;
      for (const { number, reason } of body.skipped ?? []) io.note(`Feature ${number} was left out: ${reason}`);
    }
    await file.write('\n]}\n');
  } finally {
    await file.close();
  }
  const { files } = await output.finish(io, (path) => path);
  if (target !== STDIO) {
    const answer = { status: 200, headers: {}, text: '', body: undefined };
    io.show(answer, () => `${files[0]}: ${written} features`, { file: files[0], features: written });
  }
}

/** Names the system of the coordinates in the file, unless it is that of GeoJSON. */
function crsMember(header: string): string {
  const [, authority, code] = /\/(EPSG|ESRI)\/\d+\/(\d+)>$/.exec(header) ?? [];
  if (code === undefined) return '';
  return `"crs":{"type":"name","properties":{"name":"urn:ogc:def:crs:${authority}::${code}"}},`;
}

async function showFeature(io: Io, dataset: string, feature: string, { crs, properties }: Shown): Promise<void> {
  const path = pathOf(dataset, `/feature/${encodeURIComponent(feature)}`);
  const answer = await io.api.call<Feature>('GET', path, { query: { crs, properties } });
  io.show(answer, ({ id, geometry, properties: values }) =>
    record({
      ID: id,
      Geometry: place(geometry),
      ...Object.fromEntries(Object.entries(values).map(([name, value]) => [name, cell(value)])),
    }),
  );
}
