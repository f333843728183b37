import { useEffect, useRef, useState } from 'preact/hooks';
import { theme } from '../app/theme.ts';
import { isNotFound, sentenceOf } from '../client/problem.ts';
import { cssColour } from '../map/dom.ts';
import { valueText } from '../map/scale.ts';
import { Wrong } from '../parts/field.tsx';
import { chartTexts as words } from '../texts/chart.ts';
import type { ChartData, LineChart } from './line-chart.ts';

const COLOURS = ['--chart-1', '--chart-2', '--chart-3', '--chart-4', '--chart-5', '--chart-6'];
/** Rows of the table that is offered instead of the picture. */
const MOST_ROWS = 500;

interface ChartProps {
  /** What it shows, for those who do not see it. */
  label: string;
  data: ChartData;
  height?: number;
  /** A place that is marked. */
  marked?: number | undefined;
  onZoom?: (range: readonly [from: number, to: number] | undefined) => void;
  onChoose?: (x: number) => void;
  /** Without the table below it. */
  plain?: boolean;
}

/**
 * A chart of lines, with what is under the pointer and a table of the same numbers. Its code loads when it is shown.
 */
export function Chart({ label, data, height = 220, marked, onZoom, onChoose, plain = false }: ChartProps) {
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<LineChart | undefined>(undefined);
  const calls = useRef({ onZoom, onChoose });
  calls.current = { onZoom, onChoose };
  const [hovered, setHovered] = useState<number>();
  const [error, setError] = useState<unknown>();
  const mark = useRef(marked);
  const dark = useDark();
  mark.current = marked;

  useEffect(() => {
    let ended = false;
    const element = holder.current!;
    import('./line-chart.ts').then(
      ({ drawChart }) => {
        if (ended) return;
        chart.current = drawChart(element, data, {
          height,
          colours: COLOURS.map(cssColour),
          ink: cssColour('--quiet'),
          grid: cssColour('--line'),
          chosen: cssColour('--map-chosen'),
          ...(onZoom && { onZoom: (range: readonly [number, number] | undefined) => calls.current.onZoom?.(range) }),
          onChoose: (x) => calls.current.onChoose?.(x),
          onHover: setHovered,
        });
        chart.current.mark(mark.current);
      },
      (reason: unknown) => setError(reason),
    );
    const observer = new ResizeObserver(() => chart.current?.resize(element.clientWidth));
    observer.observe(element);
    return () => {
      ended = true;
      observer.disconnect();
      chart.current?.remove();
      chart.current = undefined;
    };
  }, [data, height, dark, theme.value]);
  useEffect(() => chart.current?.mark(marked), [marked]);

  const at = hovered ?? nearest(data.x, marked);
  if (error !== undefined && !isNotFound(error)) return <Wrong>{sentenceOf(error)}</Wrong>;
  return (
    <figure class="chart">
      <figcaption class="chart-values small" aria-hidden="true">
        <span class="quiet">{at === undefined ? ' ' : placeText(data, at)}</span>
        {data.lines.map(({ name, unit, values }, n) => (
          <span key={`${n}`}>
            <i class={`chart-colour chart-colour-${(n % COLOURS.length) + 1}`} />
            {name}
            {at !== undefined && values[at] !== null && values[at] !== undefined && (
              <strong>
                {' '}
                {valueText(values[at])} {unit}
              </strong>
            )}
          </span>
        ))}
      </figcaption>
      <div ref={holder} class="chart-picture" role="img" aria-label={label} />
      {!plain && <Numbers data={data} label={label} />}
    </figure>
  );
}

/** Whether the system is dark: a picture has the colours of when it was drawn. */
function useDark(): boolean {
  const [dark, setDark] = useState(false);
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)');
    const change = () => setDark(query.matches);
    change();
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return dark;
}

function nearest(x: readonly number[], wanted: number | undefined): number | undefined {
  if (wanted === undefined || x.length === 0) return undefined;
  let best = 0;
  for (let n = 1; n < x.length; n++) if (Math.abs(x[n]! - wanted) < Math.abs(x[best]! - wanted)) best = n;
  return best;
}

/** A time on the clock of the data, or a number. */
export const placeText = ({ x, isTime }: Pick<ChartData, 'x' | 'isTime'>, n: number): string =>
  isTime
    ? new Date(x[n]! * 1000)
        .toISOString()
        .replace('T', ' ')
        .replace(/(:00)?\.000Z$/, '')
        .replace('Z', '')
    : valueText(x[n]!);

function Numbers({ data, label }: { data: ChartData; label: string }) {
  const [open, setOpen] = useState(false);
  const { x, xName, lines } = data;
  const rows = Math.min(MOST_ROWS, x.length);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.table}</summary>
      {open && (
        // scrolls by the keyboard
        <div class="chart-table" role="region" aria-label={label} tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                <th>{xName}</th>
                {lines.map(({ name, unit }, n) => (
                  <th key={`${n}`} class="number">
                    {unit === undefined ? name : `${name} [${unit}]`}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {Array.from({ length: rows }, (_, n) => (
                <tr key={n}>
                  <td class="nowrap">{placeText(data, n)}</td>
                  {lines.map(({ values }, line) => (
                    <td key={`${line}`} class="number">
                      {values[n] ?? ''}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {rows < x.length && <p class="small quiet">{words.firstRows(rows, x.length)}</p>}
        </div>
      )}
    </details>
  );
}
