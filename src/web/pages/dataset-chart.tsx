import type { PageProps } from '../app/router.ts';
import { to } from '../client/address.ts';
import { datasetPreview } from '../client/preview.ts';
import { ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/states.tsx';
import { previewTexts as words } from '../texts/preview.ts';
import { SeriesChart } from './chart/series-chart.tsx';
import { DatasetFrame } from './datasets/frame.tsx';
import { PreviewGate } from './datasets/preview-gate.tsx';

export default function DatasetChartPage({ params: { id = '' } }: PageProps) {
  const source = datasetPreview(id);
  return (
    <DatasetFrame id={id}>
      {({ dataset }) => (
        <PreviewGate source={source}>
          {(preview) =>
            preview.kind === 'series' ? (
              <SeriesChart source={source} preview={preview} name={dataset.name} />
            ) : (
              <div class="card">
                <Empty
                  title={words.noSeries}
                  icon="line"
                  actions={
                    <ButtonLink kind="main" href={to(`/datasets/${id}`)}>
                      {words.toMap}
                    </ButtonLink>
                  }
                >
                  {words.noSeriesWhy}
                </Empty>
              </div>
            )
          }
        </PreviewGate>
      )}
    </DatasetFrame>
  );
}
