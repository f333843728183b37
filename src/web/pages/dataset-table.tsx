import { useState } from 'preact/hooks';
import { type PageProps, place, setView } from '../app/router.ts';
import type { Preview, PreviewTable } from '../client/api.ts';
import { saveFile } from '../client/csv.ts';
import { formatNumber } from '../client/format.ts';
import { datasetPreview, type PreviewSource, tableCsv } from '../client/preview.ts';
import { useQuery } from '../client/query.ts';
import { Button } from '../parts/button.tsx';
import { Field } from '../parts/field.tsx';
import { Empty, Loaded } from '../parts/states.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { toastError } from '../parts/toast.tsx';
import { datasetTexts } from '../texts/datasets.ts';
import { previewTexts as words } from '../texts/preview.ts';
import { DatasetFrame } from './datasets/frame.tsx';
import { PreviewGate } from './datasets/preview-gate.tsx';

export default function DatasetTablePage({ params: { id = '' } }: PageProps) {
  const source = datasetPreview(id);
  return (
    <DatasetFrame id={id}>
      {({ dataset }) => (
        <PreviewGate source={source}>
          {(preview) =>
            dataset.datasetType === 'tiles' ? (
              <div class="card">
                <Empty title={words.noRows} icon="list">
                  {words.onlyTiles}
                </Empty>
              </div>
            ) : (
              <Rows source={source} preview={preview} name={dataset.name} />
            )
          }
        </PreviewGate>
      )}
    </DatasetFrame>
  );
}

/** Rows that are asked for at once. */
const PAGE = 500;

type Row = PreviewTable['rows'][number];

/** The rows of a step and a layer, which stand in the fragment of the address; more of them as they are scrolled to. */
function Rows({ source, preview, name }: { source: PreviewSource; preview: Preview; name: string }) {
  const { view } = place.value;
  const { steps, layers } = preview;
  const hasSlices = preview.kind === 'grid' || preview.kind === 'mesh' || preview.kind === 'arrays';
  const step = hasSlices ? (view.get('step') ?? String(steps?.best ?? 0)) : undefined;
  const layer = hasSlices ? (view.get('layer') ?? undefined) : undefined;
  const first = useQuery(
    `preview ${source.id} table ${step} ${layer}`,
    (signal) => source.numbers('table', { step, layer, limit: PAGE }, signal),
    { changes: ['preview', 'dataset'] },
  );
  return (
    <section class="card" aria-label={datasetTexts.table}>
      <div class="filter-bar">
        {hasSlices && (steps?.count ?? 1) > 1 && (
          <StepChoice step={Number(step)} count={steps!.count} time={first.data?.time} />
        )}
        {hasSlices && (layers?.count ?? 1) > 1 && (
          <Field
            label={words.layer}
            value={layer ?? '0'}
            onInput={(value) => setView({ layer: value })}
            options={Array.from({ length: layers!.count }, (_, n) => ({
              value: String(n),
              name: layers!.heights === undefined ? String(n + 1) : `${n + 1}: ${formatNumber(layers!.heights[n]!)}`,
            }))}
          />
        )}
        <span class="grow" />
        <Button icon="download" onClick={async () => saveFile(await tableCsv(source, { step, layer }), `${name}.csv`)}>
          {words.csv}
        </Button>
      </div>
      <Loaded query={first} rows={10}>
        {(page) => <Pages key={`${step} ${layer} ${page.next}`} first={page} source={source} />}
      </Loaded>
    </section>
  );
}

function StepChoice({ step, count, time }: { step: number; count: number; time: string | number | undefined }) {
  const go = (to: number) => setView({ step: String(Math.min(count - 1, Math.max(0, to))) });
  return (
    <div class="step-choice" role="group" aria-label={words.step}>
      <Button
        icon="previous"
        label={words.previousStep}
        kind="ghost"
        disabled={step === 0}
        onClick={() => go(step - 1)}
      />
      <Button
        icon="next"
        label={words.nextStep}
        kind="ghost"
        disabled={step >= count - 1}
        onClick={() => go(step + 1)}
      />
      <span aria-live="polite">
        {time !== undefined && (
          <strong>{typeof time === 'string' ? time.replace('T', ' ') : formatNumber(time)}</strong>
        )}{' '}
        <span class="quiet">{words.ofStep(step, count)}</span>
      </span>
    </div>
  );
}

function Pages({ first, source }: { first: PreviewTable; source: PreviewSource }) {
  const [pages, setPages] = useState<readonly PreviewTable[]>([first]);
  const [loading, setLoading] = useState(false);
  const { next } = pages.at(-1)!;
  async function more() {
    if (loading) return;
    setLoading(true);
    try {
      const page = await source.numbers('table', { cursor: next, limit: PAGE });
      setPages((before) => [...before, page]);
    } catch (error) {
      toastError(error);
    } finally {
      setLoading(false);
    }
  }
  const rows = pages.flatMap((page) => page.rows).map((row, n) => ({ row, n }));
  if (rows.length === 0) return <Empty title={words.noRows} icon="list" />;
  const columns: Column<{ row: Row; n: number }>[] = [
    { key: 'number', title: words.rowNumber, narrow: true, number: true, phone: 'quiet', cell: ({ n }) => n + 1 },
    ...first.columns.map(({ name, unit, type }, column) => ({
      key: `${column}`,
      title: unit === undefined ? name : `${name} [${unit}]`,
      number: type === 'number',
      phoneLabel: name,
      cell: ({ row }: { row: Row }) => cellText(row[column]),
    })),
  ];
  return (
    <>
      <div class="wide-table">
        <Table
          label={datasetTexts.table}
          columns={columns}
          rows={rows}
          id={({ n }) => String(n)}
          {...(next !== undefined && !loading && { onEnd: () => void more() })}
        />
      </div>
      <p class="load-more small quiet" role="status">
        {words.rows(rows.length, first.count)}
      </p>
    </>
  );
}

/** Numbers as they are, with their digits: a table is for reading off. */
function cellText(value: Row[number] | undefined): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'number' ? String(value) : String(value).replace(/^(\d{4}-\d\d-\d\d)T/, '$1 ');
}
