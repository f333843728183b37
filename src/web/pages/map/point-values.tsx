import { useEffect, useState } from 'preact/hooks';
import type { Preview } from '../../client/api.ts';
import { placeText } from '../../map/degrees.ts';
import type { Point, PreviewMap } from '../../map/preview/preview-map.ts';
import { valueText } from '../../map/scale.ts';
import { Button } from '../../parts/button.tsx';
import { toastError } from '../../parts/toast.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import { keepPoint } from './view.ts';

interface PointValuesProps {
  point: Point;
  /** Each on its map; undefined while that opens. */
  shown: readonly {
    map: PreviewMap | undefined;
    key: string;
    name: string;
    preview: Preview;
    view: { item: string };
  }[];
}

/** What each layer of a map has at a place. */
export function PointValues({ point, shown }: PointValuesProps) {
  const [values, setValues] = useState<ReadonlyMap<string, number | undefined>>();
  useEffect(() => {
    const control = new AbortController();
    const read = async () =>
      new Map(
        await Promise.all(
          shown.map(async ({ map, key }) => [key, await map?.valueAt(key, point, control.signal)] as const),
        ),
      );
    read().then(setValues, (error: unknown) => {
      if (!control.signal.aborted) toastError(error);
    });
    return () => control.abort();
  }, [point[0], point[1], shown]);
  const text = placeText(point);
  return (
    <section class="card padded" aria-label={words.at(text)}>
      <div class="card-head">
        <h2>{words.at(text)}</h2>
        <Button kind="ghost" small icon="cross" label={words.close} onClick={() => keepPoint(undefined)} />
      </div>
      <dl class="facts" aria-live="polite">
        {shown.map(({ key, name, preview, view }) => {
          const value = values?.get(key);
          const unit = preview.items?.find((one) => one.id === view.item)?.unit;
          return (
            <div key={key} class="fact">
              <dt>{name}</dt>
              <dd>{value === undefined ? words.noData : `${valueText(value)} ${unit ?? ''}`}</dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}
