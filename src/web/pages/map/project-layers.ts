import type { Dataset, Preview } from '../../client/api.ts';
import { datasetPreview } from '../../client/preview.ts';
import { sentenceOf } from '../../client/problem.ts';
import type { Box } from '../../map/preview/preview-map.ts';
import { parseStamp } from '../../map/times.ts';
import { mapTexts as words } from '../../texts/map.ts';
import { hasMap } from '../datasets/has-map.ts';
import { lengthText, nearestTime, stampOf, stepTimes } from './common-time.ts';
import { type LayerChoice, layerKey, newLayer, readLayers, type Side } from './layer-address.ts';
import { timeText } from './step-time.ts';
import { type MapView, readView } from './view.ts';

/** Datasets that are drawn when nobody has chosen. */
const USUAL = 6;
/** More at once make the map slow. */
export const MOST = 12;

export interface Described {
  readonly preview: Preview | undefined;
  /** Why it is not drawn. */
  readonly reason: string | undefined;
}

export async function describe(dataset: Dataset, signal: AbortSignal): Promise<Described> {
  try {
    const preview = await datasetPreview(dataset.id).describe(signal);
    const drawn = preview.state === 'ready' && hasMap(preview);
    const reason = preview.state === 'building' ? words.building : (preview.reason ?? words.notPlaced);
    return { preview: drawn ? preview : undefined, reason: drawn ? undefined : reason };
  } catch (error) {
    if (signal.aborted) throw error;
    return { preview: undefined, reason: sentenceOf(error) };
  }
}

/** A layer of the map of a project. */
export interface ProjectLayer {
  readonly dataset: Dataset;
  readonly choice: LayerChoice;
  readonly preview: Preview | undefined;
  readonly reason: string | undefined;
  readonly view: MapView | undefined;
  readonly times: Float64Array | undefined;
  /** Unique on the map. */
  readonly key: string;
  /** A dataset that is on the map again has a number behind its name. */
  readonly name: string;
}

/** What the address names, else the first datasets; from the top. */
export function chosenLayers(text: string | null, datasets: readonly Dataset[]): LayerChoice[] {
  const known = (layer: LayerChoice) => datasets.some(({ id }) => id === layer.id);
  if (text !== null) return readLayers(text).filter(known).slice(0, MOST);
  return datasets
    .slice(0, USUAL)
    .map(({ id }) => newLayer(id))
    .toReversed();
}

/** Points and lines first, then meshes, then grids, which hide what is below them. */
export const coveringLast = (
  choices: readonly LayerChoice[],
  known: ReadonlyMap<string, Described> | undefined,
): readonly LayerChoice[] =>
  choices.toSorted((one, other) => covered(known?.get(one.id)) - covered(known?.get(other.id)));

function covered(described: Described | undefined): number {
  const kind = described?.preview?.kind;
  if (kind === undefined) return 3;
  return kind === 'features' || kind === 'series' ? 0 : kind === 'mesh' ? 1 : 2;
}

export function layerOf(choice: LayerChoice, datasets: readonly Dataset[], known: Described | undefined): ProjectLayer {
  const dataset = datasets.find(({ id }) => id === choice.id)!;
  const { preview, reason } = known ?? {};
  const asked = new URLSearchParams({ opacity: String(choice.opacity), ...(choice.item && { item: choice.item }) });
  const view = preview && readView(asked, preview);
  const name = choice.copy === 0 ? dataset.name : `${dataset.name} (${choice.copy + 1})`;
  return { dataset, choice, preview, reason, view, times: preview && stepTimes(preview), key: layerKey(choice), name };
}

export const timeIn = (text: string | null): number | undefined => (text === null ? undefined : parseStamp(text));

/** The time of the step with most data of the highest layer that has times. */
export function usualTime(layers: readonly ProjectLayer[]): number {
  const found = layers.find(({ times }) => times !== undefined);
  return found?.times?.[found.preview?.steps?.best ?? 0] ?? 0;
}

/** Steps by the key of layers that go along with the time of the map. */
export const stepsAt = (layers: readonly ProjectLayer[], time: number): ReadonlyMap<string, number> =>
  new Map(
    layers.flatMap(({ key, choice, times }) =>
      times === undefined || choice.time !== undefined ? [] : [[key, nearestTime(times, time)] as const],
    ),
  );

/** The layers of a map, or of one half of it, from the lowest. @param now the time of the map */
export const drawnLayers = (layers: readonly ProjectLayer[], now: number | undefined, side?: Side) =>
  layers.toReversed().flatMap(({ key, name, choice, dataset, preview, view, times }) => {
    if (preview === undefined || view === undefined) return [];
    if (side !== undefined && choice.side !== undefined && choice.side !== side) return [];
    const time = choice.time ?? now;
    const step = times === undefined || time === undefined ? view.step : nearestTime(times, time);
    const at = times === undefined ? undefined : timeText(stampOf(times[step]!));
    const source = datasetPreview(dataset.id);
    return [{ key, name, at, dataset, preview, version: dataset.rowVersion, source, view: { ...view, step } }];
  });
export type DrawnLayer = ReturnType<typeof drawnLayers>[number];

/** Which step of a layer is shown, if it has none at the chosen time. */
export function timeNote({ steps }: Preview, times: Float64Array | undefined, now: number): string | undefined {
  if (times === undefined) return (steps?.count ?? 1) > 1 ? words.unknownTimes : undefined;
  const own = times[nearestTime(times, now)]!;
  if (own === now) return undefined;
  return words.nearest(timeText(stampOf(own)), lengthText(Math.abs(own - now) / 1000), own > now);
}

/** Across the antimeridian, a box counts as if it went on beyond 180°. */
export function unionOf(boxes: readonly (Box | undefined)[]): Box | undefined {
  const known = boxes.filter((one) => one !== undefined);
  if (known.length === 0) return undefined;
  const easts = known.map(([west, , east]) => (west > east ? east + 360 : east));
  return [
    Math.min(...known.map(([west]) => west)),
    Math.min(...known.map(([, south]) => south)),
    Math.max(...easts),
    Math.max(...known.map(([, , , north]) => north)),
  ];
}
