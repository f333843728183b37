import { draw, element, make } from './dom.ts';
import { type Axis, estimateText, timeAxis, valueAxis, valueText } from './scale.ts';
import type { Series } from './series-table.ts';
import { parseStamp, timeLabels } from './times.ts';

const [HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [190, 56, 12, 12, 26];

interface Plot {
  readonly width: number;
  readonly x: (value: number) => number;
  readonly y: (value: number) => number;
  readonly places: readonly number[];
}

/** Positions on the axis of time: times, or numbers of steps where a stamp is no time. */
export function positionsOf(times: readonly string[]): { positions: number[]; timed: boolean } {
  const positions = times.map(parseStamp);
  return positions.every((one) => one !== undefined)
    ? { positions, timed: true }
    : { positions: times.map((_, n) => n), timed: false };
}

/** Draws a series into a figure. `onStep` is called with the number of a value that was chosen. */
export function drawChart(into: HTMLElement, series: Series, onStep: (n: number) => void): (n: number) => void {
  const { positions, timed } = positionsOf(series.times);
  const labels = timeLabels(series.times);
  const [first = 0, last = 1] = [positions[0], positions.at(-1)];
  const across = timed ? timeAxis(first, last, into.clientWidth < 500 ? 3 : 6) : valueAxis([first, last], 5);
  const up = valueAxis(series.values.filter((value) => value !== undefined));
  const width = Math.max(240, into.clientWidth);
  const plot: Plot = {
    width,
    x: (value) => LEFT + ((value - across.low) / (across.high - across.low)) * (width - LEFT - RIGHT),
    y: (value) => HEIGHT - BOTTOM - ((value - up.low) / (up.high - up.low)) * (HEIGHT - TOP - BOTTOM),
    places: positions,
  };
  const svg = draw('svg', { viewBox: `0 0 ${width} ${HEIGHT}`, height: HEIGHT, 'aria-hidden': 'true' });
  const now = draw('line', { class: 'now', y1: TOP, y2: HEIGHT - BOTTOM });
  const dot = draw('circle', { class: 'dot', r: 4 });
  svg.append(axes(plot, across, up), draw('path', { class: 'curve', d: pathOf(plot, series.values) }));
  svg.append(...singles(plot, series.values), now, dot);
  const readout = make('p', { class: 'reading' });
  into.replaceChildren(svg, readout);

  const unit = series.unit === undefined ? '' : ` ${series.unit}`;
  const show = (n: number) => {
    const value = series.values[n];
    const x = plot.x(positions[n] ?? first);
    now.setAttribute('x1', String(x));
    now.setAttribute('x2', String(x));
    dot.setAttribute('visibility', value === undefined ? 'hidden' : 'visible');
    if (value !== undefined) {
      dot.setAttribute('cx', String(x));
      dot.setAttribute('cy', String(plot.y(value)));
    }
    readout.textContent = `${labels[n] ?? ''}: ${value === undefined ? 'no data' : `${textOf(series, value)}${unit}`}`;
  };
  svg.onpointerdown = svg.onpointermove = (event) => {
    const box = svg.getBoundingClientRect();
    const n = nearest(plot, ((event.clientX - box.left) / box.width) * width);
    if (event.type === 'pointerdown') onStep(n);
    show(n);
  };
  return show;
}

const textOf = ({ estimatedIn }: Series, value: number): string =>
  estimatedIn === undefined ? valueText(value) : `≈ ${estimateText(value, ...estimatedIn)}`;

/** The number of the value that is nearest to a horizontal place. */
function nearest({ places, x }: Plot, at: number): number {
  let [best, distance] = [0, Infinity];
  places.forEach((place, n) => {
    const own = Math.abs(x(place) - at);
    if (own < distance) [best, distance] = [n, own];
  });
  return best;
}

function axes({ width, x, y }: Plot, across: Axis, up: Axis): SVGElement {
  const group = draw('g', { class: 'axes' });
  for (const { at, label } of up.ticks)
    group.append(
      draw('line', { x1: LEFT, x2: width - RIGHT, y1: y(at), y2: y(at) }),
      draw('text', { x: LEFT - 6, y: y(at) + 4, 'text-anchor': 'end' }, label),
    );
  for (const { at, label } of across.ticks)
    group.append(
      draw('line', { class: 'tick', x1: x(at), x2: x(at), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4 }),
      draw('text', { x: Math.min(x(at), width - 34), y: HEIGHT - 7, 'text-anchor': 'middle' }, label),
    );
  return group;
}

/** A line with gaps where there are no data. */
export function pathOf({ x, y, places }: Pick<Plot, 'x' | 'y' | 'places'>, values: Series['values']): string {
  let path = '';
  let open = false;
  values.forEach((value, n) => {
    if (value !== undefined) path += `${open ? 'L' : 'M'}${x(places[n]!).toFixed(1)} ${y(value).toFixed(1)}`;
    open = value !== undefined;
  });
  return path;
}

/** Values without neighbours, of which a line shows nothing. */
function singles({ x, y, places }: Plot, values: Series['values']): SVGElement[] {
  return values.flatMap((value, n) =>
    value === undefined || values[n - 1] !== undefined || values[n + 1] !== undefined
      ? []
      : [draw('circle', { class: 'single', cx: x(places[n]!), cy: y(value), r: 2.5 })],
  );
}

/** The series in a sentence, for those who do not see the chart. */
export function summarize(series: Series): string {
  const { title, unit, times, values } = series;
  const known = values.filter((value) => value !== undefined);
  const measure = unit === undefined ? '' : ` ${unit}`;
  if (known.length === 0) return `${title}: no data at this point.`;
  const labels = timeLabels(times);
  let [low, high] = [Infinity, -Infinity];
  for (const value of known) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return `${title}, ${known.length} of ${values.length} steps have values, from ${labels[0]} to ${labels.at(-1)}: least ${textOf(series, low)}${measure}, greatest ${textOf(series, high)}${measure}.`;
}

export const chartElement = (): HTMLElement => element('chart');
