/** A dataset on the map of a project, as the fragment of the address has it. */
export interface LayerChoice {
  readonly id: string;
  /** 0; a dataset that is on the map again has a number of its own. */
  readonly copy: number;
  /** 0 to 1. */
  readonly opacity: number;
  /** Absent: that of the scheme. */
  readonly item?: string | undefined;
  /** The half of a divided map; absent: both. */
  readonly side?: Side | undefined;
  /** In milliseconds on the clock of the data: keeps this time; absent: the time of the map. */
  readonly time?: number | undefined;
}

export type Side = 'left' | 'right';

export const newLayer = (id: string): LayerChoice => ({ id, copy: 0, opacity: 1 });

export const layerKey = ({ id, copy }: LayerChoice): string => (copy === 0 ? id : `${id}~${copy}`);

/** The same dataset again, below a number that is free. */
export function copyLayer(layer: LayerChoice, all: readonly LayerChoice[]): LayerChoice {
  const copies = all.filter(({ id }) => id === layer.id).map(({ copy }) => copy);
  return { ...layer, copy: Math.max(...copies) + 1 };
}

/**
 * Layers from the top, with commas between: `{id}.{opacity in %}.{item}`; opacity and item may be absent. Behind the id
 * `~{copy}`, `~left` or `~right`, and `~t{time}`.
 */
export function readLayers(text: string): LayerChoice[] {
  const layers = text.split(',').flatMap((part): LayerChoice[] => {
    const [head = '', percent = '', ...item] = part.split('.');
    const [id = '', ...marks] = head.split('~');
    const opacity = percent === '' ? 100 : Number(percent);
    if (id === '') return [];
    const side = marks.find((mark): mark is Side => mark === 'left' || mark === 'right');
    const time = marks.find((mark) => /^t-?\d+$/.test(mark));
    return [
      {
        id,
        copy: Number(marks.find((mark) => /^\d+$/.test(mark)) ?? 0),
        opacity: opacity >= 0 && opacity <= 100 ? opacity / 100 : 1,
        ...(item.length > 0 && { item: decodeURIComponent(item.join('.')) }),
        ...(side && { side }),
        ...(time && { time: Number(time.slice(1)) }),
      },
    ];
  });
  return [...new Map(layers.map((layer) => [layerKey(layer), layer])).values()];
}

export const writeLayers = (layers: readonly LayerChoice[]): string =>
  layers
    .map((layer) => {
      const { opacity, item, side, time } = layer;
      const head = [layerKey(layer), side, time !== undefined && `t${time}`].filter(Boolean).join('~');
      const percent = Math.round(100 * opacity);
      return item === undefined
        ? percent === 100
          ? head
          : `${head}.${percent}`
        : `${head}.${percent}.${encodeURIComponent(item).replaceAll(',', '%2C')}`;
    })
    .join(',');

/** A map that is divided for the first time shows its two highest layers side by side, or its only one twice. */
export function dividedLayers(layers: readonly LayerChoice[]): readonly LayerChoice[] {
  const [first, second, ...more] = layers;
  if (first === undefined || layers.some(({ side }) => side !== undefined)) return layers;
  const left: LayerChoice = { ...(second ?? first), side: 'left' };
  return [{ ...(second === undefined ? copyLayer(first, layers) : first), side: 'right' }, left, ...more];
}
