import type { Dataset, Preview } from '../../client/api.ts';
import { formatNumber, formatSize, formatTime, formatWholeTime } from '../../client/format.ts';
import { Tag } from '../../parts/page-head.tsx';
import { mapTexts as words } from '../../texts/map.ts';
import { lengthText } from './common-time.ts';
import { timeText } from './step-time.ts';

/** Items, times, system and size of what is drawn. */
export function ContentCard({ preview, dataset }: { preview: Preview; dataset: Dataset }) {
  const { items = [], steps, kind, cells, srid } = preview;
  const names = items.slice(0, 8).map(({ name, unit }) => (unit === undefined ? name : `${name} [${unit}]`));
  const time =
    steps === undefined || (steps.count < 2 && steps.first === undefined)
      ? undefined
      : steps.first === undefined
        ? words.stepCount(steps.count)
        : words.stepsText(
            timeText(steps.first),
            timeText(steps.last ?? steps.first),
            steps.count,
            steps.spacing ? lengthText(steps.spacing) : undefined,
          );
  const cellName = kind === 'mesh' ? words.mesh : kind === 'features' ? words.features : words.grid;
  const facts: [string, string | undefined, string?][] = [
    [words.items, items.length === 0 ? undefined : names.join(', ') + (items.length > 8 ? ' …' : '')],
    [words.time, time],
    [cellName, cells === undefined ? undefined : formatNumber(cells)],
    [words.system, srid],
    [words.size, dataset.storageSize > 0 ? formatSize(dataset.storageSize) : undefined],
    [words.changed, formatTime(dataset.updatedAt), formatWholeTime(dataset.updatedAt)],
  ];
  return (
    <section class="card padded" aria-labelledby="content-head">
      <h2 id="content-head">{words.content}</h2>
      <dl class="facts">
        {facts.map(
          ([name, value, title]) =>
            value !== undefined && (
              <div key={name} class="fact">
                <dt>{name}</dt>
                <dd title={title}>{value}</dd>
              </div>
            ),
        )}
      </dl>
    </section>
  );
}

export function DescriptionCard({ dataset: { description, tags } }: { dataset: Dataset }) {
  if (!description && tags.length === 0) return null;
  return (
    <section class="card padded stack" aria-labelledby="description-head">
      <h2 id="description-head">{words.description}</h2>
      {description && <p>{description}</p>}
      {tags.length > 0 && (
        <p class="row">
          {tags.map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        </p>
      )}
    </section>
  );
}
