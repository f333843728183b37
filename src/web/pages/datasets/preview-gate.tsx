import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { Preview } from '../../client/api.ts';
import type { PreviewSource } from '../../client/preview.ts';
import { useQuery } from '../../client/query.ts';
import { Button } from '../../parts/button.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { previewTexts as words } from '../../texts/preview.ts';

/** A building preview is asked for again after this time; an event tells of its end earlier. */
const AGAIN_MS = 1500;

/** Shows what there is to see of a dataset as soon as it can be drawn; until then, why not. */
export function PreviewGate({
  source,
  children,
}: {
  source: PreviewSource;
  children: (preview: Preview) => ComponentChildren;
}) {
  const query = useQuery(`preview ${source.id}`, (signal) => source.describe(signal), {
    changes: ['preview', 'dataset'],
  });
  const isBuilding = query.data?.state === 'building';
  useEffect(() => {
    if (!isBuilding) return;
    const timer = setInterval(query.again, AGAIN_MS);
    return () => clearInterval(timer);
  }, [isBuilding, source.id]);
  async function retry() {
    await source.retry!();
    query.again();
  }
  return (
    <Loaded query={query} rows={8}>
      {(preview) => {
        const { state, reason, progress = 0 } = preview;
        if (state === 'ready') return children(preview);
        if (state === 'building')
          return (
            <div class="card state">
              <h2>{words.building}</h2>
              <p>{words.buildingWhy}</p>
              <Progress label={words.building} value={progress} />
            </div>
          );
        return (
          <div class="card">
            <Empty
              title={state === 'failed' ? words.failed : words.none}
              icon={state === 'failed' ? 'warning' : 'grid'}
              actions={
                state === 'failed' &&
                source.retry && (
                  <Button kind="main" onClick={retry}>
                    {words.retry}
                  </Button>
                )
              }
            >
              {reason} {state === 'none' && words.noneNext}
            </Empty>
          </div>
        );
      }}
    </Loaded>
  );
}
