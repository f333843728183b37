import { useState } from 'preact/hooks';
import { type PageProps, place } from '../app/router.ts';
import { absolute } from '../client/address.ts';
import { api, type Dataset, type Preview } from '../client/api.ts';
import { datasetPreview } from '../client/preview.ts';
import { useQuery } from '../client/query.ts';
import { Button } from '../parts/button.tsx';
import { Note } from '../parts/page-head.tsx';
import { Secret } from '../parts/secret.tsx';
import { copyText, Loaded } from '../parts/states.tsx';
import { useTexts as words } from '../texts/dataset-pages.ts';
import { DatasetFrame } from './datasets/frame.tsx';

/** `/datasets/{id}/use` */
export default function DatasetUsePage({ params: { id = '' } }: PageProps) {
  return <DatasetFrame id={id}>{({ dataset }) => <Addresses key={id} dataset={dataset} />}</DatasetFrame>;
}

interface Address {
  readonly title: string;
  readonly text: string;
  readonly hint?: string;
}

function Addresses({ dataset }: { dataset: Dataset }) {
  const { id, projectId } = dataset;
  const [signature, setSignature] = useState<string>();
  const preview = useQuery(`preview ${id}`, (signal) => datasetPreview(id).describe(signal), { changes: ['preview'] });
  const make = async () => {
    const query = { readOnly: true, projectId, resourceId: id };
    setSignature((await api('GET /api/security/sastoken', { query })).data);
  };
  return (
    <div class="stack">
      <section class="card padded stack" aria-label={words.signature}>
        <p>{words.intro}</p>
        {signature === undefined ? (
          <Button icon="key" onClick={make}>
            {words.make}
          </Button>
        ) : (
          <>
            <Secret label={words.signature} value={signature} />
            <Note>
              {words.madeWhy} {words.asHeader}
            </Note>
          </>
        )}
      </section>
      <Loaded query={preview}>
        {(shown) => (
          <div class="columns">
            <Card title={words.qgis} addresses={mapAddresses(dataset, shown, signature)} none={words.noMap} />
            <Card title={words.python} addresses={[{ title: words.python, text: python(dataset, shown, signature) }]} />
            <Card
              title={words.javascript}
              addresses={[{ title: words.javascript, text: javascript(dataset, shown, signature) }]}
            />
            <Card title={words.platform} addresses={commands(dataset, shown, signature)} />
          </div>
        )}
      </Loaded>
    </div>
  );
}

function Card({ title, addresses, none }: { title: string; addresses: readonly Address[]; none?: string }) {
  const id = `use-${title.replace(/\W/g, '')}`;
  return (
    <section class="card padded stack" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {addresses.length === 0 && <p class="quiet">{none}</p>}
      {addresses.map((one) => (
        <div key={one.title} class="stack">
          {one.title !== title && <h3>{one.title}</h3>}
          <div class="secret">
            <pre>{one.text}</pre>
            <Button icon="copy" label={words.copyOf(one.title)} onClick={() => copyText(one.text)} />
          </div>
          {one.hint && <p class="hint">{one.hint}</p>}
        </div>
      ))}
    </section>
  );
}

const withQuery = (address: string, ...parts: readonly (string | undefined)[]) => {
  const query = parts.filter(Boolean).join('&');
  return query === '' ? address : `${address}?${query}`;
};

/** Item, step and layer that the map shows, which stand in the fragment of the address, as a query of tiles. */
function seen(): string {
  const { view } = place.value;
  const kept = ['item', 'step', 'layer'].flatMap((name): [string, string][] => {
    const value = view.get(name);
    return value === null ? [] : [[name, value]];
  });
  return new URLSearchParams(kept).toString();
}

function mapAddresses({ id, datasetType }: Dataset, preview: Preview, signature: string | undefined): Address[] {
  const base = `/api/preview/dataset/${id}`;
  const found: Address[] = [];
  if (datasetType === 'tiles') {
    const address = absolute(`/api/tiles/dataset/${id}/wmts/1.0.0/WMTSCapabilities.xml`);
    found.push({ title: 'WMTS', text: withQuery(address, signature), hint: words.wmts });
  }
  if (preview.tiles?.raster !== undefined) {
    const text = withQuery(`${absolute(base)}/{z}/{x}/{y}.png`, seen(), signature);
    found.push({ title: 'XYZ', text, hint: words.xyz });
  }
  if (preview.tiles?.vector !== undefined) {
    const text = withQuery(`${absolute(base)}/{z}/{x}/{y}.vector.pbf`, seen(), signature);
    found.push({ title: words.vectorTiles, text, hint: words.vector });
  }
  if (datasetType === 'gisvectordata') {
    const text = withQuery(absolute(`/api/gis/dataset/${id}/ogc`), signature);
    found.push({ title: 'OGC API Features', text, hint: words.ogc });
  }
  return found;
}

/** What a program reads: the rows of the table, or the numbers of a step. */
const tableOf = ({ id }: Dataset, preview: Preview) =>
  withQuery(
    absolute(`/api/preview/dataset/${id}/${preview.kind === 'series' ? 'series' : 'table'}`),
    'format=csv',
    preview.kind === 'series' ? undefined : seen(),
  );

/** Who reads: the holder of a signature, or of a key. */
const headersOf = (signature: string | undefined): Record<string, string> =>
  signature === undefined ? { 'svc-open-api-key': 'KEY', 'svc-service-id': 'tiles' } : { 'svc-sas-token': signature };

function python(dataset: Dataset, preview: Preview, signature: string | undefined): string {
  const headers = Object.entries(headersOf(signature)).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  const address = JSON.stringify(tableOf(dataset, preview));
  return [
    'import pandas as pd',
    '',
    `address = ${address}`,
    'headers = {',
    ...headers,
    '}',
    'data = pd.read_csv(address, storage_options=headers)',
  ].join('\n');
}

function javascript(dataset: Dataset, preview: Preview, signature: string | undefined): string {
  const address = tableOf(dataset, preview).replace('format=csv', 'format=json');
  return [
    `const address = ${JSON.stringify(address)};`,
    `const headers = ${JSON.stringify(headersOf(signature), null, 2)};`,
    'const answer = await fetch(address, { headers });',
    'const data = await answer.json();',
  ].join('\n');
}

function commands(dataset: Dataset, preview: Preview, signature: string | undefined): Address[] {
  const { id } = dataset;
  const headers = Object.entries(headersOf(signature)).map(([name, value]) => `-H '${name}: ${value}'`);
  return [
    { title: 'platform', text: [`platform dataset show ${id}`, `platform dataset download ${id}`].join('\n') },
    {
      title: 'curl',
      text: ['curl', ...headers, `'${tableOf(dataset, preview)}'`].join(' \\\n  '),
      ...(signature === undefined && { hint: words.key }),
    },
  ];
}
