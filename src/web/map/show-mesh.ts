import type { Map as MapLibreMap } from 'maplibre-gl';
import type { AddressBar } from './address-bar.ts';
import type { Api } from './api.ts';
import { element } from './dom.ts';
import { onHover, type Point, placeMark, serveTiles } from './map-view.ts';
import { chooseOne, layerText, note, openSlider, showLegend } from './panel.ts';
import { openPointCard } from './point-card.ts';
import { tilesShown } from './raster-layer.ts';
import { valueText } from './scale.ts';
import { storedSeries } from './series.ts';
import { hasLayers, itemFor, type Series, unitOf } from './series-table.ts';
import type { Shown } from './show-tiles.ts';
import type { Subject } from './subject.ts';
import { openTimeBar } from './time-bar.ts';
import { nearestStep, parseStamp, timeLabels } from './times.ts';
import {
  addVectorLayers,
  COLOURS,
  choose,
  colourBy,
  featureAt,
  rangeOf,
  setMeshOpacity,
  showVectorSlice,
} from './vector-layers.ts';

/** Shows a multidimensional dataset that is a mesh: elements with the values of an item, and series at a point. */
export function showMesh(map: MapLibreMap, subject: Subject, bar: AddressBar, api: Api): Shown {
  const dataset = subject.stored!;
  const { vector_layers, timeStamps: stamps = [], layerIds = [] } = subject.vector!;
  const source = vector_layers[0]!.id;
  const names = Object.keys(vector_layers[0]!.fields);
  const labels = timeLabels(stamps);
  const stepOf = (time: string | undefined) => Math.max(0, time === undefined ? 0 : stamps.indexOf(time));

  let name = names.find((one) => one === bar.view.item) ?? names[0] ?? '';
  let step = stepOf(bar.view.time);
  let layer = Math.min(Math.max(0, layerIds.length - 1), bar.view.layer ?? 0);
  let opacity = bar.view.opacity ?? 1;
  /** Least and greatest shown value of each item. */
  const seen = new Map<string, [number, number]>();

  const key = () => `${step} ${layer} ${name}`;
  serveTiles(async ([zoom, x, y], asked, signal) => {
    const [timeStep = '0', askedLayer = '0', ...words] = asked.split(' ');
    const query = new URLSearchParams(stamps.length > 1 ? { timeStep } : {});
    if (layerIds.length > 1) query.set('layer', askedLayer);
    // names with a comma cannot be listed: then all come
    const attributes = words.join(' ');
    if (!attributes.includes(',')) query.set('attributes', attributes);
    const path = `api/vectortiles/dataset/${subject.id}/${zoom}/${x}/${y}.vector.pbf?${query}`;
    return (await api.get(path, { signal })).arrayBuffer();
  });
  addVectorLayers(map, subject.vector!, key());
  setMeshOpacity(map, opacity);

  const unit = () => unitOf(itemFor(dataset, name)?.unitSymbol);
  const withUnit = (value: unknown) =>
    typeof value === 'number' ? `${valueText(value)}${unit() === undefined ? '' : ` ${unit()}`}` : 'no data';
  /** Colours span what was shown so far, so that a step never changes those of the one before but by a new extreme. */
  const colour = () => {
    const known = seen.get(name);
    const now = rangeOf(map, source, name);
    if (now === undefined) return;
    const low = Math.min(known?.[0] ?? Infinity, now[0]);
    const high = Math.max(known?.[1] ?? -Infinity, now[1]);
    if (known !== undefined && known[0] === low && known[1] === high) return;
    seen.set(name, [low, high]);
    paint();
  };
  const paint = () => {
    const range = seen.get(name);
    // dry elements have no value and no colour
    const by = range === undefined ? undefined : { attribute: name, low: range[0], high: range[1] };
    colourBy(map, by, 'rgba(0, 0, 0, 0)');
    element('legend').hidden = range === undefined;
    if (range === undefined) return;
    const [minValue, maxValue] = range[0] < range[1] ? range : [range[0] - 0.5, range[0] + 0.5];
    const measure = unit();
    showLegend({ title: name, ...(measure !== undefined && { unit: measure }), minValue, maxValue, colors: COLOURS });
  };
  map.on('idle', colour);
  note('Colours span the values that were shown so far.');

  const draw = () => {
    showVectorSlice(map, key());
    paint();
  };
  const at = ([longitude, latitude]: Point) => featureAt(map, map.project([longitude, latitude]));
  const mark = placeMark(map);
  const card = openPointCard({
    async facts(point) {
      const found = at(point);
      choose(map, found?.id);
      if (found === undefined) return [];
      const title = stamps.length > 1 ? `${name} at ${labels[step]}` : name;
      return [['Element', String(found.id)] as const, [title, withUnit(found.properties[name])] as const];
    },
    async series(point, signal) {
      const item = itemFor(dataset, name);
      if (item === undefined) throw new Error(`The dataset has no item '${name}'.`);
      return storedSeries(api, subject.id, item, point, { signal, ...(hasLayers(dataset, item) && { layer }) });
    },
    onStep(series, n) {
      const to = nearestStep(stamps, parseStamp(series.times[n] ?? '') ?? Number.NaN);
      if (to !== undefined) time?.go(to);
    },
    marked: (series) => markIn(series),
    onPoint(point) {
      mark(point);
      if (point === undefined) choose(map, undefined);
      bar.keep({ point });
    },
  });
  const markIn = ({ times }: Series) => nearestStep(times, parseStamp(stamps[step] ?? '') ?? Number.NaN) ?? step;
  const again = () => {
    if (card.point !== undefined) void card.open(card.point);
  };
  map.on('click', ({ lngLat }) => void card.open([lngLat.lng, lngLat.lat]));
  onHover(map, (point) => {
    const found = point === undefined ? undefined : at(point);
    element('readout').hidden = found === undefined;
    if (found === undefined) return;
    element('readout-place').textContent = `Element ${found.id}`;
    element('readout-value').textContent = `${name} ${withUnit(found.properties[name])}`;
  });

  const time =
    stamps.length > 1
      ? openTimeBar(labels, step, {
          onStep(to) {
            step = to;
            draw();
            card.markTime(markIn);
            bar.keep({ time: stamps[to] });
          },
          ready: () => tilesShown(map),
          ahead() {},
        })
      : undefined;
  if (layerIds.length > 1)
    openSlider('layer', {
      max: layerIds.length - 1,
      value: layer,
      text: (n) => layerText(n, layerIds.length),
      onChange(n) {
        layer = n;
        draw();
        bar.keep({ layer });
        map.once('idle', again);
      },
    });
  const setOpacity = openSlider('opacity', {
    max: 100,
    value: Math.round(100 * opacity),
    text: (n) => `${n} %`,
    onChange(n) {
      opacity = n / 100;
      setMeshOpacity(map, opacity);
      bar.keep({ opacity });
    },
  });
  const list = () =>
    chooseOne(
      element('schemes'),
      'item',
      names.map((id) => ({ id, label: id, detail: unitOf(itemFor(dataset, id)?.unitSymbol) ?? '' })),
      name,
      (id) => {
        name = id;
        draw();
        bar.keep({ item: id });
        map.once('idle', again);
      },
    );
  list();
  element('schemes-title').textContent = 'Item';
  element('schemes-row').hidden = false;
  element('legend').hidden = true;
  const { point } = bar.view;
  if (point !== undefined) map.once('idle', () => void card.open(point));

  return {
    apply(view) {
      name = names.find((one) => one === view.item) ?? name;
      list();
      if (view.time !== undefined) time?.go(stepOf(view.time));
      opacity = view.opacity ?? 1;
      setOpacity(Math.round(100 * opacity));
      setMeshOpacity(map, opacity);
      draw();
      if (view.point === undefined) card.close();
      else void card.open(view.point);
    },
    open: (place) => void card.open(place),
    move: (by) => time?.move(by),
    togglePlay: () => time?.toggle(),
  };
}
