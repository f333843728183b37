import { useMemo } from 'preact/hooks';
import { Chart } from '../../chart/chart.tsx';
import { type PreviewSource, saveAnswer } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import type { Point } from '../../map/preview/preview-map.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/states.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import type { MapView } from './view.ts';

interface ProfileCardProps {
  source: PreviewSource;
  view: MapView;
  line: readonly Point[];
  name: string;
  onClose: () => void;
}

/** The values along a line that was drawn on the map. */
export function ProfileCard({ source, view: { item, step, layer }, line, name, onClose }: ProfileCardProps) {
  const asked = { line: line.map((point) => point.join(',')).join(';'), item, step, layer, n: 400 };
  const profile = useQuery(`preview ${source.id} profile ${JSON.stringify(asked)}`, (signal) =>
    source.numbers('profile', asked, signal),
  );
  const data = useMemo(
    () =>
      profile.data && {
        x: profile.data.distances,
        isTime: false,
        xName: words.distance,
        lines: [{ name: profile.data.item.name, unit: profile.data.item.unit, values: profile.data.values }],
      },
    [profile.data],
  );
  return (
    <section class="card padded" aria-label={words.profile}>
      <div class="card-head">
        <h2>{words.profile}</h2>
        <span class="row">
          <Button icon="download" small onClick={() => saveAnswer(source.csv('profile', asked), `${name}.csv`)}>
            {words.csv}
          </Button>
          <Button kind="ghost" small icon="cross" label={words.close} onClick={onClose} />
        </span>
      </div>
      <Loaded query={profile} rows={3}>
        {({ item: { name: itemName } }) => data && <Chart label={words.profileOf(itemName)} data={data} height={180} />}
      </Loaded>
    </section>
  );
}
