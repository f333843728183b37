import uPlot from 'uplot';
import { valueText } from '../map/scale.ts';

export interface ChartLine {
  readonly name: string;
  readonly unit?: string | undefined;
  /** For each place on the axis below; null is a gap, undefined is none of this line. */
  readonly values: readonly (number | null | undefined)[];
  /** Bars instead of a line. */
  readonly bars?: boolean;
}

export interface ChartData {
  /** Seconds since 1970, or other numbers. */
  readonly x: readonly number[];
  readonly isTime: boolean;
  /** Name of the axis below. */
  readonly xName: string;
  readonly lines: readonly ChartLine[];
}

interface ChartOptions {
  readonly height: number;
  readonly colours: readonly string[];
  readonly ink: string;
  readonly grid: string;
  readonly chosen: string;
  /** A part was chosen by dragging; undefined: the whole again. */
  onZoom?(range: readonly [from: number, to: number] | undefined): void;
  /** A place was clicked. */
  onChoose?(x: number): void;
  /** The place under the pointer; undefined: it has left. */
  onHover?(index: number | undefined): void;
}

export interface LineChart {
  mark(x: number | undefined): void;
  resize(width: number): void;
  remove(): void;
}

/** Draws lines over times or numbers, with one axis for each of the first two units. */
export function drawChart(container: HTMLElement, data: ChartData, options: ChartOptions): LineChart {
  const { height, colours, ink, grid, chosen, onZoom, onChoose, onHover } = options;
  const units = [...new Set(data.lines.map(({ unit }) => unit ?? ''))];
  const scaleOf = (unit: string | undefined) => (units.indexOf(unit ?? '') === 1 ? 'right' : 'y');
  let marked: number | undefined;
  const axis = {
    stroke: ink,
    grid: { stroke: grid, width: 1 },
    ticks: { stroke: grid, width: 1 },
    font: '12px system-ui',
  };
  const values = (_: uPlot, splits: number[]) => splits.map((value) => (value === null ? '' : valueText(value)));
  const plot = new uPlot(
    {
      width: Math.max(120, container.clientWidth),
      height,
      // times are on the clock of the data
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
      legend: { show: false },
      cursor: {
        drag: { x: onZoom !== undefined, y: false, setScale: false },
        points: { size: 7 },
        y: false,
      },
      scales: { x: { time: data.isTime }, ...(units.length > 1 && { right: {} }) },
      axes: [
        { ...axis, ...(!data.isTime && { values }) },
        { ...axis, scale: 'y', size: 60, values },
        ...(units.length > 1 ? [{ ...axis, scale: 'right', side: 1, size: 60, values, grid: { show: false } }] : []),
      ],
      series: [
        {},
        ...data.lines.map(({ name, unit, bars }, n) => ({
          label: name,
          scale: scaleOf(unit),
          stroke: colours[n % colours.length]!,
          width: 1.5,
          spanGaps: false,
          points: { show: data.x.length < 60 && !bars },
          ...(bars && { fill: colours[n % colours.length]!, paths: uPlot.paths.bars!({ size: [0.95] }) }),
        })),
      ],
      hooks: {
        draw: [
          (drawn) => {
            if (marked === undefined) return;
            const at = drawn.valToPos(marked, 'x', true);
            const { left, top, width, height: tall } = drawn.bbox;
            if (!(at >= left && at <= left + width)) return;
            const { ctx } = drawn;
            ctx.save();
            ctx.strokeStyle = chosen;
            ctx.lineWidth = 2;
            ctx.setLineDash([4, 4]);
            ctx.beginPath();
            ctx.moveTo(at, top);
            ctx.lineTo(at, top + tall);
            ctx.stroke();
            ctx.restore();
          },
        ],
        setSelect: [
          (drawn) => {
            const { left, width } = drawn.select;
            if (width < 4) return;
            onZoom?.([drawn.posToVal(left, 'x'), drawn.posToVal(left + width, 'x')]);
            drawn.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
          },
        ],
        setCursor: [(drawn) => onHover?.(drawn.cursor.idx ?? undefined)],
        ready: [
          (drawn) => {
            drawn.over.addEventListener('click', () => {
              const { left } = drawn.cursor;
              if (left !== undefined && left >= 0) onChoose?.(drawn.posToVal(left, 'x'));
            });
            drawn.over.addEventListener('dblclick', () => onZoom?.(undefined));
          },
        ],
      },
    },
    [data.x, ...data.lines.map((line) => line.values)] as unknown as uPlot.AlignedData,
    container,
  );
  return {
    mark(x) {
      marked = x;
      plot.redraw(false);
    },
    resize: (width) => plot.setSize({ width: Math.max(120, width), height }),
    remove: () => plot.destroy(),
  };
}
