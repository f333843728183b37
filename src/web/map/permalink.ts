/** What a permalink keeps, in the fragment of the address. It never holds a token. */
export interface View {
  readonly zoom?: number;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly scheme?: string;
  /** The time stamp of the step, which stays right when steps are appended. */
  readonly time?: string;
  /** Layer, from 0, the lowest. */
  readonly layer?: number;
  /** 0 to 1. */
  readonly opacity?: number;
  /** Longitude and latitude of the chart. */
  readonly point?: readonly [number, number];
  /** The multidimensional dataset with the series of the chart. */
  readonly series?: string;
  /** The item of the chart of a multidimensional dataset; the attribute that colours features. */
  readonly item?: string;
}

const number = (text: string | null | undefined, least: number, most: number): number | undefined => {
  if (text === null || text === undefined || text.trim() === '') return undefined;
  const value = Number(text);
  return Number.isFinite(value) && value >= least && value <= most ? value : undefined;
};

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The id of a dataset: nothing else becomes part of a path. */
export const idIn = (value: unknown): string | undefined =>
  typeof value === 'string' && UUID.test(value) ? value : undefined;

/** Parses a fragment. Missing and invalid members are omitted. */
export function parsePermalink(fragment: string): View {
  const values = new URLSearchParams(fragment.replace(/^#/, ''));
  const [zoom, latitude, longitude] = (values.get('map') ?? '').split('/');
  const [x, y] = (values.get('point') ?? '').split(',');
  const place = {
    zoom: number(zoom, 0, 24),
    latitude: number(latitude, -90, 90),
    longitude: number(longitude, -360, 360),
  };
  const point = [number(x, -360, 360), number(y, -90, 90)] as const;
  const layer = number(values.get('layer'), 0, 1e6);
  return defined({
    ...(Object.values(place).includes(undefined) ? {} : place),
    scheme: values.get('scheme') ?? undefined,
    time: values.get('time') ?? undefined,
    layer: Number.isInteger(layer) ? layer : undefined,
    opacity: number(values.get('opacity'), 0, 1),
    point: point[0] === undefined || point[1] === undefined ? undefined : [point[0], point[1]],
    series: idIn(values.get('series')),
    item: values.get('item') ?? undefined,
  });
}

export function formatPermalink(view: View): string {
  const { zoom, latitude, longitude, point, opacity, ...rest } = view;
  const values = new URLSearchParams();
  if (zoom !== undefined && latitude !== undefined && longitude !== undefined)
    values.set('map', `${rounded(zoom, 2)}/${rounded(latitude, 5)}/${rounded(longitude, 5)}`);
  for (const name of ['scheme', 'time', 'layer'] as const)
    if (rest[name] !== undefined) values.set(name, String(rest[name]));
  if (opacity !== undefined && opacity !== 1) values.set('opacity', String(rounded(opacity, 2)));
  if (point !== undefined) values.set('point', `${rounded(point[0], 6)},${rounded(point[1], 6)}`);
  for (const name of ['series', 'item'] as const) if (rest[name] !== undefined) values.set(name, rest[name]);
  // a fragment may contain slashes, commas and colons, which are easier to read unescaped
  return `#${values.toString().replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%3A', ':')}`;
}

const rounded = (value: number, digits: number) => Number(value.toFixed(digits));

function defined<T extends object>(value: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
