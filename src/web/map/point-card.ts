import { isAbort } from './api.ts';
import { chartElement, drawChart, summarize } from './chart.ts';
import { placeText } from './degrees.ts';
import { element, make, say } from './dom.ts';
import type { Point } from './map-view.ts';
import { formatCsv, type Series } from './series-table.ts';

export interface PointCard {
  readonly point: Point | undefined;
  /** Reads the values of a place and shows them. */
  open(point: Point): Promise<void>;
  close(): void;
  /** Marks a value of the chart. */
  markTime(find: (series: Series) => number): void;
  setFacts(facts: Facts): void;
}

type Facts = readonly (readonly [name: string, value: string])[];

interface Options {
  /** Undefined where there is nothing to chart. */
  readonly series?: (point: Point, signal: AbortSignal, progress: (text: string) => void) => Promise<Series>;
  /** Lines about the place, above the chart. */
  readonly facts: (point: Point, signal: AbortSignal) => Promise<Facts>;
  /** A value of the chart was chosen. */
  readonly onStep: (series: Series, n: number) => void;
  readonly onPoint: (point: Point | undefined) => void;
  /** The value that the chart marks first. */
  readonly marked: (series: Series) => number;
}

/** The card of a place: its values, and the series as a chart. */
export function openPointCard(options: Options): PointCard {
  const card = element('point');
  const figure = chartElement();
  let point: Point | undefined;
  let running = new AbortController();
  let shown: { series: Series; mark(n: number): void } | undefined;

  const show = (series: Series) => {
    const mark = drawChart(figure, series, (n) => options.onStep(series, n));
    shown = { series, mark };
    mark(options.marked(series));
  };
  const open = async (at: Point) => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    point = at;
    shown = undefined;
    options.onPoint(at);
    card.hidden = false;
    element('point-place').textContent = placeText(at);
    element('facts').replaceChildren();
    figure.replaceChildren();
    element('point-save').hidden = true;
    const progress = (text: string) => {
      if (!signal.aborted) element('point-note').textContent = text;
    };
    progress('Reading …');
    try {
      const facts = await options.facts(at, signal);
      if (signal.aborted) return;
      setFacts(facts);
      progress('');
      if (facts.length > 0) say(facts.map(([name, value]) => `${name}: ${value}`).join(', '));
      if (options.series === undefined) return;
      progress('Reading the series …');
      const series = await options.series(at, signal, progress);
      if (signal.aborted) return;
      show(series);
      progress(series.source);
      element('point-summary').textContent = summarize(series);
      element('point-save').hidden = false;
      say(summarize(series));
    } catch (error) {
      if (isAbort(error) || signal.aborted) return;
      progress(error instanceof Error ? error.message : String(error));
    }
  };
  const close = () => {
    running.abort();
    point = undefined;
    shown = undefined;
    card.hidden = true;
    options.onPoint(undefined);
  };
  element('point-close').onclick = () => {
    close();
    element('map').querySelector('canvas')?.focus();
  };
  element('point-save').onclick = () => {
    if (shown !== undefined) save(formatCsv(shown.series), `${shown.series.title}.csv`);
  };
  new ResizeObserver(() => {
    if (shown !== undefined && !card.hidden) show(shown.series);
  }).observe(card);
  return {
    get point() {
      return point;
    },
    open,
    close,
    markTime(find) {
      if (shown !== undefined) shown.mark(find(shown.series));
    },
    setFacts,
  };
}

function setFacts(facts: Facts): void {
  element('facts').replaceChildren(...facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
}

function save(text: string, name: string): void {
  const link = make('a', { download: name.replace(/[/\\:]/g, '-') });
  link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
