import { useEffect } from 'preact/hooks';
import { go, type PageProps } from '../app/router.ts';
import { to } from '../client/address.ts';
import type { Preview } from '../client/api.ts';
import { datasetPreview } from '../client/preview.ts';
import { ButtonLink } from '../parts/button.tsx';
import { Empty } from '../parts/states.tsx';
import { previewTexts as words } from '../texts/preview.ts';
import { DatasetFrame } from './datasets/frame.tsx';
import { hasMap } from './datasets/has-map.ts';
import { PreviewGate } from './datasets/preview-gate.tsx';
import { ContentCard, DescriptionCard } from './map/content-cards.tsx';
import MapWorkspace from './map/map-workspace.tsx';
import { SourceCard } from './map/source-card.tsx';

export default function DatasetMapPage({ params: { id = '' } }: PageProps) {
  const source = datasetPreview(id);
  return (
    <DatasetFrame id={id}>
      {({ dataset, rights }) => (
        <PreviewGate source={source}>
          {(preview) => (
            <div class="map-page">
              <div>
                {hasMap(preview) ? (
                  <MapWorkspace
                    key={id}
                    source={source}
                    preview={preview}
                    name={dataset.name}
                    version={dataset.rowVersion}
                    savedAt={rights?.canUpdateContent ? id : undefined}
                  />
                ) : (
                  <NoMap id={id} preview={preview} />
                )}
              </div>
              <aside aria-label={words.about}>
                <ContentCard preview={preview} dataset={dataset} />
                <DescriptionCard dataset={dataset} />
                <SourceCard id={id} />
              </aside>
            </div>
          )}
        </PreviewGate>
      )}
    </DatasetFrame>
  );
}

/** What has no place on a map is a chart, which opens instead, or a table. */
function NoMap({ id, preview: { kind, reason } }: { id: string; preview: Preview }) {
  const isSeries = kind === 'series';
  useEffect(() => {
    if (isSeries) go(`/datasets/${id}/chart`, { replace: true });
  }, [isSeries, id]);
  if (isSeries) return null;
  return (
    <div class="card">
      <Empty
        title={words.noMap}
        icon="grid"
        actions={
          <ButtonLink kind="main" href={to(`/datasets/${id}/table`)}>
            {words.toTable}
          </ButtonLink>
        }
      >
        {reason ?? words.noMapArrays}
      </Empty>
    </div>
  );
}
