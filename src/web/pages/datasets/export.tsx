import { useState } from 'preact/hooks';
import { go } from '../../app/router.ts';
import { api, type Converter, type Dataset, type ExportBody, type Inspection } from '../../client/api.ts';
import { sentenceOf } from '../../client/problem.ts';
import { useQuery } from '../../client/query.ts';
import { useSettled } from '../../client/settled.ts';
import { Dialog, openDialog } from '../../parts/dialog.tsx';
import { Check, EntryForm, Field, Wrong } from '../../parts/field.tsx';
import { Note } from '../../parts/page-head.tsx';
import { ParameterForm, type ParameterTexts, parameterError, parameterValues } from '../../parts/parameter-form.tsx';
import { Price } from '../../parts/price.tsx';
import { Loaded } from '../../parts/states.tsx';
import { SystemField } from '../../parts/system-field.tsx';
import { priceTexts } from '../../texts/convert.ts';
import { exportTexts as words } from '../../texts/dataset-pages.ts';
import { converterName } from '../../texts/formats.ts';
import { AreaField } from './area-field.tsx';

type Kind = 'export' | 'convert';
type Named = Pick<Dataset, 'id' | 'name'>;

/** Asks for a format and what to keep, tells the price, and starts an export or a conversion. */
export function openExport(kind: Kind, dataset: Named): void {
  openDialog((close) => (
    <Dialog
      title={kind === 'export' ? words.exportTitle(dataset.name) : words.convertTitle(dataset.name)}
      onClose={close}
      wide
    >
      <Content kind={kind} dataset={dataset} close={close} />
    </Dialog>
  ));
}

function Content({ kind, dataset, close }: { kind: Kind; dataset: Named; close: () => void }) {
  const known = useQuery(`writers of dataset ${dataset.id}`, async (signal) => {
    const [list, inspection] = await Promise.all([
      api('GET /api/conversion/writer/list', { signal }),
      api('POST /api/conversion/inspect', { body: { datasetId: dataset.id }, signal }),
    ]);
    return { list: list.data, inspection };
  });
  return (
    <Loaded query={known}>
      {({ list, inspection }) => {
        const files = new Set(list.filter(({ datasetFormat }) => !ROWS.has(datasetFormat)).map(({ name }) => name));
        const offered = (inspection.writers ?? []).filter(
          ({ name, refuses }) => refuses === undefined && (kind === 'convert' || files.has(name)),
        );
        const writers = offered.flatMap(({ name }) => list.find((one) => one.name === name) ?? []);
        if (writers.length === 0) return <p class="quiet">{words.noWriters}</p>;
        return <ExportForm {...{ kind, dataset, close, writers, inspection }} />;
      }}
    </Loaded>
  );
}

/** Datasets of time series are rows, not files: they cannot be downloaded. */
const ROWS = new Set(['ts']);

interface FormProps {
  kind: Kind;
  dataset: Named;
  close: () => void;
  writers: readonly Converter[];
  inspection: Inspection;
}

type Transformations = NonNullable<ExportBody['transformations']>;

