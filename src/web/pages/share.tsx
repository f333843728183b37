import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import type { PageProps } from '../app/router.ts';
import { to } from '../client/address.ts';
import { api, type Preview, type SharedDataset } from '../client/api.ts';
import { formatNumber, formatWholeTime } from '../client/format.ts';
import { sharedPreview } from '../client/preview.ts';
import { isNotFound } from '../client/problem.ts';
import { useQuery } from '../client/query.ts';
import { AloneCard } from '../parts/alone-card.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icons.tsx';
import { lazy } from '../parts/lazy.tsx';
import { PageHead, Tag } from '../parts/page-head.tsx';
import { copyText, ErrorState, Skeleton } from '../parts/states.tsx';
import { shareTexts as words } from '../texts/share.ts';
import { texts } from '../texts.ts';
import { SeriesChart } from './chart/series-chart.tsx';
import { SharedDownloads } from './share/downloads.tsx';

const MapWorkspace = lazy(() => import('./map/map-workspace.tsx'));

/** What anybody sees who has a link to a dataset. */
export default function SharePage({ params: { token = '' } }: PageProps) {
  const shared = useQuery(`share ${token}`, (signal) => api('GET /api/share/{token}', { params: { token }, signal }));
  const preview = useQuery(shared.data && `share ${token} preview`, (signal) => sharedPreview(token).describe(signal));
  // a link that ends while it is read is as one that has ended before
  if (isNotFound(shared.error))
    return (
      <AloneCard title={words.ended}>
        <p class="quiet">{words.endedWhy}</p>
      </AloneCard>
    );
  if (shared.data === undefined)
    return (
      <Page>
        {shared.error === undefined || shared.loading ? (
          <Skeleton rows={6} />
        ) : (
          <ErrorState error={shared.error} again={shared.again} />
        )}
      </Page>
    );
  const { name, description, citation } = shared.data;
  return (
    <Page shared={shared.data}>
      <PageHead title={name} tags={preview.data?.kind && <Tag>{kindOf(preview.data)}</Tag>}>
        {description}
      </PageHead>
      {preview.data && <Drawn token={token} name={name} preview={preview.data} />}
      <div class="two-columns">
        <div class="stack">
          <CitationCard citation={citation} />
        </div>
        <div class="stack">
          <SharedDownloads token={token} shared={shared.data} />
          {preview.data?.kind && <About preview={preview.data} />}
        </div>
      </div>
    </Page>
  );
}

const Page = ({ shared, children }: { shared?: SharedDataset; children: ComponentChildren }) => (
  <>
    <header class="share-top">
      <span class="brand">
        <span>
          <Icon name="wave" />
        </span>
        <span>{shared?.publisher ?? texts.product}</span>
      </span>
      {shared && (
        <span class="small quiet" title={formatWholeTime(shared.expiresAt)}>
          {words.until(shared.expiresAt)}
        </span>
      )}
    </header>
    <main class="share-page" id="main">
      {children}
    </main>
  </>
);

/** The map, the chart of series, else the thumbnail. */
function Drawn({ token, name, preview }: { token: string; name: string; preview: Preview }) {
  const source = sharedPreview(token);
  const { kind, tiles } = preview;
  if (tiles?.raster !== undefined || tiles?.vector !== undefined)
    return (
      <div class="share-map">
        <MapWorkspace key={token} source={source} preview={preview} name={name} />
      </div>
    );
  if (kind === 'series')
    return <SeriesChart key={token} source={source} preview={preview} name={name} compares={false} />;
  return <Picture key={token} token={token} name={name} />;
}

const kindOf = ({ kind, steps }: Preview): string =>
  [kind && words.kinds[kind], steps && steps.count > 1 && words.steps(steps.count)].filter(Boolean).join(' · ');

function Picture({ token, name }: { token: string; name: string }) {
  const [absent, setAbsent] = useState(false);
  if (absent) return null;
  return (
    <div class="card share-picture">
      <img
        src={to(`/api/share/${encodeURIComponent(token)}/thumbnail?size=512`)}
        alt={words.picture(name)}
        onError={() => setAbsent(true)}
      />
    </div>
  );
}

function About({ preview: { items = [], steps, cells, srid, kind } }: { preview: Preview }) {
  const names = items.map(({ name, unit }) => (unit === undefined ? name : `${name} [${unit}]`));
  const times = [steps?.first, steps?.last].filter((time) => time !== undefined).map((time) => time.replace('T', ' '));
  const facts = [
    [words.kind, kind && words.kinds[kind]],
    [words.items, names.join(', ')],
    [words.time, [...new Set(times)].join(' – ')],
    [words.cells, cells === undefined ? '' : formatNumber(cells)],
    [words.system, srid],
  ].filter(([, value]) => value);
  return (
    <section class="card padded stack" aria-labelledby="about">
      <h2 id="about">{words.about}</h2>
      <dl class="facts">
        {facts.map(([label, value]) => (
          <Fragment key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </Fragment>
        ))}
      </dl>
    </section>
  );
}

const FORMS = ['text', 'bibtex', 'datacite'] as const;

function CitationCard({ citation }: { citation: SharedDataset['citation'] }) {
  const [form, setForm] = useState<(typeof FORMS)[number]>('text');
  const shown = form === 'datacite' ? JSON.stringify(citation.datacite, null, 2) : citation[form];
  const names = { text: words.text, bibtex: 'BibTeX', datacite: 'DataCite' };
  return (
    <section class="card padded stack" aria-labelledby="cite">
      <h2 id="cite">{words.cite}</h2>
      <fieldset class="choices">
        <legend class="visually-hidden">{words.citations}</legend>
        {FORMS.map((one) => (
          <label key={one} class="check">
            <input type="radio" name="citation" checked={form === one} onChange={() => setForm(one)} />
            <span>{names[one]}</span>
          </label>
        ))}
      </fieldset>
      <pre>{shown}</pre>
      <Button icon="copy" onClick={() => copyText(shown)}>
        {texts.copy}
      </Button>
    </section>
  );
}
