import type { PageProps } from '../app/router.ts';
import type { Dataset } from '../client/api.ts';
import { formatSize, formatWholeTime } from '../client/format.ts';
import { usePeople } from '../client/people.ts';
import { datasetPreview } from '../client/preview.ts';
import { useQuery } from '../client/query.ts';
import { recordTexts as words } from '../texts/dataset-pages.ts';
import { kindName } from '../texts/formats.ts';
import { DatasetFrame } from './datasets/frame.tsx';
import { RecordForm } from './datasets/record-form.tsx';

/** `/datasets/{id}/metadata` */
export default function DatasetMetadataPage({ params: { id = '' } }: PageProps) {
  return (
    <DatasetFrame id={id}>
      {({ dataset, rights }) => (
        <div class="two-columns">
          <RecordForm key={id} dataset={dataset} rights={rights} />
          <Content dataset={dataset} />
        </div>
      )}
    </DatasetFrame>
  );
}

function Content({ dataset }: { dataset: Dataset }) {
  const { id, createdAt, createdBy, updatedAt, updatedBy, storageSize } = dataset;
  const preview = useQuery(`preview ${id}`, (signal) => datasetPreview(id).describe(signal), {
    changes: ['preview', 'dataset'],
  });
  const names = usePeople([createdBy, updatedBy], words.you);
  const { items = [], steps, srid } = preview.data ?? {};
  const who = (time: string, by: string) => words.by(time, names.get(by) ?? words.unknown);
  const time = (text = '') => text.replace('T', ' ');
  const facts: [string, string | undefined, string?][] = [
    [words.kind, kindName(dataset)],
    [words.size, storageSize > 0 ? formatSize(storageSize) : undefined],
    [words.items, items.map(({ name, unit }) => (unit === undefined ? name : `${name} [${unit}]`)).join(', ')],
    [words.time, steps?.first && words.steps(time(steps.first), time(steps.last), steps.count)],
    [words.system, srid],
    [words.created, who(createdAt, createdBy), formatWholeTime(createdAt)],
    [words.changed, who(updatedAt, updatedBy), formatWholeTime(updatedAt)],
    [words.id, id],
  ];
  return (
    <section class="card padded stack" aria-labelledby="content">
      <h2 id="content">{words.content}</h2>
      <dl class="facts">
        {facts.map(
          ([name, value, title]) =>
            value && (
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
