import { useMemo } from 'preact/hooks';
import { Chart } from '../../chart/chart.tsx';
import { formatNumber } from '../../client/format.ts';
import { type PreviewSource, saveAnswer } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import { valueText } from '../../map/scale.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { chartTexts as words } from '../../texts/chart.ts';
import { mapTexts } from '../../texts/map.ts';

/** Figures of all values of an item, and how they are spread. */
export function Figures({ source, item, name }: { source: PreviewSource; item: string; name: string }) {
  const statistics = useQuery(
    `preview ${source.id} statistics ${item}`,
    (signal) => source.numbers('statistics', { item }, signal),
    { changes: ['preview', 'dataset'] },
  );
  const histogram = statistics.data?.histogram;
  const data = useMemo(() => {
    if (histogram === undefined) return undefined;
    const { from, to, counts } = histogram;
    const width = (to - from) / counts.length;
    return {
      x: counts.map((_, n) => from + (n + 0.5) * width),
      isTime: false,
      xName: words.value,
      lines: [{ name: words.number, values: counts, bars: true }],
    };
  }, [histogram]);
  return (
    <section class="card padded" aria-labelledby="figures-head">
      <div class="card-head">
        <h2 id="figures-head">{words.figures}</h2>
        <Button icon="download" small onClick={() => saveAnswer(source.csv('statistics', { item }), `${name}.csv`)}>
          {mapTexts.csv}
        </Button>
      </div>
      <Loaded query={statistics} rows={4}>
        {({ item: { name: itemName, unit }, count, empty, min, max, mean, standardDeviation }) => {
          const text = (value: number | string | undefined) =>
            value === undefined
              ? undefined
              : typeof value === 'number'
                ? `${valueText(value)} ${unit ?? ''}`
                : value.replace('T', ' ');
          const facts = [
            [words.item, itemName],
            [words.count, formatNumber(count)],
            [words.empty, formatNumber(empty)],
            [words.min, text(min)],
            [words.max, text(max)],
            [words.mean, text(mean)],
            [words.deviation, text(standardDeviation)],
          ] as const;
          return (
            <>
              <dl class="facts">
                {facts.map(
                  ([fact, value]) =>
                    value !== undefined && (
                      <div key={fact} class="fact">
                        <dt>{fact}</dt>
                        <dd>{value}</dd>
                      </div>
                    ),
                )}
              </dl>
              {data && <Chart label={words.histogram(itemName)} data={data} height={160} />}
            </>
          );
        }}
      </Loaded>
    </section>
  );
}
