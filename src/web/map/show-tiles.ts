import type { Map as MapLibreMap } from 'maplibre-gl';
import type { AddressBar } from './address-bar.ts';
import type { MultidimensionalDataset } from './answers.ts';
import type { Api } from './api.ts';
import { element, say } from './dom.ts';
import { onHover, type Point, placeMark, serveTiles } from './map-view.ts';
import { chooseOne, layerText, note, openSlider, showLegend } from './panel.ts';
import type { View } from './permalink.ts';
import { openPointCard } from './point-card.ts';
import { parseKey, setOpacity, sharpenBeyond, showScheme, showSlice, tilesShown } from './raster-layer.ts';
import { openReadout } from './readout.ts';
import { estimateText, valueText } from './scale.ts';
import { storedSeries, tileSeries } from './series.ts';
import { hasLayers, itemFor, type Series } from './series-table.ts';
import type { Subject } from './subject.ts';
import { type MapScheme, zoomRange } from './tile-grid.ts';
import { isEstimate, mapSchemes, mapTile, valueAt, valueScheme } from './tile-source.ts';
import { TileStore } from './tile-store.ts';
import { openTimeBar } from './time-bar.ts';
import { nearestStep, parseStamp, timeLabels } from './times.ts';

/** What the page does with keys and with a changed address. */
export interface Shown {
  apply(view: View): void;
  /** Reads the value of a place. */
  open(point: Point): void;
  move(steps: number): void;
  togglePlay(): void;
}