function ExportForm({ kind, dataset, close, writers, inspection }: FormProps) {
  const [writerName, setWriterName] = useState(writers[0]!.name);
  const [values, setValues] = useState<ParameterTexts>({});
  const [name, setName] = useState(dataset.name);
  const [system, setSystem] = useState<string>();
  const [left, setLeft] = useState<ReadonlySet<number>>(new Set());
  const [steps, setSteps] = useState({ from: '', to: '' });
  const [area, setArea] = useState<string>();
  const writer = writers.find((one) => one.name === writerName)!;
  const items = inspection.items ?? inspection.bands ?? [];
  const stepCount = inspection.time?.steps ?? 0;
  const takes = (type: string) => inspection.transformations?.includes(type) ?? false;

  const transformations: Transformations = [
    ...(left.size > 0
      ? [
          {
            type: 'itemFilterTransformation' as const,
            itemFilter: { itemIndices: items.map((_, n) => n).filter((n) => !left.has(n)) },
          },
        ]
      : []),
    ...(steps.from !== '' || steps.to !== ''
      ? [
          {
            type: 'temporalFilterTransformation' as const,
            temporalFilter: {
              type: 'TemporalIndexFilter' as const,
              ...(steps.from !== '' && { from: Number(steps.from) }),
              ...(steps.to !== '' && { to: Number(steps.to) }),
            },
          },
        ]
      : []),
    ...(area ? [{ type: 'spatialFilterTransformation' as const, spatialFilter: { geometry: area, SRID: 4326 } }] : []),
    ...(system === undefined ? [] : [{ type: 'crsTransformation' as const, outputSrid: Number(system) }]),
  ];
  const common = {
    // a file that is kept as it is has no reader of its own: the one that read it for this form
    ...(writerName !== 'FileWriter' && inspection.reader !== undefined && { readerName: inspection.reader }),
    writerName,
    writerParameters: parameterValues(writer.parameters, values),
    ...(transformations.length > 0 && { transformations }),
  };
  // an area that is not complete is ''
  const ready = area !== '' && writer.parameters.every((one) => parameterError(one, values[one.name]) === undefined);
  const extent = inspection.extentWgs84;
  const send = (dryRun: boolean, signal?: AbortSignal) => {
    const request = { params: { id: dataset.id }, query: { dryRun }, ...(signal && { signal }) };
    return kind === 'export'
      ? api('POST /api/metadata/dataset/{id}/download-convert', { ...request, body: common })
      : api('POST /api/metadata/dataset/{id}/convert', {
          ...request,
          body: { ...common, outputDatasetData: { name: name.trim() } },
        });
  };
  const estimate = useSettled(ready && name.trim() !== '' ? JSON.stringify([common, name]) : undefined);
  const price = useQuery(estimate && `estimate ${kind} ${dataset.id} ${estimate}`, (signal) => send(true, signal));
  const losses = inspection.writers?.find((one) => one.name === writerName)?.loses ?? [];

  async function start() {
    const started = await send(false);
    close();
    if ('id' in started) go(`/transfers/${started.id}`);
  }
  return (
    <EntryForm
      submit={words.start}
      onCancel={close}
      disabled={!ready || (items.length > 0 && left.size === items.length)}
      onSubmit={start}
    >
      {({ fields }) => (
        <>
          <p class="quiet">{kind === 'export' ? words.exportWhy : words.convertWhy}</p>
          {kind === 'convert' && (
            <Field label={words.newName} value={name} onInput={setName} required maxLength={255} error={fields.name} />
          )}
          <Field
            label={words.format}
            value={writerName}
            onInput={(value) => {
              setWriterName(value);
              setValues({});
            }}
            options={writers.map((one) => ({ value: one.name, name: converterName(one.name) }))}
            hint={writer.description}
            error={fields.writerName}
          />
          {losses.length > 0 && (
            <Note kind="warn">
              <b>{words.loses}</b>: {losses.join(' ')}
            </Note>
          )}
          {takes('CrsTransformation') && inspection.crs && (
            <SystemField
              chosen={system}
              onChoose={setSystem}
              hint={words.systemHint(inspection.crs.name)}
              none={words.asIs}
            />
          )}
          {takes('SpatialFilterTransformation') && inspection.crs && extent && (
            <AreaField
              datasetId={dataset.id}
              extent={[extent.west, extent.south, extent.east, extent.north]}
              onChange={setArea}
            />
          )}
          {takes('ItemFilterTransformation') && items.length > 1 && (
            <fieldset class="field">
              <legend class="label">{words.items}</legend>
              <div class="choices">
                {items.map(({ name: item, unit }, n) => (
                  <Check
                    key={n}
                    label={`${item ?? n + 1}${unit ? ` [${unit}]` : ''}`}
                    checked={!left.has(n)}
                    onChange={(checked) =>
                      setLeft(new Set(checked ? [...left].filter((one) => one !== n) : [...left, n]))
                    }
                  />
                ))}
              </div>
            </fieldset>
          )}
          {takes('TemporalFilterTransformation') && stepCount > 1 && (
            <div class="columns">
              <Field
                label={words.from}
                type="number"
                value={steps.from}
                onInput={(from) => setSteps({ ...steps, from })}
                hint={words.stepsHint(stepCount)}
                optional
              />
              <Field
                label={words.until_}
                type="number"
                value={steps.to}
                onInput={(to) => setSteps({ ...steps, to })}
                optional
              />
            </div>
          )}
          {writer.parameters.length > 0 && (
            <details open={writer.parameters.some(({ required }) => required)}>
              <summary>{words.more}</summary>
              <ParameterForm parameters={writer.parameters} values={values} onChange={setValues} />
            </details>
          )}
          <div role="status">
            {price.error !== undefined && !price.loading ? (
              <Wrong>{sentenceOf(price.error)}</Wrong>
            ) : price.data === undefined ? (
              <p class="quiet">{priceTexts.checking}</p>
            ) : (
              'valid' in price.data && <Price credits={0} {...price.data} seconds={inspection.limits.seconds} />
            )}
          </div>
        </>
      )}
    </EntryForm>
  );
}
