import { useRef } from 'preact/hooks';
import { place } from '../../app/router.ts';
import { Chart } from '../../chart/chart.tsx';
import type { Preview } from '../../client/api.ts';
import { type PreviewSource, saveAnswer } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { chartTexts } from '../../texts/chart.ts';
import { mapTexts } from '../../texts/map.ts';
import { keepRange, readChosen, readSeries } from './chosen-series.ts';
import { Figures } from './figures.tsx';
import { Items } from './items.tsx';

interface SeriesChartProps {
  source: PreviewSource;
  preview: Preview;
  name: string;
  /** Whether items of other datasets can be added, which readers of a link may not see. */
  compares?: boolean;
}

/** Series in one chart, with two axes by unit. A part of the period is asked for anew, with all its points. */
export function SeriesChart({ source, preview, name, compares = true }: SeriesChartProps) {
  const { query, view } = place.value;
  const all = readChosen(query, view, preview);
  const chosen = compares ? all : { ...all, others: [] };
  const { items, others, from, to: until } = chosen;
  const isEmpty = items.length + others.length === 0;
  const ids = [source.id, ...others.map(({ id }) => id)].join(' ');
  const series = useQuery(
    isEmpty ? undefined : `preview ${ids} series ${JSON.stringify(chosen)}`,
    (signal) => readSeries(source, chosen, signal),
    { changes: ['preview', 'dataset'] },
  );
  // the part before stays while another one is asked for
  const last = useRef(series.data);
  if (series.data !== undefined) last.current = series.data;
  const shown = { ...series, data: series.data ?? (series.error === undefined ? last.current : undefined) };
  const nameOf = (item: string) => preview.items?.find(({ id }) => id === item)?.name ?? item;
  const label = chartTexts.seriesOf(items.map(nameOf).join(', '));
  const zoomed = from !== undefined || until !== undefined;
  return (
    <div class="map-page">
      <div>
        <section class="card padded" aria-label={label}>
          <div class="card-head">
            <p class="small quiet" role="status">
              {series.data && series.data.rows > series.data.points
                ? chartTexts.reduced(series.data.points, series.data.rows)
                : chartTexts.drag}
            </p>
            <span class="row">
              {zoomed && (
                <Button small onClick={() => keepRange(undefined, true)}>
                  {chartTexts.whole}
                </Button>
              )}
              <Button
                small
                icon="download"
                disabled={items.length === 0}
                onClick={() =>
                  saveAnswer(source.csv('series', { item: items, from, to: until, points: 20_000 }), `${name}.csv`)
                }
              >
                {mapTexts.csv}
              </Button>
            </span>
          </div>
          {isEmpty ? (
            <Empty title={chartTexts.choose} icon="line" />
          ) : (
            <Loaded query={shown} rows={6}>
              {({ data }) => (
                <Chart label={label} data={data} height={380} onZoom={(range) => keepRange(range, data.isTime)} />
              )}
            </Loaded>
          )}
        </section>
        {items[0] !== undefined && <Figures source={source} item={items[0]} name={name} />}
      </div>
      <aside aria-label={chartTexts.items}>
        <Items preview={preview} chosen={chosen} shown={shown.data} compares={compares} />
      </aside>
    </div>
  );
}