/** Shows a dataset of tiles: schemes, time, layers, legend, values and series. */
export function showTiles(map: MapLibreMap, subject: Subject, bar: AddressBar, api: Api): Shown {
  const { timeStamps: stamps, layerIds, layerHeights, tilingSchemes } = subject.tiles!;
  const [, south = 0, , north = 0] = subject.box ?? [];
  const shown = mapSchemes(tilingSchemes, (south + north) / 2);
  // A description has a scheme at least.
  const first = shown[0]!;
  const single = stamps.length <= 1 && layerIds.length <= 1;
  const store = new TileStore(api, subject.id, single);
  const find = (id: string | undefined) => shown.find(({ scheme }) => scheme.schemeId === id);
  const stepOf = (time: string | undefined) => Math.max(0, time === undefined ? 0 : stamps.indexOf(time));
  const layerIn = (view: View) => Math.min(Math.max(0, layerIds.length - 1), view.layer ?? 0);

  let current: MapScheme = find(bar.view.scheme) ?? first;
  let step = stepOf(bar.view.time);
  let layer = layerIn(bar.view);
  let opacity = bar.view.opacity ?? 1;
  const slice = () => ({ step, layer });

  serveTiles(async (place, key, signal) => {
    const { schemeId, slice: asked } = parseKey(key);
    return mapTile(store, find(schemeId) ?? current, asked, place, signal);
  });

  const drawScheme = () => {
    showScheme(map, current, slice(), { box: subject.box, opacity });
    sharpenBeyond(map, zoomRange(current.grid).maxzoom);
    const { itemName: title, unit, minValue, maxValue, colors } = current.scheme;
    showLegend(
      minValue === undefined || maxValue === undefined || colors === undefined
        ? undefined
        : { title, ...(unit !== undefined && { unit }), minValue, maxValue, colors },
    );
  };
  const drawSlice = () => {
    showSlice(map, current.scheme.schemeId, slice());
    if (card.point !== undefined) void refreshFacts();
  };

  const text = async (point: Point, signal: AbortSignal, zoom?: number) => {
    const from = valueScheme(current, shown);
    const value = await valueAt(store, from, slice(), point, { signal, ...(zoom !== undefined && { zoom }) });
    const { unit, minValue, maxValue } = from.scheme;
    if (value === undefined) return minValue === undefined && isEstimate(from) ? '' : 'no data';
    const shownValue = isEstimate(from) ? `≈ ${estimateText(value, minValue!, maxValue!)}` : valueText(value);
    return unit === undefined ? shownValue : `${shownValue} ${unit}`;
  };
  const hover = openReadout(async (point, signal) => {
    const value = await text(point, signal, map.getZoom());
    return value === '' ? '' : `${current.scheme.itemName} ${value}`;
  });
  onHover(map, hover);

  const labels = timeLabels(stamps);
  const mark = placeMark(map);
  const seriesId = bar.view.series ?? subject.seriesDataset;
  let described: Promise<MultidimensionalDataset | undefined> | undefined;
  /** Undefined where the reader has no right to it: the tiles have the values, too. */
  const describeSeries = (id: string) => {
    described ??= api.json<MultidimensionalDataset>(`api/md/dataset/${id}`).catch(() => {
      note('You may not see the dataset with the series of this one, so charts show the values of the tiles.');
      return undefined;
    });
    return described;
  };
  const facts = async (point: Point, signal: AbortSignal) => {
    const value = await text(point, signal);
    const at = stamps.length > 1 ? ` at ${labels[step]}` : '';
    return value === '' ? [] : [[`${current.scheme.itemName}${at}`, value] as const];
  };
  const readSeries = async (point: Point, signal: AbortSignal, progress: (text: string) => void): Promise<Series> => {
    const stored = seriesId === undefined ? undefined : await describeSeries(seriesId);
    const item = stored && itemFor(stored, current.scheme.itemName);
    if (seriesId !== undefined && stored !== undefined && item !== undefined) {
      return storedSeries(api, seriesId, item, point, { signal, ...(hasLayers(stored, item) && { layer }) });
    }
    return tileSeries(store, valueScheme(current, shown), stamps, point, {
      layer,
      signal,
      progress: (done, all) => progress(`Reading the series: ${done} of ${all} steps`),
    });
  };
  const stepIn = ({ times }: Series) => nearestStep(times, parseStamp(stamps[step] ?? '') ?? Number.NaN) ?? step;
  const card = openPointCard({
    facts,
    ...(stamps.length > 1 || seriesId !== undefined ? { series: readSeries } : {}),
    onStep(series, n) {
      const to = nearestStep(stamps, parseStamp(series.times[n] ?? '') ?? Number.NaN);
      if (to !== undefined) time?.go(to);
    },
    marked: stepIn,
    onPoint(point) {
      mark(point);
      bar.keep({ point });
    },
  });
  const refreshFacts = async () => {
    const point = card.point;
    if (point === undefined) return;
    const shownFacts = await facts(point, new AbortController().signal);
    card.setFacts(shownFacts);
  };
  map.on('click', ({ lngLat }) => void card.open([lngLat.lng, lngLat.lat]));
  map.on('zoomend', () => sharpenBeyond(map, zoomRange(current.grid).maxzoom));

  const time =
    stamps.length > 1
      ? openTimeBar(labels, step, {
          onStep(to) {
            step = to;
            drawSlice();
            card.markTime((series) => nearestStep(series.times, parseStamp(stamps[to] ?? '') ?? Number.NaN) ?? to);
            bar.keep({ time: stamps[to] });
          },
          ready: () => tilesShown(map),
          ahead: (next) => store.prefetch(current.scheme, { step: next, layer }),
        })
      : undefined;
  const setLayer =
    layerIds.length > 1
      ? openSlider('layer', {
          max: layerIds.length - 1,
          value: layer,
          text: (n) => layerText(n, layerIds.length, layerHeights),
          onChange(n) {
            layer = n;
            drawSlice();
            bar.keep({ layer });
            if (card.point !== undefined) void card.open(card.point);
          },
        })
      : undefined;
  const setOpacitySlider = openSlider('opacity', {
    max: 100,
    value: Math.round(100 * opacity),
    text: (n) => `${n} %`,
    onChange(n) {
      opacity = n / 100;
      setOpacity(map, opacity);
      bar.keep({ opacity });
    },
  });
  const choose = (id: string) => {
    current = find(id) ?? current;
    drawScheme();
    bar.keep({ scheme: current.scheme.schemeId });
    say(`Shows ${current.scheme.schemeId}`);
    if (card.point !== undefined) void card.open(card.point);
  };
  const list = () =>
    chooseOne(
      element('schemes'),
      'scheme',
      shown.map(({ scheme }) => ({
        id: scheme.schemeId,
        label: scheme.schemeId,
        detail: `${scheme.itemName} · ${scheme.schemeType} · ${scheme.outputType}`,
      })),
      current.scheme.schemeId,
      choose,
    );
  list();
  element('schemes-row').hidden = false;
  drawScheme();
  if (bar.view.point !== undefined) void card.open(bar.view.point);

  return {
    apply(view) {
      const chosen = find(view.scheme);
      if (chosen !== undefined && chosen !== current) {
        choose(chosen.scheme.schemeId);
        list();
      }
      if (view.time !== undefined) time?.go(stepOf(view.time));
      layer = layerIn(view);
      setLayer?.(layer);
      opacity = view.opacity ?? 1;
      setOpacitySlider(Math.round(100 * opacity));
      setOpacity(map, opacity);
      drawSlice();
      if (view.point === undefined) card.close();
      else void card.open(view.point);
    },
    open: (point) => void card.open(point),
    move: (by) => time?.move(by),
    togglePlay: () => time?.toggle(),
  };
}
