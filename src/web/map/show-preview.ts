import type { Map as MapLibreMap, RasterTileSource } from 'maplibre-gl';
import type { AddressBar } from './address-bar.ts';
import type { PreviewItem, PreviewValues } from './answers.ts';
import type { Api } from './api.ts';
import { element, say } from './dom.ts';
import { onHover, type Point, placeMark, serveTiles, tileAddress } from './map-view.ts';
import { chooseOne, layerText, openSlider, showLegend } from './panel.ts';
import { openPointCard } from './point-card.ts';
import { sharpenBeyond, tilesShown } from './raster-layer.ts';
import { openReadout } from './readout.ts';
import { valueText } from './scale.ts';
import type { Series } from './series-table.ts';
import type { Shown } from './show-tiles.ts';
import type { Subject } from './subject.ts';
import { openTimeBar } from './time-bar.ts';
import { nearestStep, parseStamp, timeLabels } from './times.ts';

const ID = 'tiles';
const SIDE = 256;
/** Tiles with values in memory, a quarter of a megabyte each. */
const MOST_TILES = 64;

/** Shows the preview of a dataset: items, steps, layers, colours, values and series. */
export function showPreview(map: MapLibreMap, subject: Subject, bar: AddressBar, api: Api): Shown {
  const preview = subject.preview!;
  const { items = [], steps, layers, scheme, deepest = 0 } = preview;
  const times = subject.times ?? [];
  const count = steps?.count ?? 1;
  const labels = times.length === count ? timeLabels(times) : Array.from({ length: count }, (_, n) => `Step ${n + 1}`);
  const base = `api/preview/dataset/${subject.id}`;
  const itemIn = (id: string | undefined) =>
    items.find((one) => one.id === id) ?? items.find((one) => one.id === scheme?.item);
  const stepIn = (time: string | undefined) => {
    const found = time === undefined ? -1 : times.length === count ? times.indexOf(time) : Number(time);
    return found >= 0 && found < count ? found : (steps?.best ?? 0);
  };
  const layerIn = (layer: number | undefined) => Math.min((layers?.count ?? 1) - 1, layer ?? (layers?.count ?? 1) - 1);

  let item: PreviewItem | undefined = itemIn(bar.view.item);
  let step = stepIn(bar.view.time);
  let layer = layerIn(bar.view.layer);
  let opacity = bar.view.opacity ?? 1;
  const query = () => `item=${encodeURIComponent(item?.id ?? '')}&step=${step}&layer=${layer}`;
  const tiles = new Map<string, Promise<DataView | undefined>>();

  serveTiles(async ([zoom, x, y], key, signal) => {
    const answer = await api.get(`${base}/${zoom}/${x}/${y}.png?${key}`, { signal });
    return answer.status === 204 ? createImageBitmap(new OffscreenCanvas(1, 1)) : answer.arrayBuffer();
  });
  const { box } = subject;
  map.addSource(ID, {
    type: 'raster',
    tiles: [tileAddress(query())],
    tileSize: SIDE,
    maxzoom: deepest,
    ...(box !== undefined &&
      box[2] <= 180 && { bounds: [box[0], Math.max(-85, box[1]), box[2], Math.min(85, box[3])] }),
  });
  map.addLayer(
    { id: ID, type: 'raster', source: ID, paint: { 'raster-opacity': opacity, 'raster-fade-duration': 0 } },
    map.getLayer('graticule') ? 'graticule' : undefined,
  );
  sharpenBeyond(map, deepest);
  map.on('zoomend', () => sharpenBeyond(map, deepest));

  const legend = () => {
    if (item === undefined || scheme === undefined || scheme.colors.length === 0) return showLegend(undefined);
    const own = item.id === scheme.item;
    const { min = scheme.min, max = scheme.max } = own ? scheme : item;
    const { name: title, unit } = item;
    showLegend({ title, ...(unit !== undefined && { unit }), minValue: min, maxValue: max, colors: scheme.colors });
  };
  const draw = () => {
    map.getSource<RasterTileSource>(ID)?.setTiles([tileAddress(query())]);
    legend();
  };

  const valuesOf = (address: string) => {
    const known = tiles.get(address);
    if (known !== undefined) return known;
    const loading = api
      .get(address)
      .then(async (answer) => (answer.status === 204 ? undefined : new DataView(await answer.arrayBuffer())));
    loading.catch(() => tiles.delete(address));
    tiles.set(address, loading);
    const [oldest] = tiles.keys();
    if (tiles.size > MOST_TILES) tiles.delete(oldest!);
    return loading;
  };
  const valueAt = async ([longitude, latitude]: Point): Promise<string> => {
    if (preview.tiles?.values === undefined || item === undefined) return '';
    const zoom = Math.max(0, Math.min(deepest, Math.round(map.getZoom())));
    const angle = (latitude * Math.PI) / 180;
    const across = ((((longitude + 180) / 360) % 1) + 1) % 1;
    const [x, y] = [across * 2 ** zoom, ((1 - Math.asinh(Math.tan(angle)) / Math.PI) / 2) * 2 ** zoom];
    const [column, row] = [Math.floor(x), Math.floor(y)];
    if (!(row >= 0 && row < 2 ** zoom)) return '';
    const values = await valuesOf(`${base}/${zoom}/${column}/${row}.values?${query()}`);
    const pixel = Math.floor((y - row) * SIDE) * SIDE + Math.floor((x - column) * SIDE);
    const value = values?.getFloat32(4 * pixel, true) ?? Number.NaN;
    if (Number.isNaN(value)) return 'no data';
    return `${valueText(value)}${item.unit === undefined ? '' : ` ${item.unit}`}`;
  };
  onHover(
    map,
    openReadout(async (point) => {
      const value = await valueAt(point);
      return value === '' ? '' : `${item?.name} ${value}`;
    }),
  );

  const mark = placeMark(map);
  const readSeries = async ([longitude, latitude]: Point, signal: AbortSignal): Promise<Series> => {
    const asked = `${base}/values?point=${longitude},${latitude}&item=${encodeURIComponent(item!.id)}&layer=${layer}`;
    const answer = await api.json<PreviewValues>(asked, signal);
    const values = answer.points[0]?.values?.[0] ?? [];
    return {
      title: item!.name,
      ...(item!.unit !== undefined && { unit: item!.unit }),
      times: answer.time?.times ?? values.map((_, n) => String(n)),
      values: values.map((value) => value ?? undefined),
      source: `Values of the ${preview.kind === 'mesh' ? 'element' : 'cell'}, as they are stored.`,
    };
  };
  const moment = (n: number) => parseStamp(times[n] ?? '') ?? Number.NaN;
  const card = openPointCard({
    async facts(point) {
      const value = await valueAt(point);
      return value === '' ? [] : [[`${item?.name}${count > 1 ? ` at ${labels[step]}` : ''}`, value] as const];
    },
    ...(count > 1 && preview.tiles?.values !== undefined ? { series: readSeries } : {}),
    onStep: (_series, n) => time?.go(n),
    marked: (series) => nearestStep(series.times, moment(step)) ?? step,
    onPoint(point) {
      mark(point);
      bar.keep({ point });
    },
  });
  const again = () => {
    if (card.point !== undefined) void card.open(card.point);
  };
  map.on('click', ({ lngLat }) => void card.open([lngLat.lng, lngLat.lat]));

  const time =
    count > 1
      ? openTimeBar(labels, step, {
          onStep(to) {
            step = to;
            draw();
            card.markTime((series) => nearestStep(series.times, moment(to)) ?? to);
            bar.keep({ time: times[to] ?? String(to) });
          },
          ready: () => tilesShown(map),
          ahead() {},
        })
      : undefined;
  const layerCount = layers?.count ?? 1;
  const setLayer =
    layerCount > 1
      ? openSlider('layer', {
          max: layerCount - 1,
          value: layer,
          text: (n) => layerText(n, layerCount, layers?.heights),
          onChange(n) {
            layer = n;
            draw();
            bar.keep({ layer });
            again();
          },
        })
      : undefined;
  const setOpacity = openSlider('opacity', {
    max: 100,
    value: Math.round(100 * opacity),
    text: (n) => `${n} %`,
    onChange(n) {
      opacity = n / 100;
      map.setPaintProperty(ID, 'raster-opacity', opacity);
      bar.keep({ opacity });
    },
  });
  const list = () =>
    chooseOne(
      element('schemes'),
      'item',
      items.map(({ id, name, unit }) => ({ id, label: name, detail: unit ?? '' })),
      item?.id ?? '',
      (id) => {
        item = itemIn(id);
        draw();
        bar.keep({ item: id });
        say(`Shows ${item?.name}`);
        again();
      },
    );
  list();
  element('schemes-title').textContent = 'Item';
  element('schemes-row').hidden = items.length < 2;
  legend();
  if (bar.view.point !== undefined) void card.open(bar.view.point);

  return {
    apply(view) {
      item = itemIn(view.item);
      list();
      time?.go(stepIn(view.time));
      layer = layerIn(view.layer);
      setLayer?.(layer);
      opacity = view.opacity ?? 1;
      setOpacity(Math.round(100 * opacity));
      map.setPaintProperty(ID, 'raster-opacity', opacity);
      draw();
      if (view.point === undefined) card.close();
      else void card.open(view.point);
    },
    open: (point) => void card.open(point),
    move: (by) => time?.move(by),
    togglePlay: () => time?.toggle(),
  };
}
