import { useMemo } from 'preact/hooks';
import { setView } from '../../app/router.ts';
import { Chart } from '../../chart/chart.tsx';
import type { ChartData } from '../../chart/line-chart.ts';
import type { Preview, PreviewValues } from '../../client/api.ts';
import { type PreviewSource, saveAnswer } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import { placeText } from '../../map/degrees.ts';
import type { Point } from '../../map/preview/preview-map.ts';
import { valueText } from '../../map/scale.ts';
import { parseStamp } from '../../map/times.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { chartTexts } from '../../texts/chart.ts';
import { mapTexts as words } from '../../texts/map.ts';
import { keepPoint, type MapView } from './view.ts';

interface PointCardProps {
  source: PreviewSource;
  preview: Preview;
  view: MapView;
  point: Point;
  name: string;
  /** Metres around the point in which features are found. */
  tolerance: number;
}

/** What lies at a place: the values now and over time, or the features with their fields. */
export function PointCard({ source, preview, view, point, name, tolerance }: PointCardProps) {
  const place = placeText(point);
  const isFeatures = preview.kind === 'features';
  const asked = {
    point: [point.join(',')],
    ...(isFeatures
      ? { tolerance: String(Math.max(1, Math.round(tolerance))) }
      : { item: [numberItem(preview, view.item)], layer: String(view.layer) }),
  };
  const values = useQuery(`preview ${source.id} values ${JSON.stringify(asked)}`, (signal) =>
    source.numbers('values', asked, signal),
  );
  return (
    <section class="card padded" aria-label={words.at(place)}>
      <div class="card-head">
        <h2>{words.at(place)}</h2>
        <span class="row">
          <Button icon="download" small onClick={() => saveAnswer(source.csv('values', asked), `${name}.csv`)}>
            {words.csv}
          </Button>
          <Button kind="ghost" small icon="cross" label={words.close} onClick={() => keepPoint(undefined)} />
        </span>
      </div>
      <Loaded query={values} rows={3}>
        {(answer) =>
          answer.kind === 'features' ? (
            <Features answer={answer} />
          ) : (
            <Steps answer={answer} preview={preview} view={view} place={place} />
          )
        }
      </Loaded>
    </section>
  );
}

/** A picture in its own colours has no numbers: then those of the first item that has. */
const numberItem = ({ items = [], scheme }: Preview, item: string): string =>
  scheme?.colors.length === 0 && item === scheme.item ? (items.find(({ id }) => id !== item)?.id ?? item) : item;

function Steps({
  answer,
  preview,
  view,
  place,
}: {
  answer: PreviewValues;
  preview: Preview;
  view: MapView;
  place: string;
}) {
  const [point] = answer.points;
  const item = answer.items?.[0];
  const values = point?.values?.[0] ?? [];
  const steps = answer.steps;
  const at = steps === undefined ? view.step : steps.indexOf(view.step);
  const data = useMemo(() => seriesOf(answer), [answer]);
  if (point?.inside === false) return <p class="quiet">{words.outside}</p>;
  const value = values[at];
  return (
    <>
      <p class="value" role="status">
        {item?.name}{' '}
        <strong>
          {value === null || value === undefined ? words.noData : `${valueText(value)} ${item?.unit ?? ''}`}
        </strong>
      </p>
      {(preview.steps?.count ?? 1) > 1 && data && (
        <Chart
          label={words.seriesAt(item?.name ?? '', place)}
          data={data}
          height={180}
          marked={data.x[at]}
          onChoose={(x) => {
            const chosen = nearestIndex(data.x, x);
            setView({ step: String(steps?.[chosen] ?? chosen) });
          }}
        />
      )}
    </>
  );
}

function seriesOf({ time, items, points }: PreviewValues): ChartData | undefined {
  const values = points[0]?.values?.[0];
  const item = items?.[0];
  if (values === undefined || item === undefined) return undefined;
  const stamps = time?.times?.map((stamp) => (parseStamp(stamp) ?? Number.NaN) / 1000);
  const isTime = stamps !== undefined && stamps.length === values.length && stamps.every(Number.isFinite);
  const offsets = time?.offsets?.length === values.length ? time.offsets : values.map((_, n) => n);
  return {
    x: isTime ? stamps : offsets,
    isTime,
    xName: isTime ? chartTexts.time : (time?.unit ?? words.step),
    lines: [{ name: item.name, unit: item.unit, values }],
  };
}

function nearestIndex(x: readonly number[], wanted: number): number {
  let best = 0;
  x.forEach((one, n) => {
    if (Math.abs(one - wanted) < Math.abs(x[best]! - wanted)) best = n;
  });
  return best;
}

function Features({ answer: { points, fields = [] } }: { answer: PreviewValues }) {
  const { features = [], more = false } = points[0] ?? {};
  if (features.length === 0) return <p class="quiet">{words.noFeatures}</p>;
  return (
    <div class="stack">
      {features.slice(0, 10).map(({ id, values }, n) => (
        <dl key={`${id ?? n}`} class="facts">
          {values.map((value, field) => (
            <div key={fields[field]?.id ?? field} class="fact">
              <dt>{fields[field]?.name}</dt>
              <dd>{value === null ? '' : typeof value === 'number' ? valueText(value) : String(value)}</dd>
            </div>
          ))}
        </dl>
      ))}
      {more && <p class="small quiet">{words.more}</p>}
    </div>
  );
}
